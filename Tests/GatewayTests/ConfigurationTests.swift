// SPDX-License-Identifier: GPL-2.0-or-later

import Foundation
import HallSimulator
import RegionCore
import Testing

@testable import Gateway

struct ConfigurationTests {
    private func configuration(_ text: String, set: [String] = []) throws -> Configuration {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).json").path
        try text.write(toFile: path, atomically: true, encoding: .utf8)
        defer { try? FileManager.default.removeItem(atPath: path) }
        return try Configuration(file: path, set: set)
    }

    private func refusal(_ text: String, set: [String] = []) -> GatewayError? {
        do {
            _ = try configuration(text, set: set)
            return nil
        } catch { return error as? GatewayError }
    }

    @Test func `the printed defaults are read back as the defaults`() throws {
        let read = try configuration(Configuration.defaultsText())
        var expected = Configuration()
        for setting in Setting.allCases { expected.defaults[setting] = setting.row.defaultValue }
        #expect(read == expected)
    }

    @Test func `comments and trailing commas are welcome`() throws {
        let read = try configuration("{ // the box\n \"gateway\": \"box-1\", \"exit\": 30, }")
        #expect(read.gateway == "box-1")
        #expect(read.defaults[.exit] == 30)
    }

    @Test(arguments: [
        ("{\"portt\": 1}", "line 1, column 2"), ("{\n  \"port\": 65536}", "line 2, column 3"),
        ("{\"exit\": \"long\"}", "exit is a number"), ("{\"exit\": 0}", "exit must lie in"),
        ("{\"relativeRSSI\": 1}", "relativeRSSI is true or false"),
        ("[1]", "one JSON object"), ("{\"port\": 1", "line 1"), ("{\"source\": 3}", "source is a text"),
        ("{\"source\": [\"hci:0\", 1]}", "array of texts"),
        ("{\"source\": []}", "one at least"),
    ])
    func `a fault is refused with its place`(text: String, message: String) throws {
        let refusal = try #require(self.refusal(text))
        #expect(refusal.kind == .refused)
        #expect(refusal.description.contains(message), "\(refusal)")
    }

    @Test func `a source is one text or several`() throws {
        #expect(try configuration(#"{"source": "hci:0"}"#).sources == ["hci:0"])
        #expect(try configuration(#"{"source": ["hci:0", "hci:1"]}"#).sources == ["hci:0", "hci:1"])
        #expect(try configuration(#"{"source": ["hci:0", "hci:1"]}"#, set: ["source=hci:2"]).sources == ["hci:2"])
        #expect(try configuration(#"{"source": null}"#).sources == [])
    }

    @Test func `what is set on the command line wins over the venue, and a region's own stays`() throws {
        let read = try configuration("{\"exit\": 40}", set: ["exit=30", "port=0"])
        var venueSettings = SettingOverrides()
        venueSettings[.exit] = 50
        venueSettings[.cooldown] = 5
        let venue = read.applied(to: Venue(venueId: "v", beacons: [], settings: venueSettings))
        #expect(venue.settings[.exit] == 30)
        #expect(venue.settings[.cooldown] == 5)
        #expect(read.port == 0)
    }

    @Test func `a flag is true or false in the file, after --set and in what is printed and stored`() throws {
        let read = try configuration("{\"relativeRSSI\": true, \"margin\": 3}", set: ["relativeRSSI=false"])
        #expect(read.defaults[.relativeRSSI] == 1)
        #expect(read.overrides[.relativeRSSI] == 0)
        #expect(read.text.hasSuffix(#""defaults":{"relativeRSSI":true,"margin":3.0},"set":{"relativeRSSI":false}}"#))
        #expect(try configuration("{}", set: ["relativeRSSI=true"]).overrides[.relativeRSSI] == 1)
        #expect(Configuration.defaultsText().contains("\"relativeRSSI\": false,"))
    }

    @Test(arguments: [
        "exit", "exit=", "exit=long", "exits=3", "port=70000", "gateway=", "enterHits=2.5", "relativeRSSI=1",
    ])
    func `a bad assignment is a usage error that says what there is`(assignment: String) throws {
        let refusal = try #require(self.refusal("{}", set: [assignment]))
        #expect(refusal.kind == .usage)
        #expect(refusal.description.contains(assignment))
    }
}

struct SourceTextTests {
    @Test func `a source text is read whole`() throws {
        let source = try SourceText("simulated:stress?seed=9&speed=2.5&from=0&duty=saver&receiver=gate&for=60")
        #expect(source.kind == .hall(plan: "stress", seed: 9))
        #expect(source.speed == 2.5)
        #expect(source.from == .zero)
        #expect(source.span == .seconds(60))
        #expect(source.receiver == "gate")
        #expect(source.duty == .saver)
        #expect(try SourceText("hci").kind == .radio(.any))
        #expect(try SourceText("hci:1?duty=gate").kind == .radio(.index(1)))
        #expect(
            try SourceText("hci:00:1a:7D:DA:71:13").kind == .radio(.address(DeviceAddress(bits: 0x1A_7DDA_7113))))
        #expect(try SourceText("hci:unix:/run/hci").kind == .radio(.socket(path: "/run/hci")))
        #expect(try SourceText("capture:a:b/c.gz?speed=10").kind == .capture(path: "a:b/c.gz"))
    }

    @Test(arguments: [
        "", "hall", "simulated:", "simulated:maze", "capture:", "capture:x?seed=1", "simulated:hall?seed=x",
        "simulated:hall?speed=0", "simulated:hall?sped=1", "simulated:hall?seed=1&seed=2", "simulated:hall?duty=often",
        "hci:", "hci:x", "hci:00:1A:7D:DA:71", "hci:unix:", "hci:0?speed=2", "hci:0?seed=1", "capture:x?duty=saver",
    ])
    func `what is no source is a usage error`(text: String) {
        #expect(throws: GatewayError.self) { try SourceText(text) }
    }

    @Test func `an exit time below two duty cycles is refused with what is needed`() throws {
        var settings = SettingOverrides()
        settings[.exit] = 20
        let beacon = BeaconEntry(uuid: BeaconUUID(high: 1, low: 2), major: 1, minors: 1...1)
        let registry = Registry(venue: Venue(venueId: "v", beacons: [beacon], settings: settings))
        let problem = try SourceText("simulated:hall?duty=saver").dutyProblem(with: registry)
        #expect(problem?.contains("60.0 s") == true)
        #expect(try SourceText("simulated:hall").dutyProblem(with: registry) == nil)
    }
}
