// SPDX-License-Identifier: GPL-2.0-or-later

import RegionCore
import Testing

/// Things that went wrong for people who run scanners: bytes in, what must come out.
struct FieldCaseTests {
    static let uuid = "A1B2C3D4-E5F6-4708-8910-1112131415AB"

    static func beacon(_ minor: UInt16, power: Int8 = -59, rssi: Int8 = 127, from address: String? = nil) -> Sighting? {
        BeaconUUID(uuid).map { uuid in
            Sighting(
                beacon: BeaconIdentity(uuid: uuid, major: 7, minor: minor), measuredPower: power, rssi: rssi,
                advertiser: address.flatMap { DeviceAddress($0) })
        }
    }

    static func event(_ text: String) -> ParsedFrame { event(hex(text)) }

    static func event(_ bytes: [UInt8]) -> ParsedFrame {
        var parsed = ParsedFrame()
        AdvertisingParser.parse(bytes.span, into: &parsed)
        return parsed
    }

    static func data(_ text: String) -> ParsedFrame { data(hex(text)) }

    static func data(_ bytes: [UInt8]) -> ParsedFrame {
        var parsed = ParsedFrame()
        AdvertisingParser.parse(advertisingData: bytes.span, into: &parsed)
        return parsed
    }

    @Test func `P-01 every report of an event is used, each with its own address and RSSI`() {
        let parsed = Self.event(
            """
            043e5c02030301010000eeffc01e0201061aff4c000215a1b2c3d4e5f6470889101112131415ab00070102c5bf0401020000eeffc000a6\
            0301030000eeffc01e0201061aff4c000215a1b2c3d4e5f6470889101112131415ab00070103c5b3
            """)
        #expect(
            parsed.sightings == [
                Self.beacon(258, rssi: -65, from: "C0:FF:EE:00:00:01"),
                Self.beacon(259, rssi: -77, from: "C0:FF:EE:00:00:03"),
            ])
        #expect(parsed.discards == [.empty])
        #expect(parsed.reports == 3)
    }

    @Test func `P-02 counts and lengths are not taken on trust`() {
        let base = "0301010000eeffc01e0201061aff4c000215a1b2c3d4e5f6470889101112131415ab00070102c5bf"
        let tooMany = Self.event("043e2a0205" + base)
        #expect(tooMany.sightings == [Self.beacon(258, rssi: -65, from: "C0:FF:EE:00:00:01")])
        #expect(tooMany.discards == [.malformed])
        let tooLong = Self.event("043e2a02010301010000eeffc0ff" + base.dropFirst(18))
        #expect(tooLong.sightings.isEmpty)
        #expect(tooLong.discards == [.malformed])
        for length in 0..<baseEvent.count {
            let parsed = Self.event(Array(baseEvent.prefix(length)))
            #expect(parsed.sightings.isEmpty)
            #expect(!parsed.discards.isEmpty)
        }
        #expect(Self.event(baseEvent).sightings == [Self.beacon(258, rssi: -65, from: "C0:FF:EE:00:00:01")])
    }

    @Test func `P-03 the reports of an event lie one behind the other`() {
        let parsed = Self.event(
            """
            043e3a02020000020000eeffc00605ff5900aabba8\
            0301010000eeffc01e0201061aff4c000215a1b2c3d4e5f6470889101112131415ab00070102c5ca
            """)
        #expect(parsed.sightings == [Self.beacon(258, rssi: -54, from: "C0:FF:EE:00:00:01")])
        #expect(parsed.discards == [.foreign])
        #expect(parsed.reports == 2)
    }

    @Test(arguments: ["020104", "02011a", "020105"])
    func `P-04 flags neither accept nor refuse a beacon`(flags: String) {
        let parsed = Self.data(flags + "1aff4c000215a1b2c3d4e5f6470889101112131415ab00070102c5")
        #expect(parsed.sightings == [Self.beacon(258)])
        #expect(parsed.discards.isEmpty)
    }

    @Test func `P-05 every manufacturer structure is tried, in scan responses too`() {
        let second = Self.data("03ff59001aff4c000215a1b2c3d4e5f6470889101112131415ab00070102c5")
        #expect(second.sightings == [Self.beacon(258)])
        let response = Self.event(
            """
            043e340202000101 0000eeffc003020106bf\
            040101 0000eeffc01b1aff4c000215a1b2c3d4e5f6470889101112131415ab00070102c5bf
            """)
        #expect(response.sightings == [Self.beacon(258, rssi: -65, from: "C0:FF:EE:00:00:01")])
        #expect(response.discards == [.foreign])
    }

    @Test func `P-06 a payload shorter than the layout is counted, and the next one parses`() {
        #expect(Self.data("02010607ff4c000215a1b2").discards == [.short])
        let fields = Array(baseData.suffix(21))
        for length in 0...20 {
            let data = [0x02, 0x01, 0x06, UInt8(5 + length), 0xFF, 0x4C, 0x00, 0x02, 0x15] + fields.prefix(length)
            let parsed = Self.data(data)
            #expect(parsed.sightings.isEmpty)
            #expect(parsed.discards == [.short])
        }
        #expect(Self.data(baseData).sightings == [Self.beacon(258)])
    }

    @Test(arguments: [("c5", -59), ("80", -128), ("00", 0), ("7f", 127), ("ff", -1)] as [(String, Int8)])
    func `P-10 the power byte is signed and not judged`(byte: String, power: Int8) {
        let parsed = Self.data("0201061aff4c000215a1b2c3d4e5f6470889101112131415ab00070102" + byte)
        #expect(parsed.sightings == [Self.beacon(258, power: power)])
    }

    @Test(arguments: ["02010605094fffc328", "0201060409e5ba8f", "0201060309e5ba"])
    func `P-14 a name that is no UTF-8 ends nothing`(data: String) {
        let parsed = Self.data(data)
        #expect(parsed.sightings.isEmpty)
        #expect(parsed.discards == [.foreign])
        #expect(Self.event(baseEvent).sightings == [Self.beacon(258, rssi: -65, from: "C0:FF:EE:00:00:01")])
    }

    @Test func `P-16 foreign frames are counted, and unknown types stepped over`() {
        let microsoft = "1eff06000109200b30557a9fc4e90e33587da2c7ec11365b80a5caef14395e"
        for foreign in [microsoft, "0201060aff4c0010050118" + "0a0b0c"] {
            let parsed = Self.data(foreign)
            #expect(parsed.sightings.isEmpty)
            #expect(parsed.discards == [.foreign])
        }
        let unknownType = Self.data("022d001aff4c000215a1b2c3d4e5f6470889101112131415ab00070102c5")
        #expect(unknownType.sightings == [Self.beacon(258)])
        #expect(unknownType.discards.isEmpty)
    }

    @Test func `P-17 trailing bytes are ignored, another inner length or company is no iBeacon`() {
        let fields = "a1b2c3d4e5f6470889101112131415ab00070102c5"
        #expect(Self.data("1bff4c000215" + fields + "64").sightings == [Self.beacon(258)])
        #expect(Self.data("1cff4c000215" + fields + "6465").sightings == [Self.beacon(258)])
        for other in ["1bff4c000216" + fields + "64", "1aff59000215" + fields] {
            let parsed = Self.data(other)
            #expect(parsed.sightings.isEmpty)
            #expect(parsed.discards == [.foreign])
        }
    }
}
