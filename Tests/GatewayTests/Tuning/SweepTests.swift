// SPDX-License-Identifier: GPL-2.0-or-later

import RegionCore
import Testing

@testable import Gateway

struct SweepTests {
    @Test func `sweeps multiply, the last one changing first`() throws {
        let sweep = try Sweep(["exit=20,30", "relativeRSSI=false,true"])
        #expect(sweep.count == 4)
        let settings = (0..<4).map { sweep.settings(of: $0) }
        #expect(settings.map { $0[.exit] } == [20, 20, 30, 30])
        #expect(settings.map { $0[.relativeRSSI] } == [0, 1, 0, 1])
    }

    @Test func `without a sweep there is the registry as it is`() throws {
        let sweep = try Sweep([])
        #expect(sweep.count == 1)
        #expect(sweep.settings(of: 0).isEmpty)
    }

    @Test(arguments: [
        ("exits=20", "as exit=20,30,60"), ("exit", "as exit=20,30,60"), ("exit=", "exit is a number, not ''"),
        ("exit=20,", "exit is a number, not ''"), ("exit=x", "exit is a number, not 'x'"),
        ("exit=0", "exit must lie in"),
        ("relativeRSSI=1", "relativeRSSI is true or false, not '1'"), ("enterHits=2.5", "whole number"),
        ("exit=20,20", "20 stands there twice"),
    ])
    func `what cannot be tried is refused`(text: String, message: String) {
        let error = #expect(throws: GatewayError.self) { _ = try Sweep([text]) }
        #expect(error?.kind == .usage)
        #expect(error?.description.contains(message) == true, "\(error?.description ?? "")")
    }

    @Test func `a setting is swept once, and there are not too many combinations`() {
        let twice = #expect(throws: GatewayError.self) { _ = try Sweep(["exit=20", "exit=30"]) }
        #expect(twice?.description.contains("given twice") == true)
        let hundred = (1...100).map { "\($0)" }.joined(separator: ",")
        #expect(throws: Never.self) { _ = try Sweep(["exit=\(hundred)", "cooldown=\(hundred)"]) }
        let many = #expect(throws: GatewayError.self) {
            _ = try Sweep(["exit=\(hundred)", "cooldown=\(hundred)", "enterHits=1,2"])
        }
        #expect(many?.description.contains("more than 10000 combinations") == true)
    }

    @Test func `the fragment holds what was set and what is best, as a registry writes it`() throws {
        let sweep = try Sweep(["relativeRSSI=true", "enterRSSI=-19.5"])
        var base = SettingOverrides()
        base[.exit] = 30
        let result = TuneResult(
            combination: 0, settings: sweep.settings(of: 0),
            figures: TuneFigures(hasRegions: true, hasNearest: false))
        let table = TuneTable(results: [result], sweep: sweep, base: base)
        #expect(table.fragment == #"{"settings":{"enterRSSI":-19.5,"exit":30,"relativeRSSI":true}}"#)
        #expect(table.text.last == table.fragment)
        #expect(table.json.last == table.fragment)
    }
}
