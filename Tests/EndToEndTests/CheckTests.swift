// SPDX-License-Identifier: GPL-2.0-or-later

import JSONText
import TestKit
import Testing

@Suite(.ownThreads) struct CheckTests {
    private let folder: Folder

    init() throws { folder = try Folder() }

    /// Ten faults, one a line from line 3 on.
    private static let faulty = """
        { "venueId": "hall-a",
          "beacons": [
            { "uuid": "\(Sample.uuid)", "major": 65536, "minor": 1 },
            { "uuid": "\(Sample.uuid)", "major": 1, "minor": -1 },
            { "uuid": "not-a-uuid", "major": 1, "minor": 2 },
            { "uuid": "\(Sample.uuid)", "major": 1 },
            { "uuid": "\(Sample.uuid)", "major": 1, "minor": 4, "colour": "red" },
            { "uuid": "\(Sample.uuid)", "major": 1, "minors": "9-5" },
            { "uuid": "\(Sample.uuid)", "major": 1, "minor": 7, "kind": "flying" },
            { "uuid": "\(Sample.uuid)", "major": 1, "minor": 8, "txPower": "strong" },
            { "uuid": "\(Sample.uuid)", "major": 1, "minor": 4 },
            { "uuid": "\(Sample.uuid)", "major": "one", "minor": 10 }
          ] }
        """

    @Test func `ten faults are ten lines, each with its place`() throws {
        let registry = try folder.write("registry.json", Self.faulty)
        for arguments in [["check"], ["run", "simulated:hall"], ["replay", "simulated:hall"]] {
            let outcome = try Regiond.run(arguments + ["--registry", registry])
            #expect(outcome.code == 3)
            #expect(outcome.output.isEmpty)
            #expect(outcome.errors.contains(registry))
            for line in 3...12 {
                #expect(outcome.errors.contains("\nline \(line), column "), "\(line): \(outcome.errors)")
            }
        }
        let json = try Regiond.run(["check", "--registry", registry, "--json"])
        #expect(json.code == 3)
        let answer = try JSONReader.read(Array(json.output.utf8))
        #expect(answer["ok"]?.boolValue == false)
        #expect(answer["faults"]?.arrayValue?.compactMap { $0["line"]?.integerValue } == Array(3...12))
    }

    @Test func `two beacons with one identity are named both`() throws {
        let registry = try folder.write(
            "registry.json",
            """
            { "venueId": "hall-a", "beacons": [
              { "uuid": "\(Sample.uuid)", "major": 1, "minors": "1-10" },
              { "uuid": "\(Sample.uuid.lowercased())", "major": 1, "minor": 5 } ] }
            """)
        let outcome = try Regiond.run(["check", "--registry", registry])
        #expect(outcome.code == 3)
        #expect(outcome.errors.contains("line 3, column"))
        #expect(outcome.errors.contains("line 2, column"))
    }

    @Test func `a good registry is summed up, and what is seldom meant is said`() throws {
        let registry = try folder.write("registry.json", Sample.registry)
        let good = try Regiond.run(["check", "--registry", registry])
        #expect(good.code == 0)
        #expect(good.output.contains("999 identities"))
        #expect(!good.output.contains("warning"))
        let placed = try folder.write(
            "placed.json",
            """
            { "venueId": "hall-a",
              "beacons": [ { "uuid": "\(Sample.uuid)", "major": 7, "minor": 1, "x": 1.5, "y": 2 } ] }
            """)
        let warned = try Regiond.run(["check", "--registry", placed])
        #expect(warned.code == 0)
        #expect(warned.output.contains("warning: 1 beacons have x and y"))
        let json = try Regiond.run(["check", "--registry", placed, "--json"])
        let answer = try JSONReader.read(Array(json.output.utf8))
        #expect(answer["ok"]?.boolValue == true)
        #expect(answer["identities"]?.integerValue == 1)
        #expect(answer["warnings"]?.arrayValue?.count == 1)
    }

