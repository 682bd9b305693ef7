// SPDX-License-Identifier: GPL-2.0-or-later

import CBluetooth
import CShim
import Glibc
import RegionCore

/// One socket to a controller, and the only place that talks to it: the kernel's raw channel, or a SEQPACKET socket
/// that carries the same packets. It cannot be copied and closes itself.
struct HCISocket: ~Copyable {
    let descriptor: CInt
    /// What the kernel had dropped at the last look.
    private var droppedBefore: UInt32 = 0

    /// Opens the raw channel of an adapter: events of advertising, of commands and of broken hardware come in, with
    /// the time the kernel received them.
    static func open(adapter index: Int) throws(HCIError) -> HCISocket {
        let descriptor = hci_open_dev(Int32(index))
        guard descriptor >= 0 else { throw HCIError(errno) }
        let socket = HCISocket(descriptor: descriptor)
        try socket.prepare()
        var filter = hci_filter()
        unsafe hci_filter_clear(&filter)
        unsafe hci_filter_set_ptype(HCI_EVENT_PKT, &filter)
        for event in [EVT_LE_META_EVENT, EVT_CMD_COMPLETE, EVT_CMD_STATUS, EVT_HARDWARE_ERROR] {
            unsafe hci_filter_set_event(event, &filter)
        }
        try socket.set(SOL_HCI, HCI_FILTER, to: &filter)
        var on: CInt = 1
        try socket.set(SOL_HCI, HCI_TIME_STAMP, to: &on)
        return socket
    }

    /// Connects to a SEQPACKET socket of the file system.
    static func connect(path: String) throws(HCIError) -> HCISocket {
        let descriptor = Glibc.socket(AF_UNIX, CInt(SOCK_SEQPACKET.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw HCIError(errno) }
        let socket = HCISocket(descriptor: descriptor)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        guard bytes.count < MemoryLayout.size(ofValue: address.sun_path) else { throw HCIError(ENAMETOOLONG) }
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: bytes) }
        let code = unsafe withUnsafePointer(to: &address) { address in
            unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                unsafe Glibc.connect(descriptor, address, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard code == 0 else { throw HCIError(errno) }
        try socket.prepare()
        var on: CInt = 1
        try socket.set(SOL_SOCKET, SO_TIMESTAMP, to: &on)
        return socket
    }

    private init(descriptor: CInt) { self.descriptor = descriptor }

    deinit { _ = close(descriptor) }

    /// Nothing here waits, and as much may wait to be read as the system allows any program.
    private borrowing func prepare() throws(HCIError) {
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        guard fcntl(descriptor, F_SETFL, O_NONBLOCK) == 0 else { throw HCIError(errno) }
        var most = ReceiveBuffer.most
        try set(SOL_SOCKET, SO_RCVBUF, to: &most)
    }

    private borrowing func set<Value: BitwiseCopyable>(
        _ level: CInt, _ name: CInt, to value: inout Value
    ) throws(HCIError) {
        let code = unsafe withUnsafePointer(to: &value) { value in
            unsafe setsockopt(descriptor, level, name, value, socklen_t(MemoryLayout<Value>.size))
        }
        guard code == 0 else { throw HCIError(errno) }
    }

    /// Sends one packet.
    borrowing func send(_ packet: [UInt8]) throws(HCIError) {
        guard unsafe write(descriptor, packet, packet.count) == packet.count else { throw HCIError(errno) }
    }

    /// Refills a batch with what waits; true when something did.
    borrowing func receive(into batch: inout ReceiveBatch) throws(HCIError) -> Bool {
        batch.next = 0
        batch.count = 0
        let count = unsafe shim_receive(
            descriptor, &batch.bytes, CInt(ReceiveBatch.room), CInt(ReceiveBatch.most), &batch.lengths, &batch.stamps)
        guard count >= 0 else { throw HCIError(errno) }
        batch.count = Int(count)
        return count > 0
    }

    /// Lets the kernel hide what a filter hides; nil: nothing. False where it cannot.
    borrowing func apply(_ filter: ReportFilter?) -> Bool {
        // The layout of `Instruction` is that of sock_filter: 2, 1, 1 and 4 bytes.
        let program = filter?.program ?? []
        return unsafe program.withUnsafeBytes { unsafe shim_filter(descriptor, $0.baseAddress, UInt16(program.count)) }
            == 0
    }

    /// How many packets the kernel dropped since the last call.
    mutating func dropped() -> UInt64 {
        let now = shim_dropped(descriptor)
        defer { droppedBefore = now }
        return UInt64(now &- droppedBefore)
    }
}

/// Packets read at once.
struct ReceiveBatch {
    /// Type byte, event code, length byte and 255 parameters.
    static let room = 258
    /// 20 ms of 2,000 reports a second are 40; one call to the system for all of them.
    static let most = 64

    var bytes = [UInt8](repeating: 0, count: room * most)
    var lengths = [UInt16](repeating: 0, count: most)
    /// Nanoseconds of the wall clock; 0: unknown.
    var stamps = [Int64](repeating: 0, count: most)
    /// How many there are.
    var count = 0
    /// The first that was not taken yet.
    var next = 0

    /// Leaves the next packet in a buffer, and gives its stamp. Appending it would cost several times the copy.
    @discardableResult
    mutating func take(into frame: inout FrameBuffer) -> Int64 {
        defer { next += 1 }
        frame.count = min(Int(lengths[next]), Self.room)
        while frame.storage.count < frame.count { frame.storage.append(0) }
        let start = next * Self.room
        unsafe bytes.span.extracting(start..<(start + frame.count)).withUnsafeBytes { packet in
            unsafe frame.storage.withUnsafeMutableBytes { unsafe $0.copyMemory(from: packet) }
        }
        return stamps[next]
    }
}

/// How much the kernel keeps for a reader that is late.
private enum ReceiveBuffer {
    /// What any program may ask for. Debian's own limit holds half a second of 2,000 reports a second; the package
    /// raises it.
    static var most: CInt {
        guard let file = unsafe fopen("/proc/sys/net/core/rmem_max", "r") else { return usual }
        defer { unsafe fclose(file) }
        var line = [CChar](repeating: 0, count: 32)
        guard unsafe fgets(&line, 32, file) != nil else { return usual }
        let digits = line.prefix { (48...57).contains($0) }.map { UInt8(bitPattern: $0) }
        return CInt(String(decoding: digits, as: UTF8.self)) ?? usual
    }

    private static let usual: CInt = 212_992
}

/// A system call that failed.
struct HCIError: Error, Equatable {
    let code: CInt

    init(_ code: CInt) { self.code = code }

    /// What it means for the scan.
    var fault: ScanControl.Fault {
        switch code {
        case EAFNOSUPPORT, EPROTONOSUPPORT, ESOCKTNOSUPPORT:
            .unsupported("No socket of the family AF_BLUETOOTH can be made (\(text)).")
        case EPERM, EACCES: .notPermitted
        case ENETDOWN: .down
        case ERFKILL: .blocked
        case ENODEV, EPIPE, ENOENT, ECONNREFUSED, ECONNRESET, EBADF: .gone
        default: .other("The system says: \(text).")
        }
    }

    private var text: String { unsafe strerror(code).map { unsafe String(cString: $0) } ?? "error \(code)" }
}
