// SPDX-License-Identifier: GPL-2.0-or-later

import Glibc
import Time

/// The way out to people and programs: people read stderr and terminals, programs read stdout.
public enum Console {
    /// Standard output.
    static let output: CInt = 1
    /// Standard error.
    static let errors: CInt = 2

    /// Writes a line for a person to stderr.
    public static func say(_ line: String) { _ = write(Array((line + "\n").utf8), to: errors) }

    /// Writes a line to stdout.
    public static func print(_ line: String) { _ = write(Array((line + "\n").utf8), to: output) }

    /// Writes all bytes; false when the reader is gone.
    static func write(_ bytes: [UInt8], to descriptor: CInt) -> Bool {
        var start = 0
        while start < bytes.count {
            let count = unsafe bytes.withUnsafeBytes { bytes in
                unsafe Glibc.write(descriptor, bytes.baseAddress?.advanced(by: start), bytes.count - start)
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            start += count
        }
        return true
    }

    /// Whether a person looks at it.
    static func isTerminal(_ descriptor: CInt) -> Bool { isatty(descriptor) == 1 }
}

/// The environment, read once where needed.
enum Environment {
    /// The value of a variable, or nil.
    static subscript(name: String) -> String? { unsafe getenv(name).map { unsafe String(cString: $0) } }
}

/// Output in large pieces, for commands that print and end.
struct OutputBuffer: ~Copyable {
    private var bytes: [UInt8] = []
    /// False once the reader is gone: then nothing more is worth printing.
    private(set) var isOpen = true
    private static let flushAt = 65_536

    /// Adds one line.
    mutating func line(_ text: [UInt8]) {
        bytes.append(contentsOf: text)
        bytes.append(UInt8(ascii: "\n"))
        if bytes.count >= Self.flushAt { flush() }
    }

    /// Adds one line.
    mutating func line(_ text: String) { line(Array(text.utf8)) }

    /// Writes what is there.
    mutating func flush() {
        if isOpen, !bytes.isEmpty { isOpen = Console.write(bytes, to: Console.output) }
        bytes.removeAll(keepingCapacity: true)
    }
}

/// A line on the terminal that says how far long work has come; nothing in a pipe.
struct ProgressLine: ~Copyable {
    private let isShown = Console.isTerminal(Console.errors)
    private var shownAt = Instant.boot

    /// Shows it, at most four times a second.
    mutating func show(_ text: @autoclosure () -> String) {
        guard isShown else { return }
        let now = BoxClock.now()
        guard now - shownAt > .milliseconds(250) else { return }
        shownAt = now
        _ = Console.write(Array("\r\u{1B}[K\(text())".utf8), to: Console.errors)
    }

    /// Takes it away.
    deinit {
        if isShown, shownAt != .boot { _ = Console.write(Array("\r\u{1B}[K".utf8), to: Console.errors) }
    }
}
