// SPDX-License-Identifier: GPL-2.0-or-later

/// What a report, or what came instead of one, is read as.
public enum Reading: Equatable, Sendable {
    /// A beacon was heard.
    case sighting(Sighting)
    /// Why it gave no sighting.
    case discard(Discard)
}

/// What one HCI event held, kept.
public struct ParsedFrame: Sendable {
    /// The beacons sighted, in the order of their reports.
    public private(set) var sightings: [Sighting] = []
    /// Why the other reports gave none, in order.
    public private(set) var discards: [Discard] = []
    /// How many whole reports the event held.
    public fileprivate(set) var reports = 0

    /// Nothing parsed yet.
    public init() {}

    fileprivate mutating func removeAll() {
        sightings.removeAll(keepingCapacity: true)
        discards.removeAll(keepingCapacity: true)
    }

    fileprivate mutating func append(_ reading: Reading) {
        switch reading {
        case .sighting(let sighting): sightings.append(sighting)
        case .discard(let reason): discards.append(reason)
        }
    }
}

/// Reads LE advertising events into sightings. The bytes are hostile: each length is compared before it is used, a bad
/// report is a counted reason, and what is whole before it is kept.
///
/// Inlined throughout: the bounds of a span that is cut in the caller need no second look.
///
/// Layouts: LE Advertising Report, Core Spec Vol 4 Part E 7.7.65.2; LE Extended Advertising Report, 7.7.65.13.
public enum AdvertisingParser {
    /// Parses an HCI packet that begins with its packet type byte, as an HCI socket delivers it.
    ///
    /// - Parameter body: is given what was read, in order. To hand it on costs a quarter less than to keep it.
    /// - Returns: How many whole reports the event held.
    public static func parse(_ frame: Span<UInt8>, _ body: (Reading) -> Void) -> Int {
        guard frame.count >= 4, frame[0] == HCI.eventPacket, frame[1] == HCI.leMetaEvent else {
            body(.discard(.notAdvertising))
            return 0
        }
        let announcedEnd = HCI.headerBytes + Int(frame[2])
        let event = frame.extracting(0..<min(announcedEnd, frame.count))
        let reports: (whole: Int, areAll: Bool)
        switch frame[3] {
        case HCI.advertisingReport: reports = legacyReports(event, body)
        case HCI.extendedAdvertisingReport: reports = extendedReports(event, body)
        default:
            body(.discard(.notAdvertising))
            return 0
        }
        if !reports.areAll || announcedEnd > frame.count { body(.discard(.malformed)) }
        return reports.whole
    }

    /// Whether a packet is an event that reports are expected in.
    public static func isAdvertising(_ frame: Span<UInt8>) -> Bool {
        frame.count >= 4 && frame[0] == HCI.eventPacket && frame[1] == HCI.leMetaEvent
            && (frame[3] == HCI.advertisingReport || frame[3] == HCI.extendedAdvertisingReport)
    }

    /// The same, of a frame that a source has left.
    public static func parse(_ frame: borrowing FrameBuffer, _ body: (Reading) -> Void) -> Int {
        parse(frame.storage.span.extracting(0..<frame.count), body)
    }

    /// The same, kept. `parsed` is emptied first and keeps its storage, so that a steady stream allocates nothing.
    public static func parse(_ frame: Span<UInt8>, into parsed: inout ParsedFrame) {
        parsed.removeAll()
        parsed.reports = parse(frame) { parsed.append($0) }
    }

    /// Parses advertising data alone: a row of AD structures, as they lie in a report.
    public static func parse(advertisingData data: Span<UInt8>, into parsed: inout ParsedFrame) {
        parsed.removeAll()
        parsed.reports = 1
        structures(data, advertiser: nil, rssi: Sighting.noRSSI) { parsed.append($0) }
    }

