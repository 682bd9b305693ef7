// SPDX-License-Identifier: GPL-2.0-or-later

import JSONText
import RegionCore
import RegistryJSON
import Testing

/// What is wrong with a text: `line:column message`, and `→ line:column` where another place is named.
func faults(in text: String) -> [String] {
    do {
        _ = try RegistryReader.read(Array(text.utf8))
        return []
    } catch {
        return error.faults.map { fault in
            let place = fault.position.map { "\($0.line):\($0.column) " } ?? ""
            return place + fault.message + (fault.other.map { " → \($0.line):\($0.column)" } ?? "")
        }
    }
}

private let uuid = "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0"

/// A registry of one beacon with these fields beside its UUID, which begin at line 2, column 1.
private func registry(beacon fields: String) -> String {
    "{\"venueId\":\"h\",\"beacons\":[{\"uuid\":\"\(uuid)\",\n\(fields)}]}"
}

struct RegistryReaderTests {
    @Test func `the shape the trade passes around is read as it is`() throws {
        let text = """
            { "venueId": "hall-a",
              "beacons": [ { "uuid": "\(uuid)", "major": 1001, "minor": 2003,
                             "name": "序厅主展项", "floor": 1, "x": 12.4, "y": 8.1, "txPower": -61 } ] }
            """
        let identity = try #require(BeaconUUID(uuid))
        let beacon = BeaconEntry(
            uuid: identity, major: 1001, minors: 2003...2003, name: "序厅主展项", floor: "1", x: 12.4, y: 8.1,
            calibratedPower: -61)
        #expect(try RegistryReader.read(Array(text.utf8)) == Venue(venueId: "hall-a", beacons: [beacon]))
    }

    @Test func `every key is read to its field`() throws {
        let text = """
            {"venueId": "h", "settings": {"enterRSSI": -70, "exitRSSI": -75.5, "enterHits": 5},
             "receivers": [{"id": "r", "name": "R", "kind": "carried", "floor": "B1", "x": 1, "y": -2, "rssiOffset": -3.5}],
             "regions": [{"identifier": "a", "name": "A", "uuid": "\(uuid)", "major": 1, "minor": 2, "wake": "none",
                          "notifyOnEntry": false, "notifyOnExit": false, "notifyEntryStateOnDisplay": true,
                          "capacity": 30, "settings": {"exit": 90}}],
             "beacons": [{"uuid": "\(uuid)", "major": 1, "minors": "2-65535", "name": "", "id": "whale",
                          "kind": "fixed", "group": "g", "floor": 1.5, "x": 0, "y": 0.25, "txPower": -127}]}
            """
        let identity = try #require(BeaconUUID(uuid))
        var venueSettings = SettingOverrides()
        venueSettings[.enterRSSI] = -70
        venueSettings[.exitRSSI] = -75.5
        venueSettings[.enterHits] = 5
        var regionSettings = SettingOverrides()
        regionSettings[.exit] = 90
        let beacon = BeaconEntry(
            uuid: identity, major: 1, minors: 2...65_535, isRange: true, name: "", exhibit: "whale", kind: .fixed,
            group: "g", floor: "1.5", x: 0, y: 0.25, calibratedPower: -127)
        let region = RegionDefinition(
            identifier: "a", name: "A", scope: RegionScope(uuid: identity, major: 1, minor: 2), wake: WakeRule.none,
            notifyOnEntry: false, notifyOnExit: false, notifyEntryStateOnDisplay: true, capacity: 30,
            settings: regionSettings)
        let receiver = ReceiverEntry(id: "r", name: "R", kind: .carried, floor: "B1", x: 1, y: -2, rssiOffset: -3.5)
        let venue = Venue(
            venueId: "h", beacons: [beacon], regions: [region], receivers: [receiver], settings: venueSettings)
        #expect(try RegistryReader.read(Array(text.utf8)) == venue)
    }

    @Test func `null is the same as leaving an optional key out`() throws {
        func venue(_ beacon: String, _ rest: String = "") throws -> Venue {
            let beacon = "{\"uuid\":\"\(uuid)\",\"major\":1,\"minor\":2\(beacon)}"
            return try RegistryReader.read(Array("{\"venueId\":\"h\"\(rest),\"beacons\":[\(beacon)]}".utf8))
        }
        let keys = ["minors", "name", "id", "kind", "group", "floor", "x", "y", "txPower", "canary"]
        let nulls = keys.map { ",\"\($0)\":null" }.joined()
        let sections = ",\"regions\":null,\"receivers\":null,\"settings\":null,\"shadow\":null"
        #expect(try venue(nulls, sections) == venue(""))
        #expect(try venue("", ",\"settings\":{\"exit\":null}") == venue(""))
    }

