// SPDX-License-Identifier: GPL-2.0-or-later

import Foundation
import Glibc

/// A Bluetooth LE controller on a SEQPACKET socket of the file system: answers the commands of a scan and sends
/// reports while it is on. One host at a time.
public final class FakeController: @unchecked Sendable {
    // Sound although unchecked: what the thread and its owner share is touched under `lock` alone.

    /// Something that advertises.
    public struct Advertiser {
        /// One event, packet type byte first.
        public var frame: [UInt8]
        /// Between two of its reports.
        public var every: Duration
        fileprivate var due = ContinuousClock.now

        /// An advertiser that sends this so often.
        public init(frame: [UInt8], every: Duration) {
            self.frame = frame
            self.every = every
        }
    }

    private struct State {
        var advertisers: [String: Advertiser] = [:]
        var waiting: [[UInt8]] = []
        var isScanning = false
        var isStalled = false
        var isGone = false
        var isOver = false
        var sent = 0
        var opcodes: [UInt16] = []
    }

    private let lock = NSLock()
    private var state = State()
    private let path: String
    private let extended: Bool

    /// Waits for a host at that path.
    public init(path: String, extended: Bool = true) {
        self.path = path
        self.extended = extended
        Thread { [weak self] in
            while let controller = self, !controller.with({ $0.isOver }) { controller.serve() }
        }.start()
    }

    /// Ends it; the host's socket breaks.
    public func end() { with { $0.isOver = true } }

    /// Reports sent so far.
    public var sent: Int { with { $0.sent } }
    /// Commands received so far.
    public var opcodes: [UInt16] { with { $0.opcodes } }
    /// Whether the host has switched scanning on.
    public var isScanning: Bool { with { $0.isScanning } }

    /// Begins, changes or (nil) ends an advertiser.
    public func set(_ name: String, _ advertiser: Advertiser?) { with { $0.advertisers[name] = advertiser } }
    /// Nobody advertises any more.
    public func silence() { with { $0.advertisers = [:] } }
    /// Commands are left unanswered, or answered again.
    public func stall(_ on: Bool) { with { $0.isStalled = on } }
    /// Unplugged, or plugged in again.
    public func unplug(_ gone: Bool) { with { $0.isGone = gone } }
    /// Sends an event as it is.
    public func send(_ event: [UInt8]) { with { $0.waiting.append(event) } }
    /// Another program switches the scan off.
    public func endScan() {
        with { state in
            state.isScanning = false
            state.waiting.append(Self.complete(extended ? 0x2042 : 0x200C, [0]))
        }
    }

    private func with<Result>(_ body: (inout State) -> Result) -> Result {
        lock.lock()
        defer { lock.unlock() }
        return body(&state)
    }

    // MARK: The thread

