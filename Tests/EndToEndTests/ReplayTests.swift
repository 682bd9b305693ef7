// SPDX-License-Identifier: GPL-2.0-or-later

import Foundation
import HallSimulator
import JSONText
import RadioCapture
import RegionCore
import RegistryJSON
import TestKit
import Testing
import Time

@Suite(.ownThreads) struct ReplayTests {
    private let folder: Folder

    init() throws { folder = try Folder() }

    /// A badge heard once a second from second 0 to 9, as HCI events in a btsnoop file of 2026-11-30 at nine.
    private func btsnoop(_ name: String = "visit.btsnoop") throws -> String {
        let start = try #require(WallTime(rfc3339: "2026-11-30T09:00:00Z"))
        let path = folder.file(name)
        var writer = try BtsnoopWriter.create(path: path)
        let uuid = try #require(BeaconUUID(Sample.uuid))
        for second in 0..<10 {
            var data: [UInt8] = []
            AdvertisingEncoder.appendIBeacon(
                BeaconIdentity(uuid: uuid, major: 7, minor: 258), measuredPower: -59, to: &data)
            let report = [4, 0x3E, UInt8(12 + data.count), 2, 1, 3, 1, 1, 0, 0, 0xEE, 0xFF, 0xC0, UInt8(data.count)]
            try writer.append(report + data + [0xBF], at: start + .seconds(second))
        }
        try writer.flush()
        return path
    }

    @Test func `a btsnoop capture gives its visit, at the times it was recorded`() throws {
        let outcome = try Regiond.run(["replay", "capture:\(try btsnoop())", "--drain", "--json"])
        #expect(outcome.code == 0)
        #expect(outcome.events.map(\.type) == ["enter", "exit"])
        #expect(outcome.events.map(\.at).prefix(2) == ["2026-11-30T09:00:00.000000Z", "2026-11-30T09:00:09.000000Z"])
        #expect(outcome.events[1].detectedAt == "2026-11-30T09:01:09.000000Z")
        #expect(outcome.events.allSatisfy { $0.json["source"]?.stringValue == "capture" })
    }

