// SPDX-License-Identifier: GPL-2.0-or-later

import RegionCore
import Time

/// The numbers of a btsnoop file, version 1 (RFC 1761's snoop with Bluetooth's datalinks, as the Frontline test system,
/// Android and BlueZ write it).
enum Btsnoop {
    static let identification: [UInt8] = Array("btsnoop\0".utf8)
    static let version: UInt32 = 1
    static let headerBytes = 16
    /// Original length, included length, flags, drops: 4 bytes each; time stamp: 8.
    static let recordHeaderBytes = 24
    /// Records of this length and beyond are damage: an ACL packet of a real controller has some 1,000 bytes.
    static let longestRecord = 64 * 1_024
    /// What a time stamp reads at 1970-01-01. The format counts microseconds from the year 0 and gives one tie:
    /// 2000-01-01 is 0x00E03AB44A676000, which is 946,684,800 s later than 1970-01-01.
    static let unixEpoch: Int64 = 0x00E0_3AB4_4A67_6000 - 946_684_800_000_000

    /// How a file's records hold HCI packets.
    enum Datalink: UInt32 {
        /// Without the packet type byte; the flags tell direction and kind.
        case unencapsulated = 1_001
        /// With it, as on a UART.
        case h4 = 1_002
        /// BlueZ's monitor: the flags hold adapter (high) and kind (low).
        case monitor = 2_001

        /// How many bytes stand before the HCI event in a record with these flags; nil when it holds no event.
        func eventStart(flags: UInt32, firstByte: UInt8) -> Int? {
            switch self {
            case .unencapsulated: flags & 3 == Btsnoop.receivedEvent ? 0 : nil
            case .h4: firstByte == Btsnoop.eventPacketType ? 1 : nil
            case .monitor: flags & 0xFFFF == Btsnoop.monitorEvent ? 0 : nil
            }
        }
    }

    /// Bit 0: towards the host; bit 1: command or event.
    static let receivedEvent: UInt32 = 3
    /// BTSNOOP_OPCODE_EVENT_PKT.
    static let monitorEvent: UInt32 = 3
    /// Core Spec Vol 4 Part A 2.
    static let eventPacketType: UInt8 = 0x04
}

/// Reads the HCI events of a btsnoop file, in file order.
struct BtsnoopReader: ~Copyable {
    private var bytes: ByteStream
    private let datalink: Btsnoop.Datalink
    private var clock = CaptureClock()
    private var records: UInt64 = 0
    private var isFinished = false
    private var skippedRecords: UInt64 = 0

    /// Reads the header. The stream stands at the file's first byte, which was found to be btsnoop's.
    init(_ stream: consuming ByteStream) throws(SourceError) {
        guard try stream.need(Btsnoop.headerBytes) else {
            throw SourceError("\(stream.path): the btsnoop header is cut short; copy the file anew")
        }
        let version = stream.bigEndian(UInt32.self, at: 8)
        guard version == Btsnoop.version else {
            throw SourceError("\(stream.path): btsnoop version \(version) is not known, only version 1")
        }
        let number = stream.bigEndian(UInt32.self, at: 12)
        guard let datalink = Btsnoop.Datalink(rawValue: number) else {
            throw SourceError(
                "\(stream.path): btsnoop datalink \(number) is not read, only 1001 (HCI), 1002 (H4) and 2001 (monitor); "
                    + "record with `btmon -w FILE` or convert with `editcap -F btsnoop`")
        }
        stream.skip(Btsnoop.headerBytes)
        bytes = stream
        self.datalink = datalink
    }

    /// What was met on the way so far.
    var status: CaptureStatus {
        CaptureStatus(start: clock.start, skippedRecords: skippedRecords, heldTimes: clock.held)
    }

    /// How much of the file has been read, 0 to 1.
    var progress: Double? { bytes.progress }

    /// The next HCI event, packet type byte first, in `frame`, and its instant; nil at the end.
    mutating func next(into frame: inout FrameBuffer) throws(SourceError) -> Instant? {
        if isFinished { return nil }
        while true {
            guard let length = try nextRecord() else {
                isFinished = true
                return nil
            }
            let flags = bytes.bigEndian(UInt32.self, at: 8)
            let stamp = bytes.bigEndian(Int64.self, at: 16)
            let instant = clock.instant(microseconds: stamp &- Btsnoop.unixEpoch)
            let first = length > 0 ? bytes[Btsnoop.recordHeaderBytes] : 0
            let eventStart = datalink.eventStart(flags: flags, firstByte: first)
            if let eventStart {
                let distance = Btsnoop.recordHeaderBytes + eventStart
                bytes.copy(length - eventStart, at: distance, into: &frame, keeping: 1)
                frame.storage[0] = Btsnoop.eventPacketType
            }
            bytes.skip(Btsnoop.recordHeaderBytes + length)
            records += 1
            if eventStart != nil { return instant }
            skippedRecords += 1
        }
    }

    /// The bytes a record holds, once all of it is available; nil at the end of the file.
    private mutating func nextRecord() throws(SourceError) -> Int? {
        guard try need(Btsnoop.recordHeaderBytes) else {
            if bytes.available == 0 { return nil }
            throw broken("is cut short: the recording broke off there")
        }
        let length = Int(bytes.bigEndian(UInt32.self, at: 4))
        guard length < Btsnoop.longestRecord else {
            throw broken("says it is \(length) bytes long: the file is damaged")
        }
        guard try need(Btsnoop.recordHeaderBytes + length) else {
            throw broken("is cut short: the recording broke off there")
        }
        return length
    }

    private mutating func need(_ count: Int) throws(SourceError) -> Bool {
        do { return try bytes.need(count) } catch {
            isFinished = true
            throw error
        }
    }

    private mutating func broken(_ how: String) -> SourceError {
        isFinished = true
        return SourceError(
            "\(bytes.path): record \(records + 1) at \(bytes.place) \(how); the \(records) before it were used, "
                + "record or copy the file anew if more is needed")
    }
}
