// SPDX-License-Identifier: GPL-2.0-or-later

import Foundation
import Glibc
import JSONText
import TestKit
import Testing

@Suite(.ownThreads) struct DoctorTests {
    private let folder: Folder
    private var store: String { folder.file("run.db") }

    init() throws { folder = try Folder() }

    /// What doctor says, by layer.
    private func findings(_ outcome: Regiond.Outcome) throws -> [String: JSONNode] {
        var found: [String: JSONNode] = [:]
        for line in outcome.lines {
            let json = try JSONReader.read(Array(line.utf8))
            found[try #require(json["layer"]?.stringValue)] = json
        }
        return found
    }

    private func verdict(_ findings: [String: JSONNode], _ layer: String) -> String? {
        findings[layer]?["verdict"]?.stringValue
    }

    /// Everything in the folder with its content.
    private func files() throws -> [String: Data] {
        var files: [String: Data] = [:]
        for name in try FileManager.default.subpathsOfDirectory(atPath: folder.path) {
            files[name] = FileManager.default.contents(atPath: folder.file(name)) ?? Data()
        }
        return files
    }

    private func makeStore() throws {
        let lines = try folder.write("visit.ndjson", Sample.visit)
        #expect(try Regiond.run(["replay", "capture:\(lines)", "--db", store]).code == 0)
    }

    @Test func `each layer is named once, and nothing is changed`() throws {
        try makeStore()
        let registry = try folder.write("hall.json", Sample.registry)
        let before = try files()
        let outcome = try Regiond.run(
            ["doctor", "--json", "--db", store, "--registry", registry, "--set", "port=1", "--listen", "1"])
        let found = try findings(outcome)
        #expect(
            outcome.lines.compactMap { line in
                (try? JSONReader.read(Array(line.utf8)))?["layer"]?.stringValue
            } == [
                "kernel", "adapter", "rfkill", "power", "rights", "scanners", "reports", "clock", "disk", "store",
                "registry", "port",
            ])
        #expect(verdict(found, "reports") == "could not look")
        #expect(verdict(found, "disk") == "fine")
        #expect(verdict(found, "store") == "fine")
        #expect(found["store"]?["message"]?.stringValue?.contains("newest event 2 of") == true)
        #expect(verdict(found, "registry") == "fine")
        #expect(verdict(found, "port") == "fine")
        let isWrong = found.values.contains { $0["verdict"]?.stringValue == "wrong" }
        #expect(outcome.code == (isWrong ? 1 : 0))
        #expect(try files() == before)
    }

    /// Whether this machine is one that the cause must be named on.
    private static var hasNoBluetooth: Bool { socket(31, Int32(SOCK_RAW.rawValue), 1) < 0 && errno == EAFNOSUPPORT }

    @Test(.enabled(if: hasNoBluetooth, "needs a kernel without Bluetooth"))
    func `a kernel without Bluetooth is named, with what to do`() throws {
        let outcome = try Regiond.run(["doctor", "--db", store, "--set", "port=1", "--listen", "1"])
        #expect(outcome.code == 1)
        #expect(outcome.lines.first?.hasPrefix("✕ kernel") == true)
        #expect(outcome.output.contains("AF_BLUETOOTH"))
        #expect(outcome.output.contains("modprobe bluetooth"))
        #expect(outcome.output.contains("? adapter"))
        #expect(outcome.errors.contains("wrong: kernel"))
        #expect(!outcome.output.contains("\u{1B}"))
    }

    @Test func `what is refused is wrong, and the rest is looked at`() throws {
        let bad = try folder.write("bad.json", "{")
        let outcome = try Regiond.run(
            ["doctor", "--json", "--db", bad, "--config", bad, "--registry", bad, "--listen", "1"])
        #expect(outcome.code == 1)
        let found = try findings(outcome)
        #expect(verdict(found, "registry") == "wrong")
        #expect(verdict(found, "store") == "wrong")
        #expect(found.count == 12)
        #expect(try Regiond.run(["doctor", "--set", "nonsense"]).code == 2)
        #expect(try Regiond.run(["doctor", "simulated:hall"]).code == 2)
    }

