// SPDX-License-Identifier: GPL-2.0-or-later

import JSONText
import RegionCore
import TestKit
import Testing

@Suite(.ownThreads) struct TuneTests {
    private let folder: Folder

    init() throws { folder = try Folder() }

    /// Two visits of a minute and a half, a pause of ten seconds in the first, and a minute and a half between them.
    private func walk() throws -> [String] {
        let heard = Array(0...40) + Array(51...90) + Array(180...270)
        return [
            "capture:" + (try folder.write("walk.ndjson", Sample.lines(heard: heard.map(Double.init), until: 400))),
            "--registry", try folder.write("registry.json", Sample.registry),
            "--truth", try folder.write("truth.ndjson", truth),
        ]
    }

    private var truth: String {
        let stays = [(0, 90, "\"hall-a\""), (90, 180, "null"), (180, 270, "\"hall-a\""), (270, 400, "null")]
        return stays.map { from, to, region in
            #"{"from":\#(from),"to":\#(to),"beacon":"\#(Sample.uuid)/7/258","region":\#(region)}"#
        }.joined(separator: "\n")
    }

    private func tune(_ more: [String]) throws -> Regiond.Outcome { try Regiond.run(["tune"] + walk() + more) }

    @Test func `an exit time that is too short gives extra enters, one that is too long is late`() throws {
        let outcome = try tune(["--sweep", "exit=5,30,120", "--json"])
        #expect(outcome.code == 0, "\(outcome.errors)")
        let rows = try outcome.lines.dropLast().map { try JSONReader.read(Array($0.utf8)) }
        let byExit = Dictionary(uniqueKeysWithValues: rows.map { ($0["settings"]?["exit"]?.integerValue, $0) })
        #expect(byExit[5]?["extra"]?.integerValue == 1)
        #expect(byExit[5]?["falseExits"]?.integerValue == 1)
        #expect(byExit[30]?["extra"]?.integerValue == 0)
        #expect(byExit[30]?["exitSeconds"]?["p50"]?.doubleValue == 30)
        #expect(byExit[30]?["enterSeconds"]?["p95"]?.doubleValue == 2)
        #expect(byExit[120]?["merged"]?.integerValue == 1)
        #expect(rows.allSatisfy { $0["missed"]?.integerValue == 0 })
        #expect(rows.compactMap { $0["rank"]?.integerValue } == [1, 2, 3])
    }

    @Test func `the last line is the best, as the registry takes it`() throws {
        let outcome = try tune(["--sweep", "exit=5,30,120", "--set", "enterHits=2", "--json"])
        let first = try JSONReader.read(Array(try #require(outcome.lines.first).utf8))
        let exit = try #require(first["settings"]?["exit"]?.integerValue)
        #expect(outcome.lines.last == #"{"settings":{"enterHits":2,"exit":\#(exit)}}"#)
        let registry = Sample.registry.replacing(
            "\"beacons\"", with: #"\#(try #require(outcome.lines.last).dropFirst().dropLast()), "beacons""#)
        let check = try Regiond.run(["check", "--registry", try folder.write("tuned.json", registry)])
        #expect(check.code == 0, "\(check.errors)")
    }

    @Test func `people get a table, the best first, and the fragment`() throws {
        let outcome = try tune(["--sweep", "exit=5,30", "--sweep", "enterHits=2,3"])
        #expect(outcome.code == 0)
        let header = try #require(outcome.lines.first).split(separator: " ").map(String.init)
        #expect(header.prefix(4) == ["exit", "enterHits", "F1", "missed"])
        #expect(outcome.lines.count == 1 + 4 + 2)
        #expect(outcome.lines.last?.hasPrefix(#"{"settings":{"enterHits":"#) == true, "\(outcome.output)")
        #expect(outcome.errors.contains("4 combinations"))
    }

    @Test func `as many threads as one likes give the same result`() throws {
        let sweep = ["--json", "--sweep", "exit=5,10,20,30,40,60", "--sweep", "enterHits=1,2,3,4"]
        let alone = try tune(sweep + ["--jobs", "1"])
        #expect(alone.lines.count == 25)
        #expect(try tune(sweep + ["--jobs", "8"]).output == alone.output)
    }

    @Test func `a setting that a region sets itself is said not to be swept`() throws {
        let regions = #""regions": [{"identifier": "hall-a", "uuid": "\#(Sample.uuid)", "settings": {"exit": 20}}]"#
        let registry = Sample.registry.replacing("\"beacons\"", with: regions + ", \"beacons\"")
        var arguments = try walk()
        arguments[2] = try folder.write("regions.json", registry)
        let outcome = try Regiond.run(["tune"] + arguments + ["--sweep", "exit=5,30"])
        #expect(outcome.code == 0)
        #expect(outcome.errors.contains("hall-a: has its own exit"), "\(outcome.errors)")
    }

    @Test func `what is missing or wrong is said, each with its exit code`() throws {
        let whole = try walk()
        func code(_ arguments: [String]) throws -> Int32? { try Regiond.run(["tune"] + arguments).code }
        #expect(try code(["hci:0"] + whole.dropFirst()) == 2)
        #expect(try code(Array(whole.prefix(3))) == 2)
        #expect(try code([whole[0]] + whole.suffix(2)) == 2)
        #expect(try code(whole + ["--sweep", "exit=never"]) == 2)
        #expect(try code(whole + ["--jobs", "0"]) == 2)
        try folder.write("truth.ndjson", truth + "\n{\"from\":1}")
        let outcome = try Regiond.run(["tune"] + whole)
        #expect(outcome.code == 3)
        #expect(outcome.errors.contains("truth.ndjson: line 5, column 1: \"beacon\" is missing"), "\(outcome.errors)")
    }
}
