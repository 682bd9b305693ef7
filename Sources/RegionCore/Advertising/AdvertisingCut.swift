// SPDX-License-Identifier: GPL-2.0-or-later

/// Which part of an advertisement a row of bytes is. People cut it out at seven places; the table at `IBeacon` shows
/// where the inner ones begin.
public enum AdvertisingCut: String, CaseIterable, Sendable {
    /// A whole HCI event, with its packet type byte 04 or without.
    case hci
    /// Advertising data: a row of AD structures.
    case ad
    /// One AD structure of manufacturer data with its length byte: 27 bytes of an iBeacon.
    case structure
    /// The same without its length byte: 26 bytes.
    case structureBody
    /// Manufacturer data from the company identifier on: 25 bytes.
    case manufacturer
    /// Apple's part, from 02 15 on: 23 bytes.
    case apple
    /// The bare fields: 21 bytes.
    case fields

    /// The cut that these bytes are, told by how they begin.
    ///
    /// Each beginning but that of bare fields is one that no other cut can have: as AD structures 3E, 4C and FF would
    /// be longer than an advertisement, and type 15 with one byte holds no UUID. 21 bytes without such a beginning are
    /// taken for bare fields unless they can be read as AD structures, whole or cut off.
    public init(recognising bytes: [UInt8]) {
        if bytes.starts(with: [HCI.eventPacket, HCI.leMetaEvent]) || Self.isBareEvent(bytes) {
            self = .hci
        } else if bytes.starts(with: [0xFF, 0x4C, 0x00]) {
            self = .structureBody
        } else if bytes.starts(with: [0x4C, 0x00]) {
            self = .manufacturer
        } else if bytes.starts(with: [0x02, 0x15]) {
            self = .apple
        } else if bytes.count == Self.fieldsBytes, !Self.mayBeStructures(bytes) {
            self = .fields
        } else if bytes.first == 0xFF {
            self = .structureBody
        } else if bytes.count > 1, bytes[1] == 0xFF, Int(bytes[0]) + 1 >= bytes.count {
            self = .structure
        } else {
            self = .ad
        }
    }

    /// Reads bytes of this cut. What they lack is put before them; where the input has no RSSI it is 127.
    public func decode(_ bytes: [UInt8]) -> DecodedRow {
        var parsed = ParsedFrame()
        switch self {
        case .hci:
            let frame = bytes.first == HCI.leMetaEvent ? [HCI.eventPacket] + bytes : bytes
            AdvertisingParser.parse(frame.span, into: &parsed)
        case .ad, .structure: AdvertisingParser.parse(advertisingData: bytes.span, into: &parsed)
        case .structureBody: return decode(structureBody: bytes)
        case .manufacturer: return decode(structureBody: Self.prefix(1) + bytes)
        case .apple: return decode(structureBody: Self.prefix(3) + bytes)
        case .fields: return decode(structureBody: Self.prefix(5) + bytes)
        }
        return DecodedRow(cut: self, sightings: parsed.sightings, discards: parsed.discards)
    }

    private func decode(structureBody body: [UInt8]) -> DecodedRow {
        guard IBeacon.begins(body.span) else { return DecodedRow(cut: self, sightings: [], discards: [.foreign]) }
        guard body.count >= IBeacon.structureBodyBytes else {
            return DecodedRow(cut: self, sightings: [], discards: [.short])
        }
        let sighting = IBeacon.sighting(body.span, rssi: Sighting.noRSSI, advertiser: nil)
        return DecodedRow(cut: self, sightings: [sighting], discards: [])
    }

    /// UUID, major, minor and power.
    private static let fieldsBytes = 21

    /// The first bytes of an iBeacon's structure body.
    private static func prefix(_ count: Int) -> [UInt8] { (0..<count).map { IBeacon.prefix[$0] } }

    /// An LE event without its packet type byte: event code, length, subevent.
    private static func isBareEvent(_ bytes: [UInt8]) -> Bool {
        bytes.count > 2 && bytes[0] == HCI.leMetaEvent
            && (bytes[2] == HCI.advertisingReport || bytes[2] == HCI.extendedAdvertisingReport)
    }

    /// Whether a walk meets only structures that fit a legacy advertisement and are of assigned types, the last of
    /// which may be cut off, and then zeros. Of random UUIDs fewer than one in a hundred may.
    private static func mayBeStructures(_ bytes: [UInt8]) -> Bool {
        var position = 0
        while position < bytes.count, bytes[position] > 0 {
            guard bytes[position] <= longestStructure else { return false }
            if position + 1 < bytes.count, !isAssigned(adType: bytes[position + 1]) { return false }
            position += 1 + Int(bytes[position])
        }
        return position > 0 && bytes.dropFirst(position).allSatisfy { $0 == 0 }
    }

    /// Legacy advertising data is 31 bytes, length byte included.
    private static let longestStructure: UInt8 = 30

    /// Assigned Numbers 2.3, with room for a few more.
    private static func isAssigned(adType: UInt8) -> Bool { 0x01...0x3F ~= adType || adType == 0xFF }
}

/// What one row of bytes held.
public struct DecodedRow: Equatable, Sendable {
    /// The cut it was taken for.
    public var cut: AdvertisingCut
    /// The beacons in it, in order; the RSSI is 127 and the advertiser nil where the row has none.
    public var sightings: [Sighting]
    /// Why other parts of it gave none.
    public var discards: [Discard]

    /// A row of these parts.
    public init(cut: AdvertisingCut, sightings: [Sighting], discards: [Discard]) {
        self.cut = cut
        self.sightings = sightings
        self.discards = discards
    }
}
