// SPDX-License-Identifier: GPL-2.0-or-later

import Foundation
import Glibc
import HallSimulator
import JSONText
import TestKit
import Testing

@Suite(.ownThreads) struct RunTests {
    private let folder: Folder
    private var store: String { folder.file("run.db") }
    private static let hall = "simulated:hall?seed=7&speed=100"

    init() throws { folder = try Folder() }

    private func listed(after seq: Int64 = 0) throws -> [Event] {
        try Regiond.run(["events", "--json", "--db", store, "--after", "\(seq)"]).events
    }

    @Test func `a hall runs, its page answers, and what was printed is listed after the stop`() throws {
        let gateway = try RunningGateway(Self.hall, store: store)
        _ = try gateway.events(20)
        let field = try gateway.field()
        #expect(field["source"]?.stringValue == "simulated")
        #expect(field["beacons"]?.arrayValue?.isEmpty == false)
        #expect(try HTTPReply.to("/field", port: gateway.port).body.contains("<html"))
        let printed = try gateway.stop()
        #expect(printed.map(\.seq) == Array(1...Int64(printed.count)))
        #expect(Event.disorder(in: printed) == [])
        #expect(try listed().map(\.line) == printed.map(\.line))
        #expect(gateway.process.text(.errors).contains("SIMULATED"))
    }

    @Test(arguments: [SIGTERM, SIGKILL]) func `started again it goes on, and invents nothing`(signal: Int32) throws {
        var printed: [Event] = []
        for _ in 0..<3 {
            let gateway = try RunningGateway(Self.hall, store: store)
            _ = try gateway.events(15)
            gateway.process.signal(signal)
            #expect(gateway.process.wait() == (signal == SIGTERM ? .exited(0) : .killed(signal: SIGKILL)))
            printed += gateway.process.text().split(separator: "\n").compactMap { Event(String($0)) }
        }
        let all = try listed()
        #expect(all.map(\.seq) == Array(1...Int64(all.count)))
        #expect(Event.disorder(in: all) == [])
        #expect(Set(all.map(\.line)).isSuperset(of: printed.map(\.line)))
        #expect(Set(printed.map(\.seq)).count == printed.count)
    }

    @Test func `people read lines, and the end of the output ends nothing else`() throws {
        let gateway = try RunningGateway(Self.hall, store: store, [])
        #expect(gateway.process.line()?.contains("→ enter") == true)
        gateway.process.closeOutput()
        #expect(gateway.process.line(of: .errors) { $0.contains("the gateway goes on") } != nil)
        let before = try #require(try listed().last?.seq)
        #expect(try gateway.field()["beacons"] != nil)
        let follower = try Regiond.start(["events", "--follow", "--json", "--db", store, "--after", "\(before)"])
        #expect(follower.line() != nil)
        _ = try gateway.stop()
    }

    @Test func `whoever follows a store sees what is stored from then on`() throws {
        let gateway = try RunningGateway(Self.hall, store: store)
        let first = try gateway.events(5)
        let follower = try Regiond.start(["events", "--follow", "--json", "--db", store])
        var followed: [Event] = []
        while followed.count < 40, let line = follower.line() { followed += [line].compactMap { Event($0) } }
        #expect(followed.map(\.seq) == Array(1...40))
        #expect(followed.prefix(5).map(\.line) == first.map(\.line))
        _ = try gateway.stop()
    }

    @Test func `without a named store each kind of source has one of its own, and events finds it`() throws {
        let home: [String: String?] = ["HOME": folder.path]
        let gateway = try Regiond.start(["run", Self.hall, "--json", "--set", "port=0"], environment: home)
        #expect(gateway.line() != nil)
        gateway.signal(SIGTERM)
        #expect(gateway.wait() == .exited(0))
        let listed = try Regiond.run(["events", "--json"], environment: home)
        #expect(listed.errors.contains("Store: \(folder.path)/.local/state/regiond/simulated.db"))
        #expect(listed.output == gateway.text())
    }

