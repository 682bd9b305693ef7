// SPDX-License-Identifier: GPL-2.0-or-later

/// The one beacon format in force by default. `RegionCore.docc/IBeacon.md` lists its fields with the offsets people
/// count from three different starts.
enum IBeacon {
    /// Bytes of an iBeacon's structure body.
    static let structureBodyBytes = 26
    /// AD type, company, type and length: what an iBeacon begins with.
    @inline(__always)
    static var prefix: [5 of UInt8] { [0xFF, 0x4C, 0x00, 0x02, 0x15] }

    /// Whether an AD structure body begins like an iBeacon's.
    @inline(__always)
    static func begins(_ body: Span<UInt8>) -> Bool {
        body.count >= 5 && body[0] == prefix[0] && body[1] == prefix[1] && body[2] == prefix[2]
            && body[3] == prefix[3] && body[4] == prefix[4]
    }

    /// Reads an AD structure body that begins like an iBeacon's and is long enough. Bytes after the power are ignored:
    /// some makers append a battery level.
    @inline(__always)
    static func sighting(_ body: Span<UInt8>, rssi: Int8, advertiser: DeviceAddress?) -> Sighting {
        let fields = body.extracting(5..<structureBodyBytes)
        let identity = BeaconIdentity(
            uuid: BeaconUUID(high: word(fields, at: 0), low: word(fields, at: 8)),
            major: UInt16(fields[16]) << 8 | UInt16(fields[17]),
            minor: UInt16(fields[18]) << 8 | UInt16(fields[19]))
        return Sighting(
            beacon: identity, measuredPower: Int8(bitPattern: fields[20]), rssi: rssi, advertiser: advertiser)
    }

    /// Whether two whole iBeacon structures, given by where their length bytes lie, say the same.
    static func areSame(_ data: Span<UInt8>, _ first: Int, _ second: Int) -> Bool {
        (1...structureBodyBytes).allSatisfy { data[first + $0] == data[second + $0] }
    }

    private static func word(_ bytes: Span<UInt8>, at start: Int) -> UInt64 {
        var word: UInt64 = 0
        for index in start..<(start + 8) { word = word << 8 | UInt64(bytes[index]) }
        return word
    }
}
