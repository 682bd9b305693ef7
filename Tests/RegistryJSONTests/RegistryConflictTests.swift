// SPDX-License-Identifier: GPL-2.0-or-later

import JSONText
import RegionCore
import RegistryJSON
import Testing

private let uuid = "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0"

struct RegistryConflictTests {
    @Test(arguments: [
        (
            "two entries, the UUID in two spellings",
            """
            {"venueId": "h", "beacons": [
              {"uuid": "\(uuid)", "major": 1, "minor": 2, "name": "one"},
              {"uuid": "\(uuid.lowercased())", "major": 1, "minor": 2, "name": "two"}]}
            """, "3:73 the beacon \(uuid)/1/2 is listed twice → 2:73"
        ),
        (
            "a number in a range",
            """
            {"venueId": "h", "beacons": [{"uuid": "\(uuid)", "major": 1, "minors": "1-9"},
              {"uuid": "\(uuid)", "major": 1, "minor": 9}]}
            """, "2:73 the beacon \(uuid)/1/9 is listed twice → 1:101"
        ),
        (
            "a key of an object",
            """
            {"venueId": "h", "beacons": [{"uuid": "\(uuid)", "major": 1, "minor": 2,
              "major": 1}]}
            """, "2:3 the key \"major\" stands twice in this object, first at line 1, column 79"
        ),
        (
            "two arrays of beacons",
            """
            {"venueId": "h", "beacons": [],
              "beacons": []}
            """, "2:3 the key \"beacons\" stands twice in this object, first at line 1, column 18"
        ),
        (
            "two regions of one name",
            """
            {"venueId": "h", "beacons": [], "regions": [
              {"identifier": "a", "uuid": "\(uuid)"},
              {"identifier": "a", "uuid": "\(uuid)", "major": 1}]}
            """, "3:18 the identifier \"a\" is given twice → 2:18"
        ),
        (
            "an id that is a derived name",
            """
            {"venueId": "h", "beacons": [
              {"uuid": "\(uuid)", "major": 1, "minor": 2, "id": "h.1"}]}
            """, "2:82 \"h.1\" is the name of a region derived from the beacons → 2:61"
        ),
        (
            "two receivers of one id",
            """
            {"venueId": "h", "beacons": [], "receivers": [{"id": "a"},
              {"id": "a"}]}
            """, "2:10 the receiver \"a\" is listed twice → 1:54"
        ),
        (
            "limits out of order between venue and region",
            """
            {"venueId": "h", "beacons": [], "settings": {"exitRSSI": -72},
              "regions": [{"identifier": "a", "uuid": "\(uuid)", "settings": {"enterRSSI": -75}}]}
            """,
            "2:109 exitRSSI is above enterRSSI: it must lie below, and the gap is the hysteresis → 1:58"
        ),
        (
            "a region with a minor alone",
            """
            {"venueId": "h", "beacons": [], "regions": [
              {"identifier": "a", "uuid": "\(uuid)", "minor": 1}]}
            """, "2:80 a region with a minor needs the major too"
        ),
    ])
    func `what is at odds is told with both places`(what: String, text: String, expected: String) {
        #expect(faults(in: text) == [expected], "\(what)")
    }

    @Test func `a registry with ten faults has ten lines, in file order`() {
        let text = """
            {"venueId": "h/1",
             "settings": {"exit": 0},
             "receivers": [{"id": "r"},
                           {"id": "r", "rssiOffset": 99}],
             "beacons": [
               {"uuid": "\(uuid)", "major": 1, "minor": 2},
               {"uuid": "sadassasd", "major": 35, "minor": 35},
               {"uuid": "\(uuid)", "major": 65536, "minor": 2},
               {"uuid": "\(uuid)", "major": 1, "minor": 2, "kind": "walking"},
               {"uuid": "\(uuid)", "major": 2},
               {"uuid": "\(uuid)", "major": 3, "minor": 3, "colour": "red"}]}
            """
        #expect(
            faults(in: text).map { String($0.prefix { $0 != " " }) } == [
                "1:13", "2:23", "4:23", "4:42", "7:13", "8:62", "9:74", "9:85", "10:4", "11:77",
            ])
    }

    @Test func `a name is not said to be derived where some beacons could not be read`() {
        let text = """
            {"venueId": "h", "beacons": [{"uuid": "\(uuid)", "major": 1, "minor": 2, "id": "h.1"},
              {"uuid": "another", "major": 1, "minor": 2}]}
            """
        #expect(faults(in: text).count == 1, "with two UUIDs h.1 would be nobody's name")
    }

    @Test func `beyond twenty faults the rest is a number`() {
        let beacons = Array(repeating: "{\"uuid\":\"x\",\"major\":-1,\"minor\":1}", count: 30).joined(separator: ",\n")
        let refusal = #expect(throws: RegistryRefusal.self) {
            try RegistryReader.read(Array("{\"venueId\":\"h\",\"beacons\":[\(beacons)]}".utf8))
        }
        #expect(refusal?.faults.count == 20)
        #expect(refusal?.more == 40)
        #expect(refusal?.description.hasSuffix("\nand 40 more") == true)
        #expect(refusal?.summary.hasSuffix("(and 59 more)") == true)
    }

    @Test func `a refusal reads as people write it`() {
        let refusal = #expect(throws: RegistryRefusal.self) {
            try RegistryReader.read(
                Array("{\"venueId\":\"h\",\"beacons\":[],\"receivers\":[{\"id\":\"a\"},{\"id\":\"a\"}]}".utf8))
        }
        #expect(
            refusal?.description
                == "line 1, column 59: the receiver \"a\" is listed twice; the other is at line 1, column 48")
        #expect(refusal?.summary == refusal?.description)
    }

    @Test(arguments: ["", " \n", "{\"venueId\": \"h\", \"beacons\": [", "{\"venueId\": \"h"])
    func `an empty or half-written file has a message of its own`(text: String) {
        let refusal = #expect(throws: RegistryRefusal.self) { try RegistryReader.read(Array(text.utf8)) }
        #expect(refusal?.isCutOff == true)
        let isEmpty = text.allSatisfy(\.isWhitespace)
        #expect(refusal?.summary.contains(isEmpty ? "the file is empty" : "the text ends") == true)
    }
}