    @Test func `the last line sums up what was heard`() throws {
        let outcome = try Regiond.run(["replay", "capture:\(try btsnoop())", "--json"])
        let summary = try JSONReader.read(Array(try #require(outcome.lines.last).utf8))
        #expect(summary["type"]?.stringValue == "summary")
        #expect(summary["reports"]?.integerValue == 10)
        let sums = summary["iBeacon"]
        #expect(sums?["count"]?.integerValue == 10)
        #expect(sums?["sumMajor"]?.integerValue == 70)
        #expect(sums?["sumMinor"]?.integerValue == 2_580)
        #expect(sums?["sumPower"]?.integerValue == -590)
        #expect(sums?["sumRSSI"]?.integerValue == -650)
        #expect(sums?["xorUUID"]?.stringValue == String(repeating: "0", count: 32))
        #expect(summary["events"]?.integerValue == 1)
        #expect(outcome.errors.contains("10 reports"))
    }

    @Test func `sightings as lines are replayed, in text for people`() throws {
        let capture = try folder.write("visit.ndjson", Sample.visit)
        let outcome = try Regiond.run(["replay", "capture:\(capture)"])
        #expect(outcome.code == 0)
        #expect(outcome.lines.count == 2)
        #expect(outcome.lines.first?.hasPrefix("00:00:02  → enter  ") == true, "\(outcome.output)")
        #expect(outcome.lines.last?.hasPrefix("00:01:10  ← exit ") == true, "\(outcome.output)")
    }

    @Test func `time ends with the input, unless every deadline is to run out`() throws {
        let capture = try folder.write("visit.ndjson", Sample.lines(heard: [0, 1, 2], until: 3))
        #expect(try Regiond.run(["replay", "capture:\(capture)", "--json"]).events.map(\.type) == ["enter"])
        let drained = try Regiond.run(["replay", "capture:\(capture)", "--json", "--drain"])
        // Three regions had a cooldown running: each has its own answer at the end of it.
        #expect(drained.events.map(\.type) == ["enter", "exit", "wake", "wake", "wake"])
        #expect(
            drained.events.map(\.detectedAt).suffix(2) == [
                "1970-01-01T00:01:02.000000Z", "1970-01-01T00:01:02.000000Z",
            ])
    }

    @Test func `the epoch names second 0, and settings hold`() throws {
        let capture = try folder.write("visit.ndjson", Sample.visit)
        let outcome = try Regiond.run([
            "replay", "capture:\(capture)", "--json", "--epoch", "2026-11-30T09:00:00Z", "--set", "exit=30",
        ])
        #expect(outcome.events.map(\.at).prefix(2) == ["2026-11-30T09:00:00.000000Z", "2026-11-30T09:00:10.000000Z"])
        #expect(outcome.events.dropFirst().first?.detectedAt == "2026-11-30T09:00:40.000000Z")
    }

    @Test(arguments: [["--json"], []]) func `two replays are equal byte for byte`(form: [String]) throws {
        let arguments = ["replay", "simulated:hall?seed=3&for=600", "--drain"] + form
        let first = try Regiond.run(arguments)
        #expect(first.lines.count > 100)
        #expect(try Regiond.run(arguments).output == first.output)
    }

    @Test func `a recording replays to the same events`() throws {
        let hall = SimulatedHall(seed: 5, plan: .hall)
        let registry = try folder.write("registry.json", RegistryWriter.text(of: hall.venue))
        let recording = folder.file("hall.btsnoop")
        let live = try Regiond.run([
            "replay", "simulated:hall?seed=5&for=300", "--json", "--record", recording, "--registry", registry,
        ])
        let again = try Regiond.run(["replay", "capture:\(recording)", "--json", "--registry", registry])
        #expect(live.events.count > 50)
        #expect(again.events.map(\.content) == live.events.map(\.content))
    }

    @Test func `a recording never overwrites a file`() throws {
        let file = try folder.write("precious", "precious")
        let outcome = try Regiond.run(["replay", "simulated:hall?for=10", "--record", file])
        #expect(outcome.code == 1)
        #expect(outcome.errors.contains(file))
        #expect(try String(contentsOfFile: file, encoding: .utf8) == "precious")
    }

    @Test func `packed captures are read as they are`() throws {
        for path in [try btsnoop(), try folder.write("visit.ndjson", Sample.visit)] {
            let plain = try Regiond.run(["replay", "capture:\(path)", "--json", "--drain"])
            let gzip = try ChildProcess("/usr/bin/gzip", ["-k", path])
            #expect(gzip.wait() == .exited(0))
            let packed = try Regiond.run(["replay", "capture:\(path).gz", "--json", "--drain"])
            #expect(packed.output == plain.output)
            #expect(packed.code == 0)
        }
    }

    @Test func `a replay into a store is listed as it was printed`() throws {
        let store = folder.file("replay.db")
        let replay = try Regiond.run(["replay", "simulated:hall?seed=3&for=600", "--drain", "--json", "--db", store])
        #expect(replay.code == 0, "\(replay.errors)")
        let listed = try Regiond.run(["events", "--db", store, "--json"])
        #expect(listed.lines == replay.events.map(\.line))
        #expect(listed.errors.contains("SIMULATED"))
        let after = try Regiond.run(["events", "--db", store, "--json", "--after", "10"])
        #expect(after.lines == Array(listed.lines.dropFirst(10)))
        let last = try Regiond.run(["events", "--db", store, "--json", "--last", "4"])
        #expect(last.lines == listed.lines.suffix(4))
        #expect(try Regiond.run(["events", "--db", store]).lines.count == listed.lines.count)
    }

    @Test func `a store that is there is refused and stays as it was`() throws {
        let store = try folder.write("other.db", "what somebody wants to keep")
        let outcome = try Regiond.run(["replay", "simulated:hall?for=10", "--db", store])
        #expect(outcome.code == 1)
        #expect(outcome.errors.contains(store))
        #expect(outcome.output.isEmpty)
        #expect(try String(contentsOfFile: store, encoding: .utf8) == "what somebody wants to keep")
    }

    // MARK: Bad input

    @Test func `a truncated capture keeps what was good and says where it ends`() throws {
        let whole = try Data(contentsOf: URL(fileURLWithPath: try btsnoop()))
        let cut = try folder.write("cut.btsnoop", whole.dropLast(20))
        let outcome = try Regiond.run(["replay", "capture:\(cut)", "--json"])
        #expect(outcome.code == 1)
        #expect(outcome.events.map(\.type) == ["enter"])
        #expect(outcome.lines.last?.contains("\"reports\":9") == true)
        #expect(outcome.errors.contains(cut))
    }

    @Test func `a foreign, an empty, a missing and an unreadable capture are told apart`() throws {
        let foreign = try folder.write("foreign", "Lorem ipsum dolor sit amet, consectetur adipiscing elit")
        let empty = try folder.write("empty", "")
        for path in [foreign, empty, folder.file("missing"), folder.path] {
            let outcome = try Regiond.run(["replay", "capture:\(path)"])
            #expect(outcome.code == 1, "\(path)")
            #expect(outcome.errors.contains(path), "\(outcome.errors)")
            #expect(outcome.output.isEmpty)
        }
        let errors = try [foreign, empty, folder.file("missing"), folder.path].map { path in
            try Regiond.run(["replay", "capture:\(path)"]).errors.replacing(path, with: "")
        }
        #expect(Set(errors).count == 4, "\(errors)")
        #expect(errors[0].contains("btsnoop"))
    }

    @Test func `a bad line stops the replay with its number, or is counted`() throws {
        let lines = Sample.visit.split(separator: "\n").map(String.init)
        let broken = lines[..<3] + [#"{"t":3,"uuid":"nonsense","major":7,"minor":1}"#, "{"] + lines[3...]
        let capture = try folder.write("visit.ndjson", broken.joined(separator: "\n"))
        let strict = try Regiond.run(["replay", "capture:\(capture)", "--json"])
        #expect(strict.code == 1)
        #expect(strict.errors.contains("line 4, column"), "\(strict.errors)")
        #expect(strict.events.map(\.type) == ["enter"])
        let lenient = try Regiond.run(["replay", "capture:\(capture)", "--json", "--skip-bad-lines"])
        #expect(lenient.code == 0)
        #expect(lenient.events.map(\.type).prefix(2) == ["enter", "exit"])
        #expect(lenient.lines.last?.contains("\"badLines\":2") == true)
        #expect(lenient.errors.contains("2 bad lines"))
    }
}