    @Test(arguments: [
        uuid, uuid.lowercased(), "e2C56db5-DFFB-48d2-b060-D0F5A71096e0", "E2C56DB5DFFB48D2B060D0F5A71096E0",
    ])
    func `all spellings of a UUID are one beacon`(spelling: String) throws {
        let text = "{\"venueId\":\"h\",\"beacons\":[{\"uuid\":\"\(spelling)\",\"major\":7,\"minor\":0}]}"
        let venue = try RegistryReader.read(Array(text.utf8))
        #expect(venue.beacons.first?.uuid.description == uuid)
    }

    @Test(
        arguments: [
            ("7", nil), ("0", nil), ("65535", nil), ("\"7\"", "is a whole number, not a text: leave out the quotes"),
            ("7.0", "is a whole number in 0…65535, written without fraction or exponent"),
            ("7e0", "is a whole number in 0…65535, written without fraction or exponent"),
            ("65536", "is a whole number in 0…65535"), ("-1", "is a whole number in 0…65535"),
            ("1e99", "is a whole number in 0…65535, written without fraction or exponent"),
            ("99999999999999999999", "is a whole number in 0…65535, written without fraction or exponent"),
            ("true", "is a whole number, not true or false"), ("[7]", "is a whole number, not an array"),
        ] as [(String, String?)])
    func `a major is a whole number that fits`(value: String, expected: String?) {
        let found = faults(in: registry(beacon: "\"minor\":1,\"major\":\(value)"))
        #expect(found == (expected.map { ["2:19 \"major\" \($0)"] } ?? []))
    }

    @Test(
        arguments: [
            ("\"minor\":1", nil), ("\"minors\":\"1-2000\"", nil), ("\"minors\":\"5-5\"", nil),
            ("\"minor\":1,\"minors\":null", nil), ("\"minor\":null,\"minors\":\"0-65535\"", nil),
            ("\"minor\":1,\n\"minors\":\"2-3\"", "3:10 a beacon has \"minor\" or \"minors\", not both → 2:19"),
            ("\"name\":\"\"", "1:27 a beacon needs \"minor\", or \"minors\" for a range of badges"),
            ("\"minors\":\"3-2\"", "2:20 \(minorsFault)"), ("\"minors\":\"1-65536\"", "2:20 \(minorsFault)"),
            ("\"minors\":\"+1-2\"", "2:20 \(minorsFault)"), ("\"minors\":\"1\"", "2:20 \(minorsFault)"),
            ("\"minors\":\"1-2-3\"", "2:20 \(minorsFault)"), ("\"minors\":\"-\"", "2:20 \(minorsFault)"),
            ("\"minors\":\"1–2\"", "2:20 \(minorsFault)"), ("\"minors\":12", "2:20 \(minorsFault)"),
        ] as [(String, String?)])
    func `a beacon has a minor or a range of them`(fields: String, expected: String?) {
        #expect(faults(in: registry(beacon: "\"major\":1,\(fields)")) == (expected.map { [$0] } ?? []))
    }

    private static let minorsFault = "\"minors\" is a text like \"1-2000\": two numbers in 0…65535, the smaller first"

    @Test(arguments: [
        ("\"txPower\":0", "\"txPower\" 0 is no power measured at 1 m: leave it out or write null"),
        ("\"txPower\":-128", "\"txPower\" is a whole number in -127…-1"),
        ("\"kind\":\"Fixed\"", "\"kind\" is one of \"carried\", \"fixed\""),
        ("\"name\":5", "\"name\" is a text in double quotes, not a number"),
        ("\"floor\":true", "\"floor\" is a text in double quotes, not true or false"),
        ("\"x\":\"1\"", "\"x\" is a number, not a text"), ("\"y\":1e7", "\"y\" must lie in -1000000…1000000 m"),
        ("\"id\":\"\"", "an identifier must not be empty"),
        ("\"id\":\"a/b\"", "an identifier has no control characters and no \"/\""),
    ])
    func `a field that is not as it should be is told at its value`(field: String, message: String) {
        let column = 22 + field.prefix { $0 != ":" }.count
        #expect(faults(in: registry(beacon: "\"major\":1,\"minor\":2,\(field)")) == ["2:\(column) \(message)"])
    }