    /// Event type 1, address type 1, address 6, data length 1, data, RSSI 1. Not all when the event breaks off.
    @inline(__always)
    private static func legacyReports(_ event: Span<UInt8>, _ body: (Reading) -> Void) -> (whole: Int, areAll: Bool) {
        guard event.count > HCI.reportCountOffset, event[HCI.reportCountOffset] > 0 else { return (0, false) }
        let count = Int(event[HCI.reportCountOffset])
        var start = HCI.reportCountOffset + 1
        for number in 0..<count {
            guard start + 9 <= event.count else { return (number, false) }
            let head = event.extracting(start..<(start + 9))
            let data = start + 9
            let rssi = data + Int(head[8])
            guard rssi < event.count else { return (number, false) }
            structures(
                event.extracting(data..<rssi), advertiser: address(head.extracting(2..<8)),
                rssi: Int8(bitPattern: event[rssi]), body)
            start = rssi + 1
        }
        return (count, true)
    }

    /// Event type 2, address type 1, address 6, PHYs 2, set 1, transmit power 1, RSSI 1, periodic interval 2,
    /// direct address 7, data length 1, data. Not all when the event breaks off.
    private static func extendedReports(
        _ event: Span<UInt8>, _ body: (Reading) -> Void
    ) -> (whole: Int, areAll: Bool) {
        guard event.count > HCI.reportCountOffset, event[HCI.reportCountOffset] > 0 else { return (0, false) }
        let count = Int(event[HCI.reportCountOffset])
        var start = HCI.reportCountOffset + 1
        for number in 0..<count {
            guard start + 24 <= event.count else { return (number, false) }
            let head = event.extracting(start..<(start + 24))
            let data = start + 24
            let next = data + Int(head[23])
            guard next <= event.count else { return (number, false) }
            if head[0] & HCI.dataStatusMask != 0 {
                body(.discard(.chained))
            } else {
                structures(
                    event.extracting(data..<next), advertiser: address(head.extracting(3..<9)),
                    rssi: Int8(bitPattern: head[13]), body)
            }
            start = next
        }
        return (count, true)
    }

    /// Walks the AD structures of one report (Core Spec Vol 3 Part C 11). Every manufacturer structure is tried,
    /// flags are never looked at, and unknown types are stepped over.
    @inline(__always)
    private static func structures(
        _ data: Span<UInt8>, advertiser: DeviceAddress?, rssi: Int8, _ body: (Reading) -> Void
    ) {
        guard data.count > 0 else { return body(.discard(.empty)) }
        var lastBeacon: Int?
        var isForeign = true
        var position = 0
        while position < data.count {
            let length = Int(data[position])
            if length == 0 { break }  // Early termination: the rest is padding (Core Spec Vol 3 Part C 11).
            let next = position + 1 + length
            guard next <= data.count else {
                body(.discard(.truncated))
                isForeign = false
                break
            }
            let structure = position
            position = next
            let beacon = data.extracting((structure + 1)..<next)
            guard IBeacon.begins(beacon) else { continue }
            isForeign = false
            guard beacon.count >= IBeacon.structureBodyBytes else {
                body(.discard(.short))
                continue
            }
            // Said twice in one transmission, it was still heard once.
            if let lastBeacon, IBeacon.areSame(data, lastBeacon, structure) { continue }
            lastBeacon = structure
            body(.sighting(IBeacon.sighting(beacon, rssi: rssi, advertiser: advertiser)))
        }
        if isForeign { body(.discard(.foreign)) }
    }

    /// Six bytes, least significant first.
    @inline(__always)
    private static func address(_ bytes: Span<UInt8>) -> DeviceAddress {
        var bits: UInt64 = 0
        for index in 0..<6 { bits |= UInt64(bytes[index]) << (8 * UInt64(index)) }
        return DeviceAddress(bits: bits)
    }
}

/// The HCI numbers that frames are made of (Core Spec Vol 4 Part E).
enum HCI {
    /// Packet type of an event on a UART or a raw socket (Part A 2).
    static let eventPacket: UInt8 = 0x04
    /// Event code of all LE events.
    static let leMetaEvent: UInt8 = 0x3E
    /// Subevent: LE Advertising Report.
    static let advertisingReport: UInt8 = 0x02
    /// Subevent: LE Extended Advertising Report.
    static let extendedAdvertisingReport: UInt8 = 0x0D
    /// Packet type, event code and parameter length.
    static let headerBytes = 3
    /// Where the number of reports stands: behind the subevent code.
    static let reportCountOffset = 4
    /// Bits 5 and 6 of an extended report's event type: 0 means complete.
    static let dataStatusMask: UInt8 = 0x60
}