    @Test func `several receivers with or without a place, and regions that share them, are nothing to warn of`() throws
    {
        let registry = try folder.write(
            "registry.json",
            """
            { "venueId": "hall-a", "settings": { "margin": 3, "relativeRSSI": true, "enterRSSI": 2 },
              "receivers": [ { "id": "a" }, { "id": "b", "group": "east" }, { "id": "c", "group": "east" } ],
              "regions": [
                { "identifier": "one", "uuid": "\(Sample.uuid)", "receivers": ["a", "b"], "settings": { "leadEvidence": 2 } },
                { "identifier": "two", "uuid": "\(Sample.uuid)", "receivers": ["b", "east"], "unregistered": true } ],
              "beacons": [ { "uuid": "\(Sample.uuid)", "major": 7, "minor": 1 } ] }
            """)
        let outcome = try Regiond.run(["check", "--registry", registry])
        #expect(outcome.code == 0, "\(outcome.errors)")
        #expect(outcome.output.contains("2 regions, 3 receivers"))
        #expect(!outcome.output.contains("warning"))
        let relative = try Regiond.run(["check", "--registry", registry, "--set", "relativeRSSI=maybe"])
        #expect(relative.code == 2)
        #expect(relative.errors.contains("relativeRSSI is true or false, not 'maybe'"))
    }

    @Test func `a list without beacons is warned of only where no region takes others`() throws {
        for (flag, isWarnedOf) in [("true", false), ("false", true)] {
            let registry = try folder.write(
                "registry-\(flag).json",
                """
                { "venueId": "hall-a", "beacons": [],
                  "regions": [ { "identifier": "all", "uuid": "\(Sample.uuid)", "unregistered": \(flag) } ] }
                """)
            let outcome = try Regiond.run(["check", "--registry", registry])
            #expect(outcome.code == 0, "\(outcome.errors)")
            #expect(outcome.output.contains("lists no beacons") == isWarnedOf)
        }
    }

    @Test func `a store that is there gives hints, and one that cannot be read refuses nothing`() throws {
        let registry = try folder.write("registry.json", Sample.registry)
        let lines = try folder.write(
            "slow.ndjson", Sample.lines(heard: (0..<40).map { 24 * Double($0) }, until: 1_000))
        let store = folder.file("slow.db")
        let arguments = ["check", "--registry", registry, "--db", store]
        let before = try Regiond.run(arguments)
        #expect(before.lines.count == 1)
        #expect(try Regiond.run(["replay", "capture:\(lines)", "--registry", registry, "--db", store]).code == 0)
        let after = try Regiond.run(arguments)
        let hint = "\(Sample.uuid)/7/258: heard every 24 s: set enterWindow 75 and exit 145"
        #expect(after.lines == before.lines + ["hint: \(hint)"])
        #expect(after.code == 0)
        let json = try JSONReader.read(Array(try Regiond.run(arguments + ["--json"]).output.utf8))
        #expect(json["hints"]?.arrayValue?.compactMap(\.stringValue) == [hint])
        let settled = try Regiond.run(arguments + ["--set", "enterWindow=75", "--set", "exit=145"])
        #expect(settled.lines == before.lines)
        let duty = try Regiond.run(arguments + ["--set", "source=hci:0?duty=saver"])
        #expect(duty.lines == before.lines)
        let broken = try folder.write("broken.db", "no store")
        let outcome = try Regiond.run(["check", "--registry", registry, "--db", broken])
        #expect(outcome.code == 0)
        #expect(outcome.lines.last?.hasPrefix("note: the store was not looked at for hints: ") == true)
    }

    @Test func `the printed defaults are a configuration that changes nothing`() throws {
        let printed = try Regiond.run(["check", "--print-defaults"])
        #expect(printed.code == 0)
        let configuration = try folder.write("regiond.json", printed.output)
        let arguments = ["replay", "simulated:hall?for=600", "--json", "--drain"]
        let plain = try Regiond.run(arguments)
        let configured = try Regiond.run(arguments + ["--config", configuration])
        #expect(configured.code == 0, "\(configured.errors)")
        #expect(configured.output == plain.output)
    }

    @Test func `a faulty configuration says where`() throws {
        let registry = try folder.write("registry.json", Sample.registry)
        let unknown = try folder.write("unknown.json", "{\n  // a comment\n  \"prot\": 8420,\n}\n")
        let range = try folder.write("range.json", "{\n  \"exit\": 0\n}\n")
        for (path, place) in [(unknown, "line 3, column 3"), (range, "line 2, column 3")] {
            let outcome = try Regiond.run(["check", "--registry", registry, "--config", path])
            #expect(outcome.code == 3)
            #expect(outcome.errors.contains("\(path): \(place): "), "\(outcome.errors)")
        }
        let missing = try Regiond.run(["check", "--registry", registry, "--config", folder.file("missing")])
        #expect(missing.code == 1)
        #expect(missing.errors.contains(folder.file("missing")))
    }
}
