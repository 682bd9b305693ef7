// SPDX-License-Identifier: GPL-2.0-or-later

import Glibc
import HallSimulator
import JSONText
import RegionCore
import RegistryJSON
import TestKit
import Testing

@Suite(.ownThreads) struct BeaconsTests {
    private let folder: Folder
    private static let hall = "simulated:hall?seed=7&speed=100"
    /// A port on which nothing listens: it is reserved, and no test takes one so low.
    private static let nobody = ["--set", "port=1"]

    init() throws { folder = try Folder() }

    private func gateway() throws -> RunningGateway {
        let gateway = try RunningGateway(Self.hall, store: folder.file("run.db"))
        _ = try gateway.events(20)  // By then it has heard something.
        return gateway
    }

    private func field(_ line: String) throws -> JSONNode { try JSONReader.read(Array(line.utf8)) }

    // MARK: A running gateway

    @Test func `a running gateway answers at once, with the table or the page's document`() throws {
        let gateway = try gateway()
        let table = try Regiond.run(["beacons", "--set", "port=\(gateway.port)"])
        #expect(table.code == 0)
        #expect(table.lines[0].hasPrefix("SIMULATED"))
        #expect(table.lines[1].contains("gateway on port \(gateway.port)"))
        #expect(table.lines.contains { $0.contains("◆ mid") && $0.contains("Exhibit") && $0.contains("healthy") })
        #expect(!table.output.contains("\u{1B}"))
        let levels = table.lines.drop { !$0.hasPrefix("RSSI") }.dropFirst().compactMap { line in
            line.split(separator: " ").dropFirst().first.flatMap { Double($0.replacing("−", with: "-")) }
        }
        #expect(levels.count > 10)
        #expect(levels == levels.sorted(by: >))
        let json = try Regiond.run(["beacons", "--json", "--set", "port=\(gateway.port)"])
        #expect(json.lines.count == 1)
        #expect(try field(json.lines[0])["gateway"]?.stringValue == gateway.field()["gateway"]?.stringValue)
        _ = try gateway.stop()
    }

    @Test func `the gateway's own source is asked of the gateway, another one is heard directly`() throws {
        let gateway = try gateway()
        let port = ["--set", "port=\(gateway.port)"]
        let own = try Regiond.run(["beacons", Self.hall] + port)
        #expect(own.lines[1].contains("gateway on port"))
        let other = try Regiond.run(["beacons", "simulated:hall?seed=8&speed=100"] + port)
        #expect(other.lines[1].contains("heard directly"))
        _ = try gateway.stop()
    }

