// SPDX-License-Identifier: GPL-2.0-or-later

import Glibc
import Time

/// Standard output for a lane that has other things to do: a reader who does not read holds up nobody.
struct PatientOutput: ~Copyable {
    private var pending: [UInt8] = []
    private var start = 0
    /// False once the reader is gone.
    private(set) var isOpen = true

    /// A pipe that is said to be writable takes this much without waiting (PIPE_BUF).
    private static let piece = 4_096

    /// Adds one line; it is written by `push`.
    mutating func line(_ text: [UInt8]) {
        pending.append(contentsOf: text)
        pending.append(UInt8(ascii: "\n"))
    }

    /// Writes what is there, waiting so long at most for the reader. True when nothing is left.
    mutating func push(atMost limit: Duration) -> Bool {
        let end = BoxClock.now() + limit
        while isOpen, start < pending.count {
            var descriptor = pollfd(fd: Console.output, events: Int16(POLLOUT), revents: 0)
            let left = max(.zero, end - BoxClock.now()).wholeNanoseconds / 1_000_000
            guard unsafe poll(&descriptor, 1, Int32(left)) > 0 else { return false }
            let piece = min(Self.piece, pending.count - start)
            let written = unsafe pending.withUnsafeBytes { bytes in
                unsafe write(Console.output, bytes.baseAddress?.advanced(by: start), piece)
            }
            if written > 0 { start += written } else { isOpen = written < 0 && errno == EINTR }
        }
        pending.removeAll(keepingCapacity: true)
        start = 0
        return true
    }
}