    @Test func `a running gateway counts its reports, and its report packs what is needed`() throws {
        let configuration = try folder.write("config.json", #"{ "source": "simulated:hall", "exit": 45 }"#)
        let registry = try folder.write("hall.json", Sample.registry)
        let gateway = try RunningGateway("simulated:hall?seed=7&speed=20", store: store)
        _ = try gateway.events(5)
        let file = folder.file("report.tar.gz")
        let arguments = [
            "doctor", "--db", store, "--config", configuration, "--registry", registry, "--set",
            "port=\(gateway.port)", "--listen", "1", "--report", file,
        ]
        let outcome = try Regiond.run(arguments)
        #expect(outcome.output.contains("✓ reports   simulated:hall?seed=7&speed=20 gave"))
        #expect(outcome.output.contains("answers on 127.0.0.1:\(gateway.port)"))
        #expect(outcome.output.contains("goes on, or was broken off"))

        let listed = try tar("tzf", file).split(separator: "\n").map(String.init)
        let announced = outcome.errors.split(separator: "\n").filter { $0.hasPrefix("  regiond-report-") }
        #expect(listed == announced.map { String($0.dropFirst(2).prefix { $0 != " " }) })
        let root = try #require(listed.first?.split(separator: "/").first.map(String.init))
        let parts = [
            "doctor.txt", "doctor.jsonl", "versions.txt", "configuration.json", "ring.btsnoop", "registry.json",
            "events.jsonl", "notes.jsonl", "faults.txt",
        ]
        #expect(listed == parts.map { "\(root)/\($0)" })
        _ = try tar("xzf", file, "-C", folder.path)
        func content(_ name: String) throws -> String {
            try String(contentsOfFile: folder.file("\(root)/\(name)"), encoding: .utf8)
        }
        #expect(try content("doctor.txt") == outcome.output)
        #expect(try content("versions.txt").contains("sqlite3: 3."))
        #expect(try JSONReader.read(Array(content("configuration.json").utf8))["inForce"]?["defaults"]?["exit"] != nil)
        #expect(try content("events.jsonl").split(separator: "\n").compactMap { Event(String($0)) }.count >= 5)
        #expect(try content("notes.jsonl").contains(#""kind":"start""#))
        let replay = try Regiond.run(["replay", "capture:\(folder.file("\(root)/ring.btsnoop"))", "--json"])
        #expect(replay.code == 0)
        #expect(!replay.events.isEmpty)

        let packed = FileManager.default.contents(atPath: file)
        #expect(try Regiond.run(arguments).errors.contains("is there already"))
        #expect(FileManager.default.contents(atPath: file) == packed)
        _ = try gateway.stop()
    }

    @Test func `a store that a crash left is read with its log, and keeps it`() throws {
        let gateway = try RunningGateway("simulated:hall?seed=7&speed=100", store: store)
        _ = try gateway.events(3)
        gateway.process.crash()
        let (database, log) = (try files()["run.db"], try files()["run.db-wal"])
        let outcome = try Regiond.run(["doctor", "--json", "--db", store, "--set", "port=1"])
        let found = try findings(outcome)
        #expect(verdict(found, "store") == "fine", "\(outcome.output)")
        #expect(found["store"]?["message"]?.stringValue?.contains("newest event") == true)
        #expect(try files()["run.db"] == database)
        #expect(try files()["run.db-wal"] == log)
        // Without its index the log would have to be put in order first.
        try FileManager.default.removeItem(atPath: store + "-shm")
        let names = try Set(files().keys)
        let again = try findings(try Regiond.run(["doctor", "--json", "--db", store, "--set", "port=1"]))
        #expect(verdict(again, "store") == "could not look")
        #expect(try Set(files().keys) == names)
    }

    @Test func `without a gateway the report says that the ring is missing`() throws {
        let file = folder.file("report.tar.gz")
        _ = try Regiond.run(["doctor", "--db", store, "--set", "port=1", "--listen", "1", "--report", file])
        let listed = try tar("tzf", file)
        for part in ["ring", "registry", "events", "notes"] { #expect(listed.contains("/\(part)-is-missing.txt")) }
    }

    @Test func `a radio is measured from a hall and from a capture`() throws {
        let hall = try Regiond.run(["doctor", "--radio", "30", "simulated:hall?speed=100&from=600", "--json"])
        #expect(hall.code == 0, "\(hall.output) \(hall.errors)")
        let json = try JSONReader.read(Array(hall.output.utf8))
        #expect(json["verdict"]?.stringValue == "fine")
        #expect((json["reports"]?.integerValue ?? 0) > 100)
        #expect(json["filtered"]?.boolValue == false)
        let lines = try folder.write("visit.ndjson", Sample.visit)
        let capture = try Regiond.run(["doctor", "--radio", "60", "capture:\(lines)?speed=1000"])
        #expect(capture.code == 0)
        #expect(capture.output.contains("? Too little was heard for a verdict"))
        #expect(capture.output.contains("1, in 5 reports"))
    }

    private func tar(_ arguments: String...) throws -> String {
        let process = try ChildProcess("/usr/bin/tar", arguments)
        #expect(process.wait() == .exited(0), "\(process.text(.errors))")
        return process.text()
    }
}