    @Test func `who follows is given a line each second, and told once when the gateway is gone`() throws {
        let gateway = try gateway()
        let follower = try Regiond.start(["beacons", "--json", "--follow", "--set", "port=\(gateway.port)"])
        let first = try field(try #require(follower.line()))
        let second = try field(try #require(follower.line()))
        #expect(first["asOf"] != second["asOf"])
        _ = try gateway.stop()
        #expect(follower.line(of: .errors) { $0.contains("no gateway answers on port \(gateway.port)") } != nil)
        follower.signal(SIGINT)
        #expect(follower.wait() == .exited(0))
    }

    @Test func `a draft of what a gateway hears is a good registry`() throws {
        let gateway = try gateway()
        let draft = try Regiond.run(["beacons", "--draft", "2", "--set", "port=\(gateway.port)"])
        #expect(draft.code == 0, "\(draft.errors)")
        let venue = try RegistryReader.read(Array(draft.output.utf8))
        let identities = venue.beacons.map {
            BeaconIdentity(uuid: $0.uuid, major: $0.major, minor: $0.minors.lowerBound)
        }
        #expect(identities.count > 20)
        #expect(identities == identities.sorted())
        #expect(draft.errors.contains("\(identities.count) written"))
        #expect(draft.errors.contains("\"kind\": \"fixed\""))
        _ = try gateway.stop()
    }

    // MARK: A source

    @Test func `without a gateway the source is heard for three seconds`() throws {
        let table = try Regiond.run(["beacons", Self.hall] + Self.nobody)
        #expect(table.code == 0, "\(table.errors)")
        #expect(table.lines.contains { $0.contains("of 50 heard") })
        #expect(table.lines.contains { $0.contains("inside · for") })
        let configured = try Regiond.run(["beacons", "--json", "--set", "source=\(Self.hall)"] + Self.nobody)
        #expect(try field(configured.output)["beacons"]?.arrayValue?.isEmpty == false)
    }

    @Test func `a capture that ends is shown as it ended`() throws {
        let capture = try folder.write("visit.ndjson", Sample.lines(heard: [0, 1, 2], until: 3))
        let table = try Regiond.run(["beacons", "capture:\(capture)?speed=100"] + Self.nobody)
        #expect(table.code == 0)
        #expect(table.lines[0].hasPrefix("CAPTURE"))
        #expect(table.lines.last?.contains("7/258 …15AB") == true)
        #expect(table.lines.last?.contains("inside") == true)
    }

    @Test func `a draft from a source holds one UUID where one is asked for, and nothing heard too seldom`() throws {
        let lines = [
            Sample.lines(heard: [0, 1, 2], minor: 300, until: 2),
            Sample.lines(heard: [2.1, 2.2, 2.3], minor: 4, until: 3),
            Sample.lines(heard: [3.1, 3.2], minor: 5, until: 4),
            Sample.lines(heard: [4.1, 4.2, 4.3], until: 5).replacing(Sample.uuid, with: "\(SimulatedHall.uuid)"),
        ]
        let source = "capture:\(try folder.write("some.ndjson", lines.joined()))?speed=100"
        let all = try Regiond.run(["beacons", source, "--draft", "60"] + Self.nobody)
        #expect(all.code == 0, "\(all.errors)")
        #expect(all.errors.contains("4 beacons heard, 3 written, left out: 1 with fewer than 3 sightings."))
        let path = try folder.write("draft.json", all.output)
        #expect(try Regiond.run(["check", "--registry", path]).code == 0)
        let own = ["--uuid", Sample.uuid.lowercased()]
        let one = try Regiond.run(["beacons", source, "--draft", "60"] + own + Self.nobody)
        #expect(try RegistryReader.read(Array(one.output.utf8)).beacons.map(\.minors) == [4...4, 300...300])
        #expect(one.errors.contains("1 of other UUIDs"))
    }

    @Test func `a draft of nothing says what to do and writes nothing`() throws {
        let silence = try folder.write("silence.ndjson", #"{"t":0,"tick":true}"# + "\n")
        let draft = try Regiond.run(["beacons", "capture:\(silence)", "--draft", "1"] + Self.nobody)
        #expect(draft.code == 1)
        #expect(draft.output.isEmpty)
        #expect(draft.errors.contains("nothing was heard"))
    }

    private static let mistakes: [([String], Int32, [String])] = [
        ([], 1, ["no gateway answers on port 1", "SOURCE"]), (["--draft", "0"], 2, ["1…86400"]),
        (["--uuid", Sample.uuid], 2, ["--draft"]), (["--draft", "1", "--uuid", "x"], 2, ["32 hex digits", "'x'"]),
        (["--draft", "1", "--json"], 2, ["--json"]), (["simulated:moon"], 2, ["simulated:hall"]),
    ]

    @Test(arguments: mistakes)
    func `what cannot be done is said, with what to do`(arguments: [String], code: Int32, names: [String]) throws {
        let outcome = try Regiond.run(["beacons"] + arguments + Self.nobody)
        #expect(outcome.code == code)
        #expect(outcome.output.isEmpty)
        for name in names { #expect(outcome.errors.contains(name), "\(outcome.errors)") }
    }

    // MARK: A terminal

    private func watch(_ terminal: TestTerminal, colour: Bool = true) throws -> ChildProcess {
        try ChildProcess(
            BuiltProgram.path("regiond"), ["beacons", Self.hall] + Self.nobody,
            environment: ["TERM": "xterm", "NO_COLOR": colour ? nil : "1"], outputFile: terminal.path)
    }

    @Test func `on a terminal it is drawn in place, fits after a resize, and Ctrl-C ends it with 0`() throws {
        let terminal = try TestTerminal(columns: 80, rows: 20)
        let process = try watch(terminal)
        let three = try #require(terminal.text { $0.count(of: "\u{1B}[?25h") >= 3 })
        #expect(three.contains("\u{1B}[19A"))
        #expect(three.contains("\u{1B}[7;1mSIMULATED"))
        terminal.resize(columns: 50, rows: 10)
        #expect(terminal.text { $0.contains("\u{1B}[H\u{1B}[J") && $0.count(of: "\u{1B}[9A") >= 1 } != nil)
        process.signal(SIGINT)
        #expect(process.wait() == .exited(0))
        #expect(terminal.text { $0.hasSuffix("\u{1B}[?25h\r\n") } != nil)
    }

    @Test func `NO_COLOR leaves the colours away, and nothing else`() throws {
        let terminal = try TestTerminal(columns: 80, rows: 20)
        let process = try watch(terminal, colour: false)
        let text = try #require(terminal.text { $0.count(of: "\u{1B}[?25h") >= 2 })
        #expect(text.contains("◆ mid"))
        #expect(!text.contains(#/\u{1B}\[[0-9;]+m/#))
        process.signal(SIGTERM)
        #expect(process.wait() == .exited(0))
    }
}

extension String {
    fileprivate func count(of part: String) -> Int {
        split(separator: part, omittingEmptySubsequences: false).count - 1
    }
}
