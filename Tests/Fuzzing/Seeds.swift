// SPDX-License-Identifier: GPL-2.0-or-later

import RegionCore

/// Good inputs, made by our own encoder or written out here.
enum Seeds {
    private static let beacon = BeaconIdentity(
        uuid: BeaconUUID(high: 0xE2C5_6DB5_DFFB_48D2, low: 0xB060_D0F5_A710_96E0), major: 7, minor: 258)

    /// Data of an iBeacon, of one said twice, with padding, of something else, and none.
    static let advertisingData: [[UInt8]] = {
        var once: [UInt8] = []
        AdvertisingEncoder.appendIBeacon(beacon, measuredPower: -59, to: &once)
        return [once, once + once[3...], once + [0, 0, 0], [2, 1, 6, 5, 0x16, 0xAA, 0xFE, 0x20, 0], []]
    }()

    static let events: [[UInt8]] = {
        let reports = advertisingData.map {
            AdvertisingEncoder.Report(address: DeviceAddress(bits: 0xC0FF_EE00_0001), data: $0, rssi: -65)
        }
        var events = reports.map { report in
            var frame: [UInt8] = []
            AdvertisingEncoder.appendExtendedEvent(report, to: &frame)
            return frame
        }
        var several: [UInt8] = []
        AdvertisingEncoder.appendLegacyEvent([reports[0], reports[3], reports[2]], to: &several)
        events.append(several)
        for report in reports {
            var frame: [UInt8] = []
            AdvertisingEncoder.appendLegacyEvent(report, to: &frame)
            events.append(frame)
        }
        return events
    }()

    /// A beacon in two pieces, with somebody else's first piece between, begun twice, cut short, and never ended.
    static let pieces: [[UInt8]] = {
        let data = advertisingData[0]
        let cut = data.count - 10
        func piece(_ sender: UInt8, _ status: UInt8, _ bytes: ArraySlice<UInt8>) -> [UInt8] {
            [sender, status, 1, UInt8(bytes.count)] + bytes
        }
        let (first, last) = (data[..<cut], data[cut...])
        return [
            piece(1, 0x20, first) + piece(2, 0x20, first) + piece(1, 0, last),
            piece(1, 0x20, first) + piece(1, 0x20, first) + piece(1, 0, last),
            piece(1, 0x20, first) + piece(1, 0x40, last), piece(1, 0x20, first),
        ]
    }()

    /// Frames behind one another, a byte of length before each.
    static let streams: [[UInt8]] = [events.flatMap { [UInt8($0.count)] + $0 }]

    // MARK: Captures

    /// One file for each datalink, and one packed.
    static let btsnoop: [[UInt8]] = {
        // Flags: a received event, as each datalink says it.
        let plain = [(1_001, 1, 3), (1_002, 0, 3), (2_001, 1, 3)].map { datalink, skipped, flags in
            var file = Array("btsnoop\0".utf8) + bigEndian(1, 4) + bigEndian(datalink, 4)
            for (number, event) in events.enumerated() {
                let packet = event.dropFirst(skipped)
                file += bigEndian(packet.count, 4) + bigEndian(packet.count, 4) + bigEndian(flags, 4) + bigEndian(0, 4)
                file += bigEndian(0x00E0_3AB4_4A67_6000 + number * 1_000, 8) + packet
            }
            return file
        }
        return plain + [packed(plain[1])]
    }()

    static let sightings: [[UInt8]] = {
        let fields = "\"uuid\":\"\(beacon.uuid)\",\"major\":7,\"minor\":258"
        let seconds = """
            {"t":12.350,"receiver":"Room201","address":"C0:FF:EE:00:00:01",\(fields),"measuredPower":-59,"rssi":-65}
            {"t":20.0,"receiver":"Room201","listening":false}
            {"t":61.0,"tick":true}
            {"t":62,\(fields),"rssi":null}

            """
        let calendar = """
            {"time":"2026-11-30T09:00:01.25Z",\(fields),"rssi":-65}
            {"time":"2026-11-30T09:00:02Z"
            """
        return [seconds, calendar + ",\"tick\":true}\r\n", calendar + "}\n"].map { Array($0.utf8) }
    }()

    private static func bigEndian(_ value: Int, _ bytes: Int) -> [UInt8] {
        (0..<bytes).map { UInt8(truncatingIfNeeded: value >> (8 * (bytes - 1 - $0))) }
    }

    /// gzip (RFC 1952) with one stored block.
    private static func packed(_ bytes: [UInt8]) -> [UInt8] {
        func littleEndian(_ value: Int, _ count: Int) -> [UInt8] { bigEndian(value, count).reversed() }
        var crc: UInt32 = 0xFFFF_FFFF
        for byte in bytes {
            crc ^= UInt32(byte)
            for _ in 0..<8 { crc = crc & 1 == 1 ? crc >> 1 ^ 0xEDB8_8320 : crc >> 1 }
        }
        return [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3, 1] + littleEndian(bytes.count, 2)
            + littleEndian(0xFFFF ^ bytes.count, 2) + bytes + littleEndian(Int(~crc), 4) + littleEndian(bytes.count, 4)
    }

    // MARK: JSON

    static let json: [[UInt8]] = [
        #"{"a":[1,-2.5e3,true,false,null,"text \u00e9\ud83d\ude00\n"],"b":{"c":{}},"d":9223372036854775807}"#,
        "[ // a comment\n 1, /* another */ 2,\n]", "\"序厅主展项\"", "-0.0", "[[[[[[]]]]]]",
    ].map { Array($0.utf8) }

    static let registry: [[UInt8]] = [
        """
        {"venueId":"hall-a","beacons":[
        {"uuid":"\(beacon.uuid)","major":1001,"minor":2003,"name":"序厅主展项","floor":1,"x":12.4,"txPower":-61},
        {"uuid":"\(beacon.uuid)","major":9,"minors":"1-20","kind":"carried","group":"G-12"},
        {"uuid":"\(beacon.uuid)","major":8,"minor":1,"id":"dome","kind":"fixed","floor":"G"}]}
        """,
        """
        {"venueId":"hall-b","settings":{"exit":30,"enterRSSI":-75},"beacons":[],
        "receivers":[{"id":"gate","name":"Gate","kind":"fixed","floor":1,"x":0,"y":0,"rssiOffset":2}],
        "regions":[{"identifier":"all","name":"All","uuid":"\(beacon.uuid)","wake":"each","notifyOnEntry":true,
        "notifyOnExit":false,"notifyEntryStateOnDisplay":true,"capacity":40,"settings":{"cooldown":0,"exitRSSI":-80}},
        {"identifier":"one","uuid":"\(beacon.uuid)","major":1,"minor":2,"wake":"none"}]}
        """,
    ].map { Array($0.utf8) }
}