    @Test func `a capture runs to its end and stops in order`() throws {
        let capture = try folder.write("visit.ndjson", Sample.visit)
        let gateway = try RunningGateway("capture:\(capture)?speed=100", store: store)
        #expect(gateway.process.wait() == .exited(0))
        let printed = gateway.process.text().split(separator: "\n").compactMap { Event(String($0)) }
        #expect(printed.map(\.type).prefix(2) == ["enter", "exit"])
        #expect(try listed().map(\.line) == printed.map(\.line))
    }

    // MARK: Registry

    private static func registry(region: String?) -> String {
        let regions = region.map {
            #", "regions": [ { "identifier": "\#($0)", "uuid": "\#(SimulatedHall.uuid)", "major": 1002 } ]"#
        }
        return """
            { "venueId": "hall-a",
              "beacons": [ { "uuid": "\(SimulatedHall.uuid)", "major": 1002, "minors": "1-30" } ]\(regions ?? "") }
            """
    }

    @Test func `an edited registry takes effect, a refused one is told once and changes nothing`() throws {
        let registry = try folder.write("registry.json", Self.registry(region: nil))
        let gateway = try RunningGateway(Self.hall, store: store, ["--json", "--registry", registry])
        #expect(try gateway.events(5).allSatisfy { $0.regions.contains("hall-a") })

        try folder.write("registry.json", Self.registry(region: "visitors"))
        gateway.process.signal(SIGHUP)
        let added = try #require(try gateway.events(1) { $0.reason == "added" }.first)
        #expect(added.regions == ["visitors"])
        #expect(added.json["settings"]?.integerValue == 2)

        try folder.write("registry.json", "{ \"venueId\": 7 }")
        gateway.process.signal(SIGHUP)
        #expect(gateway.process.line(of: .errors) { $0.contains("\(registry) is refused: line 1, column ") } != nil)
        let kinds = try gateway.field()["trouble"]?.arrayValue?.compactMap { $0["kind"]?.stringValue }
        #expect(kinds?.contains("registryRefused") == true)
        gateway.process.signal(SIGHUP)
        #expect(try gateway.events(5) { $0.type == "enter" }.allSatisfy { $0.regions == ["visitors"] })

        try folder.write("registry.json", Self.registry(region: "guests"))
        gateway.process.signal(SIGHUP)
        _ = try gateway.events(1) { $0.regions == ["guests"] }
        #expect(try gateway.field()["trouble"]?.arrayValue?.isEmpty == true)
        _ = try gateway.stop()
        #expect(gateway.process.text(.errors).components(separatedBy: "is refused").count == 2)
    }

    // MARK: Stores

    @Test func `a second gateway on one store is refused, and told who has it`() throws {
        let gateway = try RunningGateway(Self.hall, store: store)
        let second = try Regiond.run(["run", Self.hall, "--db", store, "--set", "port=0"])
        #expect(second.code == 1)
        #expect(second.errors.contains("process \(gateway.process.pid)"), "\(second.errors)")
        _ = try gateway.events(1)
        _ = try gateway.stop()
    }

    @Test func `a taken port is named, and nothing is left running`() throws {
        let gateway = try RunningGateway(Self.hall, store: store)
        let second = try Regiond.run([
            "run", Self.hall, "--db", folder.file("other.db"), "--set", "port=\(gateway.port)",
        ])
        #expect(second.code == 1)
        #expect(second.errors.contains("\(gateway.port)"), "\(second.errors)")
        _ = try gateway.stop()
    }

    @Test func `another kind of source is refused, and the store stays as it was`() throws {
        _ = try RunningGateway(Self.hall, store: store).stop()
        let before = try Data(contentsOf: URL(fileURLWithPath: store))
        let capture = try folder.write("visit.ndjson", Sample.visit)
        let outcome = try Regiond.run(["run", "capture:\(capture)", "--db", store, "--set", "port=0"])
        #expect(outcome.code == 1)
        #expect(outcome.errors.contains("simulated"), "\(outcome.errors)")
        #expect(try Data(contentsOf: URL(fileURLWithPath: store)) == before)
    }

