// SPDX-License-Identifier: GPL-2.0-or-later

import Glibc
import RegionCore
import Time

/// Listens to what other programs' scans give, without a command of its own: for whoever must not change anything.
public struct Overhearing: ~Copyable {
    private let socket: HCISocket

    /// Nil where the right is missing: without it the kernel delivers no reports, and a silence would mean nothing.
    public init?(adapter: Adapter) {
        guard Self.isAllowed, let socket = try? HCISocket.open(adapter: adapter.index) else { return nil }
        self.socket = socket
    }

    /// Waits so long at most for something, and gives each event that came.
    public borrowing func frames(within limit: Duration, _ body: (borrowing FrameBuffer) -> Void) {
        var polled = pollfd(fd: socket.descriptor, events: Int16(POLLIN), revents: 0)
        let milliseconds = max(0, limit.wholeNanoseconds / 1_000_000)
        guard unsafe poll(&polled, 1, Int32(min(milliseconds, 1_000))) > 0 else { return }
        var batch = ReceiveBatch()
        var frame = FrameBuffer()
        guard (try? socket.receive(into: &batch)) == true else { return }
        while batch.next < batch.count {
            batch.take(into: &frame)
            body(frame)
        }
    }

    /// CAP_NET_RAW among the effective rights of this process.
    private static var isAllowed: Bool {
        guard let file = unsafe fopen("/proc/self/status", "r") else { return false }
        defer { unsafe fclose(file) }
        var line = [CChar](repeating: 0, count: 256)
        while unsafe fgets(&line, 256, file) != nil {
            let text = String(decoding: line.prefix { $0 > 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
            guard text.hasPrefix("CapEff:") else { continue }
            let digits = text.dropFirst(7).filter { $0.isHexDigit }
            let netRaw: UInt64 = 1 << 13
            return (UInt64(digits, radix: 16) ?? 0) & netRaw != 0
        }
        return false
    }
}