    private func serve() {
        guard with({ !$0.isGone }) else {
            usleep(5_000)
            return
        }
        unsafe unlink(path)
        // No program that is started meanwhile may keep it open.
        let listener = socket(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue | SOCK_CLOEXEC.rawValue), 0)
        defer { close(listener) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: path.utf8) }
        let code = unsafe withUnsafePointer(to: &address) { address in
            unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                unsafe bind(listener, address, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard code == 0, listen(listener, 1) == 0 else { return }
        while with({ !$0.isOver && !$0.isGone }) {
            guard isReadable(listener, milliseconds: 20) else { continue }
            let host = accept(listener, nil, nil)
            guard host >= 0 else { continue }
            _ = fcntl(host, F_SETFD, FD_CLOEXEC)
            with { $0.isScanning = false }
            converse(host)
            close(host)
        }
        unsafe unlink(path)
    }

    private func converse(_ host: Int32) {
        var command = [UInt8](repeating: 0, count: 300)
        while with({ !$0.isOver && !$0.isGone }) {
            while isReadable(host, milliseconds: wait()) {
                let count = unsafe read(host, &command, command.count)
                guard count >= 4 else { return }
                let reply = with { state -> [UInt8]? in answer(Array(command.prefix(count)), &state) }
                if let reply, !put(reply, to: host) { return }
            }
            let now = ContinuousClock.now
            let events = with { state -> [[UInt8]] in
                defer { state.waiting = [] }
                return state.waiting + (state.isScanning ? Self.due(&state, by: now) : [])
            }
            for event in events where !put(event, to: host) { return }
        }
    }

    /// Milliseconds until something is due.
    private func wait() -> Int32 {
        with { state in
            guard state.waiting.isEmpty else { return 0 }
            guard state.isScanning, let due = state.advertisers.values.map(\.due).min() else { return 5 }
            let left = ContinuousClock.now.duration(to: due).components
            return Int32(min(5, max(0, left.seconds * 1_000 + left.attoseconds / 1_000_000_000_000_000)))
        }
    }

    private static func due(_ state: inout State, by now: ContinuousClock.Instant) -> [[UInt8]] {
        var frames: [[UInt8]] = []
        for name in state.advertisers.keys.sorted() {
            guard var advertiser = state.advertisers[name] else { continue }
            if now - advertiser.due > .seconds(1) { advertiser.due = now }  // It was not scanned meanwhile.
            while advertiser.due <= now {
                frames.append(advertiser.frame)
                advertiser.due += advertiser.every
            }
            state.advertisers[name] = advertiser
        }
        state.sent += frames.count
        return frames
    }

    private func answer(_ command: [UInt8], _ state: inout State) -> [UInt8]? {
        let opcode = UInt16(command[1]) | UInt16(command[2]) << 8
        state.opcodes.append(opcode)
        if state.isStalled { return nil }
        switch opcode {
        case 0x0C03: state.isScanning = false
        case 0x200C, 0x2042: state.isScanning = command.count > 4 && command[4] == 1
        case 0x1002:
            var row = [UInt8](repeating: 0, count: 65)
            row[38] = extended ? 0x60 : 0
            return Self.complete(opcode, row)
        default: break
        }
        return Self.complete(opcode, [0])
    }

    private static func complete(_ opcode: UInt16, _ row: [UInt8]) -> [UInt8] {
        [0x04, 0x0E, UInt8(3 + row.count), 1, UInt8(truncatingIfNeeded: opcode), UInt8(opcode >> 8)] + row
    }

    private func put(_ event: [UInt8], to host: Int32) -> Bool {
        unsafe Glibc.send(host, event, event.count, Int32(MSG_NOSIGNAL)) == event.count
    }

    private func isReadable(_ descriptor: Int32, milliseconds: Int32) -> Bool {
        var polled = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return unsafe poll(&polled, 1, milliseconds) > 0
    }
}

/// Frames as a controller sends them.
public enum Frame {
    /// An iBeacon's legacy report.
    public static func iBeacon(
        _ uuid: [UInt8], major: UInt16, minor: UInt16, address: UInt8, rssi: Int8 = -60
    ) -> [UInt8] {
        let numbers = [major, minor].flatMap { [UInt8($0 >> 8), UInt8(truncatingIfNeeded: $0)] }
        return legacy([2, 1, 6, 26, 0xFF, 0x4C, 0, 2, 21] + uuid + numbers + [0xC5], address: address, rssi: rssi)
    }

    /// A report of somebody else.
    public static func foreign(address: UInt8, rssi: Int8 = -70) -> [UInt8] {
        legacy([2, 1, 6, 5, 0xFF, 6, 0, 1, 9], address: address, rssi: rssi)
    }

    /// A legacy report with any data.
    public static func legacy(_ data: [UInt8], address: UInt8, rssi: Int8) -> [UInt8] {
        [0x04, 0x3E, UInt8(12 + data.count), 0x02, 1, 3, 1, address, 0, 0, 0, 0, 0xC0, UInt8(data.count)] + data
            + [UInt8(bitPattern: rssi)]
    }
}
