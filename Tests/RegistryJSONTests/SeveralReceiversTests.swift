// SPDX-License-Identifier: GPL-2.0-or-later

import Foundation
import JSONText
import RegionCore
import RegistryJSON
import Testing

private let uuid = "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0"

/// What a registry says of several receivers: groups, the regions that name them, limits that serve all, the shadow.
struct SeveralReceiversTests {
    /// A registry of three receivers, two of them a group, with these fields in its one region.
    private func registry(region: String, rest: String = "") -> String {
        """
        {"venueId": "h", "beacons": [], "receivers": [{"id": "a", "group": "hall"}, {"id": "b", "group": "hall"}, {"id": "c"}],
        "regions": [{"identifier": "r", "uuid": "\(uuid)", \(region)}]\(rest)}
        """
    }

    private func read(_ text: String) throws -> Venue { try RegistryReader.read(Array(text.utf8)) }

    @Test func `regions name receivers, and receivers their group`() throws {
        let venue = try read(registry(region: #""receivers": ["a", "hall", "c"], "unregistered": true"#))
        #expect(venue.regions?.first?.receivers == ["a", "hall", "c"])
        #expect(venue.regions?.first?.unregistered == true)
        #expect(venue.receivers.map(\.group) == ["hall", "hall", nil])
        #expect(venue.receivers.map(\.station) == ["hall", "hall", "c"])
        let plain = try read(registry(region: #""receivers": null, "unregistered": null"#))
        #expect(plain.regions?.first?.receivers == nil)
        #expect(plain.regions?.first?.unregistered == false)
    }

    @Test(arguments: [
        (
            #""receivers": ["c", "gate"]"#,
            #"2:100 "gate" is no receiver that the registry lists, and no group of receivers"#
        ),
        (
            #""receivers": []"#,
            #"2:94 a region with no receiver has no beacon either: leave "receivers" out for any receiver"#
        ),
        (#""receivers": "c""#, #"2:94 "receivers" is an array in brackets, not a text"#),
        (#""receivers": ["c", 5]"#, #"2:100 "receivers" is a text in double quotes, not a number"#),
        (#""unregistered": 1"#, #"2:97 "unregistered" is true or false, not a number"#),
        (
            #""major": 1, "minor": 2, "unregistered": true"#,
            "2:121 a region of one beacon has nothing unregistered to take: leave the minor out → 2:102"
        ),
    ])
    func `what is wrong with a region's receivers is told at its place`(region: String, fault: String) {
        #expect(faults(in: registry(region: region)) == [fault])
    }

    @Test func `a group has a name that is an identifier and no receiver's outside it`() {
        func found(_ receivers: String) -> [String] {
            faults(in: "{\"venueId\":\"h\",\"beacons\":[],\"receivers\":[\n\(receivers)]}")
        }
        #expect(found(#"{"id":"a","group":"a"},{"id":"b","group":"a"}"#).isEmpty)
        #expect(
            found(#"{"id":"a"},{"id":"b","group":"a"},{"id":"c","group":"a"}"#)
                == [#"2:30 the group "a" has the name of a receiver that is not in it → 2:7"#])
        #expect(found(#"{"id":"a","group":""}"#) == ["2:19 an identifier must not be empty"])
        #expect(found(#"{"id":"a","group":7}"#) == ["2:19 \"group\" is a text in double quotes, not a number"])
    }

    @Test func `a receiver that could not be read is not said to be missing as well`() {
        let text = """
            {"venueId":"h","beacons":[],"receivers":[
            {"name":"no id"}],
            "regions":[{"identifier":"r","uuid":"\(uuid)","receivers":["a"]}]}
            """
        #expect(faults(in: text) == ["2:1 a receiver needs \"id\""])
    }

    @Test(arguments: [
        ("\"enterRSSI\": -19.5, \"exitRSSI\": 3, \"relativeRSSI\": true", "", ["1:73 \(order) → 1:54"]),
        ("\"enterRSSI\": 4.5, \"relativeRSSI\": true", "", []),
        ("\"enterRSSI\": 0", "", ["1:54 0 dBm \(never)"]),
        ("\"enterRSSI\": 4.5", "\"exit\": 90", ["1:54 4.5 dBm \(never)"]),
        ("\"relativeRSSI\": true", "\"enterRSSI\": 4", []),
        (
            "\"enterRSSI\": 4, \"relativeRSSI\": true", "\"relativeRSSI\": false",
            ["2:105 4 dBm \(never) → 1:54"]
        ),
        ("\"relativeRSSI\": false", "\"exitRSSI\": 2", ["2:101 2 dBm \(never) → 1:57"]),
    ])
    func `a limit of 0 and above is for relativeRSSI only, venue and region together`(
        venue: String, region: String, expected: [String]
    ) {
        let text = """
            {"venueId":"h","beacons":[],"settings":{\(venue)},
            "regions":[{"identifier":"r","uuid":"\(uuid)","settings":{ \(region)}}]}
            """
        #expect(faults(in: text) == expected)
    }

    private static let never = "is never reached: a limit lies below 0, or \"relativeRSSI\" is true beside it"
    private static let order = "exitRSSI is above enterRSSI: it must lie below, and the gap is the hysteresis"

    @Test func `the shadow takes the default of what it leaves out, not the venue's`() throws {
        func shadow(_ text: String) throws -> NearestRule? {
            try read(
                "{\"venueId\":\"h\",\"beacons\":[],\"settings\":{\"margin\":9},\"shadow\":\(text)}"
            ).shadow
        }
        let (margin, evidence) = (Setting.margin.row.defaultValue, Setting.leadEvidence.row.defaultValue)
        #expect(try shadow("{}") == NearestRule(margin: #require(margin), leadEvidence: #require(evidence)))
        #expect(try shadow("{\"margin\":1}") == NearestRule(margin: 1, leadEvidence: #require(evidence)))
        #expect(try shadow("{\"margin\":0,\"leadEvidence\":8.5}") == NearestRule(margin: 0, leadEvidence: 8.5))
        #expect(try shadow("null") == nil)
        #expect(
            faults(in: "{\"venueId\":\"h\",\"beacons\":[],\n\"shadow\":{\"margin\":41,\"exit\":5}}") == [
                "2:20 margin must lie in 0…40 dB",
                "2:23 \"exit\" is no key of the shadow; there are: margin, leadEvidence",
            ])
    }

    @Test func `what the writer writes is read back as the same venue`() throws {
        let text = registry(
            region: #""receivers": ["hall", "c"], "unregistered": true, "settings": {"relativeRSSI": false}"#,
            rest: #", "settings": {"relativeRSSI": true, "margin": 3.25}, "shadow": {"leadEvidence": 2}"#)
        let venue = try read(text)
        let written = RegistryWriter.text(of: venue)
        #expect(written.contains(#""relativeRSSI":true"#))
        #expect(written.contains(#""relativeRSSI":false"#))
        #expect(try read(written) == venue)
    }

    @Test func `every key of the schema comes back from the writer`() throws {
        let venue = try read(try Self.document("Sources/RegistryJSON/RegistryJSON.docc/Registry.md"))
        #expect(venue.receivers.count { $0.group == "long-hall" } == 2)
        #expect(venue.regions?.contains { $0.receivers != nil } == true)
        #expect(venue.shadow != nil)
        #expect(try read(RegistryWriter.text(of: venue)) == venue)
    }

    /// The first `json` block of a document.
    private static func document(_ path: String) throws -> String {
        let root = URL(filePath: #filePath).appending(path: "../../..").standardized
        let text = try String(contentsOf: root.appending(path: path), encoding: .utf8)
        let block = try #require(text.components(separatedBy: "```json\n").dropFirst().first)
        return block.components(separatedBy: "\n```")[0]
    }
}