    @Test func `a store of a newer version is refused, and stays as it was`() throws {
        _ = try RunningGateway(Self.hall, store: store).stop()
        var bytes = try Data(contentsOf: URL(fileURLWithPath: store))
        bytes[63] = 99  // The last byte of SQLite's user version.
        try folder.write("run.db", bytes)
        for arguments in [["run", Self.hall, "--set", "port=0"], ["events"]] {
            let outcome = try Regiond.run(arguments + ["--db", store])
            #expect(outcome.code == 1)
            #expect(outcome.errors.contains("newer"), "\(outcome.errors)")
        }
        #expect(try Data(contentsOf: URL(fileURLWithPath: store)) == bytes)
    }

    @Test func `a file that is no store is refused, and stays as it was`() throws {
        let text = String(repeating: "what somebody wants to keep\n", count: 200)
        let file = try folder.write("letter.txt", text)
        for arguments in [["run", Self.hall, "--set", "port=0"], ["events"]] {
            let outcome = try Regiond.run(arguments + ["--db", file])
            #expect(outcome.code == 1)
            #expect(outcome.errors.contains(file), "\(outcome.errors)")
        }
        #expect(try String(contentsOfFile: file, encoding: .utf8) == text)
    }

    @Test func `where no store can be made the message names the place`() throws {
        let file = try folder.write("file", "")
        let outcome = try Regiond.run(["run", Self.hall, "--db", "\(file)/run.db", "--set", "port=0"])
        #expect(outcome.code == 1)
        #expect(outcome.errors.contains(file), "\(outcome.errors)")
        #expect(outcome.errors.contains("--db"))
        let missing = try Regiond.run(["events", "--db", folder.file("missing.db")])
        #expect(missing.code == 1)
        #expect(missing.errors.contains(folder.file("missing.db")))
    }

    /// `blocks` of 512 bytes, the shell's unit.
    private func limited(toBlocks blocks: Int, _ arguments: [String]) throws -> ChildProcess {
        let words = ([BuiltProgram.path("regiond")] + arguments).map { "'\($0)'" }.joined(separator: " ")
        return try ChildProcess("/bin/sh", ["-c", "ulimit -f \(blocks); exec \(words)"])
    }

    @Test func `a store that finds no room when it is made is refused`() throws {
        let process = try limited(toBlocks: 16, ["run", Self.hall, "--db", store, "--set", "port=0"])
        #expect(process.wait() == .exited(1))
        #expect(process.text(.errors).contains(store), "\(process.text(.errors))")
        #expect(process.text(.errors).contains("free some space"), "\(process.text(.errors))")
    }

    @Test func `when the room ends listening goes on, nothing more is told, and the page says so`() throws {
        let process = try limited(toBlocks: 1_200, ["run", Self.hall, "--db", store, "--json", "--set", "port=0"])
        let page = process.line(of: .errors) { $0.contains("Page: ") }?.split(separator: "127.0.0.1:").last
        let port = try #require(page.flatMap { UInt16($0.prefix { $0.isNumber }) })
        #expect(process.line(of: .errors) { $0.contains("The store is in trouble") } != nil)
        let field = try JSONReader.read(Array(try HTTPReply.to("/v1/field", port: port).body.utf8))
        let kinds = field["trouble"]?.arrayValue?.compactMap { $0["kind"]?.stringValue }
        #expect(kinds == ["storeInTrouble"])
        process.signal(SIGKILL)
        _ = process.wait()
        let printed = process.text().split(separator: "\n").compactMap { Event(String($0)) }
        let stored = try listed()
        #expect(Set(stored.map(\.line)).isSuperset(of: printed.map(\.line)))
        #expect(Event.disorder(in: stored) == [])
    }
}
