// SPDX-License-Identifier: GPL-2.0-or-later

import RadioCapture
import RegionCore
import Testing
import Time

struct SightingLineTests {
    static let uuid = "A1B2C3D4-E5F6-4708-8910-1112131415AB"
    static let beacon = #""uuid":"\#(uuid)","major":7,"minor":258"#

    static func sighting(power: Int8?, rssi: Int8, address: String?) throws -> Sighting {
        Sighting(
            beacon: BeaconIdentity(uuid: try #require(BeaconUUID(uuid)), major: 7, minor: 258), measuredPower: power,
            rssi: rssi, advertiser: address.flatMap { DeviceAddress($0) })
    }

    @Test func `the three kinds of line are read, with and without what may be missing`() throws {
        let file = try CaptureFile(
            lines: """
                {"t":12.350,"receiver":"Room201","address":"C0:FF:EE:00:00:01",\(Self.beacon),"measuredPower":-59,"rssi":-65}
                {"t":20,"receiver":"Room201","listening":false}
                {"t":20.5,"receiver":null,"listening":true}

                {"rssi":null,"t":1e1,\(Self.beacon),"measuredPower":null,"address":null}\r
                {"t":61.0,"tick":true}
                { "minor" : 258 , "t" : 0 , "uuid":"a1b2c3d4e5f6470889101112131415ab", "major":7 }
                """)
        let reading = try file.read()
        #expect(reading.error == nil)
        let bare = try Self.sighting(power: nil, rssi: 127, address: nil)
        #expect(
            reading.inputs == [
                .sighting(try Self.sighting(power: -59, rssi: -65, address: "C0:FF:EE:00:00:01")), .listening(false),
                .listening(true), .sighting(bare), .tick, .sighting(bare),
            ])
        #expect(
            reading.instants.map(\.nanoseconds) == [12_350, 20_000, 20_500, 10_000, 61_000, 0].map { $0 * 1_000_000 })
        #expect(reading.status.start == nil)
        #expect(reading.status.receivers == ["Room201"])
    }

    @Test func `calendar times count from the first line, and may go back`() throws {
        let file = try CaptureFile(
            lines: """
                {"time":"2026-11-30T09:00:01.25Z",\(Self.beacon)}
                {"time":"2026-11-30T10:00:02+01:00",\(Self.beacon)}
                {"time":"2026-11-30T09:00:00.25Z",\(Self.beacon)}
                """)
        let reading = try file.read()
        #expect(reading.instants.map(\.nanoseconds) == [0, 750_000_000, -1_000_000_000])
        #expect(reading.status.start == WallTime(rfc3339: "2026-11-30T09:00:01.25Z"))
    }

    @Test(arguments: [
        (#"{"t":1,"uuid":"x","major":7,"minor":258}"#, "line 2, column 15: \"uuid\" is 32 hex digits"),
        (#"{"t":1,\#(beacon),"major":8}"#, "line 2, column 76: the key \"major\" stands twice"),
        (#"{"t":1,\#(beacon),"rssi":128}"#, "line 2, column 83: a whole number from -128 to 127"),
        (#"{"t":1,\#(beacon),"rssi":-65.5}"#, "line 2, column 83: a whole number from -128 to 127"),
        (#"{"t":1,\#(beacon),"rsi":-65}"#, "line 2, column 76: the key \"rsi\" is not known"),
        (#"{"t":1,"uuid":"\#(uuid)","major":65536,"minor":0}"#, "line 2, column 62: a whole number from 0 to 65535"),
        (#"{"t":1,"uuid":"\#(uuid)","major":null,"minor":0}"#, "line 2, column 62: a whole number"),
        (#"{"t":1,"uuid":"\#(uuid)","major":7}"#, "line 2, column 1: \"uuid\", \"major\" and \"minor\" are needed"),
        (#"{"t":-0.1,\#(beacon)}"#, "line 2, column 6: \"t\" is seconds since the start"),
        (#"{"t":1e300,\#(beacon)}"#, "line 2, column 6: \"t\" is seconds"),
        (#"{"t":"1",\#(beacon)}"#, "line 2, column 6: \"t\" is seconds"),
        (#"{\#(beacon)}"#, "line 2, column 1: the time is missing"),
        (#"{"t":1,"time":"2026-11-30T09:00:01Z",\#(beacon)}"#, "line 2, column 15: \"t\" and \"time\" cannot both"),
        (#"{"time":"2026-11-30T09:00:01",\#(beacon)}"#, "line 2, column 9: \"time\" is RFC 3339 with its zone"),
        (#"{"time":"2026-11-30T09:00:01Z",\#(beacon)}"#, "line 2, column 1: the lines before this one told the time"),
        (#"{"t":1,\#(beacon),"address":"C0:FF:EE"}"#, "line 2, column 86: \"address\" is six bytes"),
        (#"{"t":1,\#(beacon),"receiver":""}"#, "line 2, column 87: \"receiver\" is a text of 1 to 64 bytes"),
        (#"{"t":1,\#(beacon),"tick":true}"#, "line 2, column 1: a line says one thing"),
        (#"{"t":1,"tick":true,"listening":true}"#, "line 2, column 1: a line says one thing"),
        (#"{"t":1,"tick":false}"#, "line 2, column 15: \"tick\" can only be true"),
        (#"{"t":1,"listening":0}"#, "line 2, column 20: \"listening\" is true or false"),
        (#"[1]"#, "line 2, column 1: a line is one object, not an array"),
        (#"{"t":1"#, "line 2, column 7: "), (#"{"t":1,\#(beacon)} {}"#, "line 2, column "),
        (#"{"t":1,\#(beacon),"receiver":"é","x":1}"#, "line 2, column 91: the key \"x\" is not known"),
    ])
    func `a bad line is refused with its place, or counted`(line: String, said: String) throws {
        let good = #"{"t":0,\#(Self.beacon)}"#
        let file = try CaptureFile(lines: "\(good)\n\(line)\n\(good)\n")
        let strict = try file.read()
        #expect(strict.inputs.count == 1)
        let description = try #require(strict.error?.description)
        #expect(description.hasPrefix("\(file.path): \(said)"), "\(description)")
        let lenient = try file.read(skipsBadLines: true)
        #expect(lenient.inputs.count == 2)
        #expect(lenient.error == nil)
        #expect(lenient.status.badLines == 1)
        #expect(lenient.status.firstBadLine == strict.error)
    }

    @Test(arguments: [65_536, 65_537, 300_000, 1_000_000])
    func `a line longer than 64 KiB is refused, or stepped over whole`(bytes: Int) throws {
        let good = #"{"t":0,\#(Self.beacon)}"#
        let long = good + String(repeating: " ", count: bytes - good.utf8.count)
        let file = try CaptureFile(lines: "\(good)\n\(long)\n\(good)")
        let isTooLong = bytes > 65_536
        #expect(
            try file.read().error?.description.contains("line 2, column 1: the line is longer than 64 KiB")
                ?? !isTooLong)
        let lenient = try file.read(skipsBadLines: true)
        #expect(lenient.inputs.count == (isTooLong ? 2 : 3))
        #expect(lenient.status.badLines == (isTooLong ? 1 : 0))
    }

    @Test func `many packed lines are read whole, and only so many receivers remembered`() throws {
        let lines = (0..<5_000).map { #"{"t":\#($0),"receiver":"r\#($0 % 100)",\#(Self.beacon),"rssi":-\#($0 % 100)}"# }
        let file = try CaptureFile(gzip(Array(lines.joined(separator: "\n").utf8)))
        let reading = try file.read()
        #expect(reading.error == nil)
        #expect(reading.sightings.map(\.rssi) == (0..<5_000).map { -Int8($0 % 100) })
        #expect(reading.instants.last == .boot + .seconds(4_999))
        #expect(reading.status.receivers == (0..<64).map { "r\($0)" })
        #expect(reading.progress == 1)
    }
}
