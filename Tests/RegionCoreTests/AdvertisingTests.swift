// SPDX-License-Identifier: GPL-2.0-or-later

import RegionCore
import Testing

/// Bytes of a hex text; blanks are for the reader.
func bytes(_ hex: String) -> [UInt8] {
    let digits = hex.filter { $0 != " " }.compactMap(\.hexDigitValue)
    return stride(from: 0, to: digits.count - 1, by: 2).map { UInt8(digits[$0] * 16 + digits[$0 + 1]) }
}

func parse(_ frame: [UInt8]) -> ParsedFrame {
    var parsed = ParsedFrame()
    AdvertisingParser.parse(frame.span, into: &parsed)
    return parsed
}

struct AdvertisingTests {
    static let beacon = BeaconIdentity(
        uuid: BeaconUUID(high: 0xA1B2_C3D4_E5F6_4708, low: 0x8910_1112_1314_15AB), major: 7, minor: 258)
    static let address = DeviceAddress(bits: 0xC0FF_EE00_0001)

    static func event(extended: Bool = false) -> [UInt8] {
        var data: [UInt8] = []
        AdvertisingEncoder.appendIBeacon(beacon, measuredPower: -59, to: &data)
        let report = AdvertisingEncoder.Report(address: address, data: data, rssi: -65)
        var frame: [UInt8] = []
        if extended {
            AdvertisingEncoder.appendExtendedEvent(report, to: &frame)
        } else {
            AdvertisingEncoder.appendLegacyEvent(report, to: &frame)
        }
        return frame
    }

    @Test func `the encoder writes the bytes of the specification`() {
        #expect(
            Self.event()
                == bytes(
                    """
                    04 3e 2a 02 01 03 01 01 00 00 ee ff c0 1e 02 01 06 1a ff 4c 00 02 15 \
                    a1b2c3d4e5f6470889101112131415ab 0007 0102 c5 bf
                    """))
    }

    @Test(arguments: [false, true])
    func `a report comes back as it was encoded`(extended: Bool) {
        let parsed = parse(Self.event(extended: extended))
        #expect(
            parsed.sightings == [
                Sighting(beacon: Self.beacon, measuredPower: -59, rssi: -65, advertiser: Self.address)
            ])
        #expect(parsed.discards.isEmpty)
    }

    @Test(arguments: [false, true])
    func `no cut of a frame is a sighting`(extended: Bool) {
        let whole = Self.event(extended: extended)
        for length in 0..<whole.count {
            let parsed = parse(Array(whole[..<length]))
            #expect(parsed.sightings.isEmpty)
            #expect(!parsed.discards.isEmpty)
        }
    }

    @Test func `an event that says more reports than it holds keeps the whole ones`() {
        var frame = Self.event()
        frame[4] = 5
        #expect(parse(frame).sightings.count == 1)
        #expect(parse(frame).discards == [.malformed])
    }

    @Test func `a data length beyond the event is malformed`() {
        var frame = Self.event()
        frame[13] = 0xFF
        #expect(parse(frame).sightings.isEmpty)
        #expect(parse(frame).discards == [.malformed])
    }

    @Test func `an event of no reports is malformed`() {
        #expect(parse(bytes("04 3e 02 02 00")).discards == [.malformed])
    }

    @Test func `a piece of a chained report is counted and gives nothing`() {
        var frame = Self.event(extended: true)
        frame[5] |= 0x20
        #expect(parse(frame).sightings.isEmpty)
        #expect(parse(frame).discards == [.chained])
    }

    @Test func `a beacon said twice in one report was heard once`() {
        var data: [UInt8] = []
        AdvertisingEncoder.appendIBeacon(Self.beacon, measuredPower: -59, to: &data)
        AdvertisingEncoder.appendIBeacon(Self.beacon, measuredPower: -59, to: &data)
        var frame: [UInt8] = []
        AdvertisingEncoder.appendLegacyEvent(
            AdvertisingEncoder.Report(address: Self.address, data: data, rssi: -65), to: &frame)
        #expect(parse(frame).sightings.count == 1)
    }
}
