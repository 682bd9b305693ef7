// SPDX-License-Identifier: GPL-2.0-or-later

import Time

/// What a report, or what came instead of one, is read as.
public enum Reading: Equatable, Sendable {
    /// A beacon was heard.
    case sighting(Sighting)
    /// Why it gave no sighting, and whose report it was: nil where no report is at hand, only bytes, or what is left
    /// of a chain that was given up.
    case discard(Discard, from: DeviceAddress?)
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
        case .discard(let reason, _): discards.append(reason)
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
        event(frame, body) { head, _ in
            guard head[0] & HCI.dataStatusMask != 0 else { return false }
            body(.discard(.chained, from: address(head.extracting(3..<9))))
            return true
        }
    }

    /// The same, of a frame that a source has left.
    public static func parse(_ frame: borrowing FrameBuffer, _ body: (Reading) -> Void) -> Int {
        parse(frame.storage.span.extracting(0..<frame.count), body)
    }

    /// The same for a stream: the pieces of extended reports are put together. A piece gives nothing until its chain
    /// is whole.
    ///
    /// - Parameters:
    ///   - chains: what is open; costs a report that is no piece one look.
    ///   - instant: when the frame came.
    public static func parse(
        _ frame: Span<UInt8>, joining chains: inout ReportChains, at instant: Instant, _ body: (Reading) -> Void
    ) -> Int {
        if !chains.isEmpty {
            for _ in 0..<chains.dropOld(at: instant) { body(.discard(.chained, from: nil)) }
        }
        return event(frame, body) { head, data in
            if head[0] & HCI.dataStatusMask == 0, chains.isEmpty { return false }
            return join(data, head: head, to: &chains, at: instant, body)
        }
    }

    /// The same, of a frame that a source has left.
    public static func parse(
        _ frame: borrowing FrameBuffer, joining chains: inout ReportChains, at instant: Instant,
        _ body: (Reading) -> Void
    ) -> Int {
        parse(frame.storage.span.extracting(0..<frame.count), joining: &chains, at: instant, body)
    }

    /// Tells what a frame holds and walks its reports; `takesPiece` is offered each extended one.
    @inline(__always)
    private static func event(
        _ frame: Span<UInt8>, _ body: (Reading) -> Void, takesPiece: (Span<UInt8>, Span<UInt8>) -> Bool
    ) -> Int {
        guard frame.count >= 4, frame[0] == HCI.eventPacket, frame[1] == HCI.leMetaEvent else {
            body(.discard(.notAdvertising, from: nil))
            return 0
        }
        let announcedEnd = HCI.headerBytes + Int(frame[2])
        let event = frame.extracting(0..<min(announcedEnd, frame.count))
        let reports: (whole: Int, areAll: Bool)
        switch frame[3] {
        case HCI.advertisingReport: reports = legacyReports(event, body)
        case HCI.extendedAdvertisingReport: reports = extendedReports(event, body, takesPiece: takesPiece)
        default:
            body(.discard(.notAdvertising, from: nil))
            return 0
        }
        if !reports.areAll || announcedEnd > frame.count { body(.discard(.malformed, from: nil)) }
        return reports.whole
    }

    /// Whether a packet is an event that reports are expected in.
    public static func isAdvertising(_ frame: Span<UInt8>) -> Bool {
        frame.count >= 4 && frame[0] == HCI.eventPacket && frame[1] == HCI.leMetaEvent
            && (frame[3] == HCI.advertisingReport || frame[3] == HCI.extendedAdvertisingReport)
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
    @inline(__always)
    private static func extendedReports(
        _ event: Span<UInt8>, _ body: (Reading) -> Void, takesPiece: (Span<UInt8>, Span<UInt8>) -> Bool
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
            let payload = event.extracting(data..<next)
            if !takesPiece(head, payload) {
                structures(
                    payload, advertiser: address(head.extracting(3..<9)), rssi: Int8(bitPattern: head[13]), body)
            }
            start = next
        }
        return (count, true)
    }

    /// Puts a piece to its chain, and reads the data of one that is whole. False: it is no piece.
    ///
    /// Truncated data (the controller lost the rest) ends a chain: what is whole in it is used. Status 3 is reserved,
    /// and an anonymous advertiser has no address that its pieces could be known by.
    private static func join(
        _ data: Span<UInt8>, head: Span<UInt8>, to chains: inout ReportChains, at instant: Instant,
        _ body: (Reading) -> Void
    ) -> Bool {
        let advertiser = address(head.extracting(3..<9))
        let status = head[0] & HCI.dataStatusMask
        let isAnonymous = head[2] == HCI.anonymous
        guard status != HCI.dataStatusMask, !isAnonymous || status == 0 else {
            body(.discard(.chained, from: advertiser))
            return true
        }
        if isAnonymous { return false }
        let key = advertiser.bits | UInt64(head[2]) << 48 | UInt64(head[11]) << 56
        let rssi = Int8(bitPattern: head[13])
        var dropped = 0
        let outcome = chains.take(
            data, key: key, isLast: status != HCI.moreToCome, rssi: rssi, at: instant, dropped: &dropped)
        for _ in 0..<dropped { body(.discard(.chained, from: nil)) }
        switch outcome {
        case .taken: return true
        case .refused: body(.discard(.chained, from: advertiser))
        case .alone:
            if status == 0 { return false }
            structures(data, advertiser: advertiser, rssi: rssi, isCut: true, body)
        case .joined(let joined):
            structures(
                chains.storage.span.extracting(joined.data), advertiser: advertiser, rssi: joined.rssi,
                isCut: status != 0, body)
        }
        return true
    }

    /// Walks the AD structures of one report (Core Spec Vol 3 Part C 11). Every manufacturer structure is tried,
    /// flags are never looked at, and unknown types are stepped over. `isCut`: the controller said that data is missing.
    @inline(__always)
    private static func structures(
        _ data: Span<UInt8>, advertiser: DeviceAddress?, rssi: Int8, isCut: Bool = false, _ body: (Reading) -> Void
    ) {
        guard data.count > 0 else { return body(.discard(.empty, from: advertiser)) }
        if isCut { body(.discard(.truncated, from: advertiser)) }
        var lastBeacon: Int?
        var isForeign = !isCut
        var position = 0
        while position < data.count {
            let length = Int(data[position])
            if length == 0 { break }  // Early termination: the rest is padding (Core Spec Vol 3 Part C 11).
            let next = position + 1 + length
            guard next <= data.count else {
                if !isCut { body(.discard(.truncated, from: advertiser)) }
                isForeign = false
                break
            }
            let structure = position
            position = next
            let beacon = data.extracting((structure + 1)..<next)
            guard IBeacon.begins(beacon) else { continue }
            isForeign = false
            guard beacon.count >= IBeacon.structureBodyBytes else {
                body(.discard(.short, from: advertiser))
                continue
            }
            // Said twice in one transmission, it was still heard once.
            if let lastBeacon, IBeacon.areSame(data, lastBeacon, structure) { continue }
            lastBeacon = structure
            body(.sighting(IBeacon.sighting(beacon, rssi: rssi, advertiser: advertiser)))
        }
        if isForeign { body(.discard(.foreign, from: advertiser)) }
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
    /// Bits 5 and 6 of an extended report's event type: 0 means complete, both are reserved.
    static let dataStatusMask: UInt8 = 0x60
    /// Data status: incomplete, more to come. The other bit alone: incomplete, truncated.
    static let moreToCome: UInt8 = 0x20
    /// Address type of an advertiser that sends no address.
    static let anonymous: UInt8 = 0xFF
}
