// SPDX-License-Identifier: GPL-2.0-or-later

import Glibc

/// A terminal without a screen: a program that writes to it takes it for one, and the test reads what it draws.
public final class TestTerminal {
    /// What a program is to write to.
    public let path: String
    private let descriptor: Int32
    /// The other end, open as long as this is: what a program drew is there to be read when it has ended.
    private let programs: Int32
    private var bytes: [UInt8] = []

    /// A terminal of so many columns and rows.
    public init(columns: Int, rows: Int) throws {
        var (own, others): (Int32, Int32) = (-1, -1)
        guard unsafe openpty(&own, &others, nil, nil, nil) == 0, let name = unsafe ttyname(others) else {
            throw ChildProcess.Failure(description: "there is no terminal to be had")
        }
        _ = fcntl(own, F_SETFD, FD_CLOEXEC)
        _ = fcntl(others, F_SETFD, FD_CLOEXEC)
        (descriptor, programs) = (own, others)
        path = unsafe String(cString: name)
        resize(columns: columns, rows: rows)
    }

    deinit {
        close(descriptor)
        close(programs)
    }

    /// Gives it another size.
    public func resize(columns: Int, rows: Int) {
        var size = winsize(ws_row: UInt16(rows), ws_col: UInt16(columns), ws_xpixel: 0, ws_ypixel: 0)
        _ = unsafe ioctl(descriptor, UInt(TIOCSWINSZ), &size)
    }

    /// Reads until what is drawn fits, and gives all of it; nil when the time is over.
    public func text(within limit: Duration = .seconds(20), until fits: (String) -> Bool) -> String? {
        let deadline = ContinuousClock.now + limit
        while true {
            let text = String(decoding: bytes, as: UTF8.self)
            if fits(text) { return text }
            let left = ContinuousClock.now.duration(to: deadline)
            var polled = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            guard left > .zero, unsafe poll(&polled, 1, Int32(left / .milliseconds(1))) > 0 else { return nil }
            var buffer = [UInt8](repeating: 0, count: 65_536)
            let count = unsafe read(descriptor, &buffer, buffer.count)
            guard count > 0 else { return nil }
            bytes += buffer[..<count]
        }
    }
}