    @Test(
        arguments: [
            ("\"minor\":2,\"canary\":true", nil), ("\"minor\":2,\"canary\":true,\"kind\":\"fixed\"", nil),
            ("\"minor\":2,\"canary\":false,\"kind\":\"carried\"", nil), ("\"minors\":\"2-3\",\"canary\":false", nil),
            ("\"minor\":2,\"canary\":null,\"kind\":\"carried\"", nil),
            ("\"minor\":2,\"canary\":1", "2:30 \"canary\" is true or false, not a number"),
            (
                "\"minors\":\"2-3\",\"canary\":true",
                "2:35 a canary is one beacon: give it \"minor\", not \"minors\" → 2:20"
            ),
            (
                "\"minor\":2,\"canary\":true,\n\"kind\":\"carried\"",
                "2:30 a canary hangs for good: it cannot be carried → 3:8"
            ),
        ] as [(String, String?)])
    func `a canary is one beacon that hangs for good`(fields: String, expected: String?) {
        #expect(faults(in: registry(beacon: "\"major\":1,\(fields)")) == (expected.map { [$0] } ?? []))
    }

    @Test func `a canary is fixed, and is written as it was read`() throws {
        let text = registry(beacon: "\"major\":1,\"minor\":2,\"canary\":true")
        let venue = try RegistryReader.read(Array(text.utf8))
        #expect(venue.beacons.map(\.canary) == [true])
        #expect(venue.beacons.map(\.kind) == [.fixed])
        #expect(try RegistryReader.read(Array(RegistryWriter.text(of: venue).utf8)) == venue)
    }

    @Test(arguments: [
        ("\"Minor2\":1", "did you mean \"minor\"?"), ("\"txpower\":-59", "did you mean \"txPower\"?"),
        ("\"tx_power\":-59", "did you mean \"txPower\"?"), ("\"gruop\":\"g\"", "did you mean \"group\"?"),
        ("\"canari\":true", "did you mean \"canary\"?"),
        (
            "\"_comment\":\"\"",
            "there are: uuid, major, minor, minors, name, id, kind, group, floor, x, y, txPower, canary"
        ),
    ])
    func `an unknown key is refused with the nearest one`(field: String, hint: String) {
        let key = field.prefix { $0 != ":" }
        #expect(
            faults(in: registry(beacon: "\"major\":1,\"minor\":2,\(field)"))
                == ["2:21 \(key) is no key of a beacon; \(hint)"])
    }

    @Test(arguments: [
        "floors", "layouts", "devices", "actions", "margin", "relativeRSSI", "$schema",
    ])
    func `sections whose rule is not built are unknown`(key: String) {
        let found = faults(in: "{\"venueId\":\"h\",\"beacons\":[],\n\"\(key)\":[]}")
        #expect(
            found == [
                "2:1 \"\(key)\" is no key of a registry; there are: venueId, beacons, regions, receivers, settings, "
                    + "shadow"
            ])
    }

    @Test func `settings come from their table`() {
        let settings =
            "\"exitt\":5,\n\"exit\":0,\n\"enterHits\":2.5,\n\"cooldown\":\"60\",\n\"relativeRSSI\":1,\n\"hysteresis\":2"
        #expect(
            faults(in: "{\"venueId\":\"h\",\"beacons\":[],\n\"settings\":{\(settings)}}") == [
                "2:13 \"exitt\" is no key of the settings; did you mean \"exit\"?",
                "3:8 exit must lie in 1…86400 s", "4:13 enterHits must be a whole number",
                "5:12 \"cooldown\" is a number, not a text",
                "6:16 \"relativeRSSI\" is true or false, not a number",
                "7:1 \"hysteresis\" is no key of the settings; there are: "
                    + Setting.allCases.map(\.rawValue).joined(separator: ", "),
            ])
    }

    @Test(arguments: [
        ("{}", ["1:1 a registry needs \"venueId\"", "1:1 a registry needs \"beacons\""]),
        ("[]", ["1:1 a registry is an object in braces, not an array"]),
        ("{\"venueId\":\"h\",\"beacons\":null}", ["1:1 a registry needs \"beacons\""]),
        ("{\"venueId\":\"h\",\"beacons\":{}}", ["1:26 \"beacons\" is an array in brackets, not an object"]),
        ("{\"venueId\":\"h\",\"beacons\":[7]}", ["1:27 a beacon is an object in braces, not a number"]),
        ("{\"venueId\":\"\",\"beacons\":[]}", ["1:12 an identifier must not be empty"]),
        ("{\"venueId\":\"h\",\"beacons\":[]}", []),
    ])
    func `venueId and beacons are required`(text: String, expected: [String]) {
        #expect(faults(in: text) == expected)
    }
}
