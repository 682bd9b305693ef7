// SPDX-License-Identifier: GPL-2.0-or-later

import RegionCore
import Testing
import Time

extension Bench {
    mutating func listening(_ on: Bool, at seconds: Double) {
        engine.listening(on, at: .boot + .seconds(decimal: seconds), into: &decisions)
    }

    mutating func window(open: Bool, at seconds: Double) {
        engine.window(open: open, at: .boot + .seconds(decimal: seconds), into: &decisions)
    }

    mutating func reload(_ venue: Venue, at seconds: Double) {
        engine.replaceRegistry(Registry(venue: venue), at: .boot + .seconds(decimal: seconds), into: &decisions)
    }

    /// Stops, is away, and starts again; the boot clock runs on.
    mutating func restart(at seconds: Double, away: Double, known: Bool = true, venue: Venue = Bench.venue()) {
        let stop = Instant.boot + .seconds(decimal: seconds)
        let snapshot = engine.snapshot(at: stop)
        let start = stop + .seconds(decimal: away)
        engine = RegionEngine(registry: Registry(venue: venue), receiver: ReceiverEntry(id: "box"), at: start)
        engine.restore(
            snapshot, away: known ? .known(.seconds(decimal: away)) : .unknown, at: start, into: &decisions)
    }
}

struct InterruptionTests {
    @Test func `a deaf radio is no exit, and silence counts anew when it hears again`() {
        var bench = Bench()
        bench.hear(from: 0, through: 10)
        bench.listening(false, at: 50)
        bench.tick(at: 5_000)
        #expect(bench.story == ["enter hits 0/2"])
        bench.listening(true, at: 6_000)
        bench.tick(at: 6_060)
        #expect(bench.story == ["enter hits 0/2"])
        bench.tick(at: 6_061)
        #expect(bench.story == ["enter hits 0/2", "exit gap 10/6060"])
        #expect(bench.decisions.events[1].uncertain)
    }

    @Test func `what waited for a stalled reader proves the past, and is no hit`() {
        var bench = Bench()
        bench.engine.arrival(at: .boot + .seconds(22))
        bench.hear(from: 0, through: 2)  // It left while the reader stood still.
        bench.hear(Bench.other, from: 20, through: 22)
        #expect(bench.story == ["enter hits 20/22"])
        // The exit of somebody who was inside counts from the true last reception.
        bench.engine.arrival(at: .boot + .seconds(75))
        bench.hear(Bench.other, at: 40)
        bench.tick(at: 101)
        #expect(bench.story == ["enter hits 20/22", "exit silence 40/100"])
    }

    @Test func `a loss shorter than the exit time leaves a silence a silence`() {
        var bench = Bench()
        bench.hear(from: 0, through: 10)
        bench.listening(false, at: 20)
        bench.listening(true, at: 60)
        bench.tick(at: 1_000)
        #expect(bench.story == ["enter hits 0/2", "exit silence 10/120"])
    }

    @Test func `a radio that comes and goes cannot hold a beacon for ever`() {
        var bench = Bench()
        bench.hear(from: 0, through: 10)
        for cycle in 0..<20 {
            bench.listening(false, at: Double(30 + 20 * cycle))
            bench.listening(true, at: Double(41 + 20 * cycle))
        }
        bench.tick(at: 1_000)
        // The exit time starts anew at 41 once; from then it runs nine seconds in each twenty.
        #expect(bench.story == ["enter hits 0/2", "exit silence 10/167"])
    }

    @Test(arguments: [0.1, 4.9])
    func `with a duty cycle silence also needs two whole windows`(last: Double) {
        var bench = Bench()
        for cycle in 0..<6 {
            bench.window(open: true, at: Double(30 * cycle))
            if cycle == 0 { bench.hear(from: 1, through: 4) }
            if cycle == 1 { bench.hear(at: 30 + last) }
            bench.window(open: false, at: Double(30 * cycle + 5))
        }
        let exit = bench.decisions.events.last
        #expect(bench.story.count == 2)
        #expect(exit?.detectedAt == .boot + .seconds(95))
        #expect(exit?.at == .boot + .seconds(decimal: 30 + last))
    }

    // MARK: Restart

    @Test func `a short absence changes nothing for who is still there`() {
        var bench = Bench()
        bench.hear(from: 0, through: 10)
        bench.restart(at: 20, away: 120)
        bench.hear(from: 145, through: 200)
        #expect(bench.story == ["enter hits 0/2"])
        #expect(bench.engine.field(at: .boot + .seconds(200)).regions.map(\.occupancy) == [1, 1, 1, 0])
    }

    @Test func `who left during a short absence leaves one exit time after the start`() {
        var bench = Bench()
        bench.hear(from: 0, through: 10)
        bench.restart(at: 20, away: 120)
        bench.tick(at: 200)
        #expect(bench.story == ["enter hits 0/2"])
        bench.tick(at: 201)
        #expect(bench.story == ["enter hits 0/2", "exit gap 10/200"])
    }

    @Test func `restarts start the exit time anew only once`() {
        var bench = Bench()
        bench.hear(from: 0, through: 10)
        for start in [20.0, 40, 60, 80] { bench.restart(at: start, away: 1) }
        bench.tick(at: 1_000)
        // It runs from 21 on and stands still in the three seconds away.
        #expect(bench.story == ["enter hits 0/2", "exit gap 10/84"])
    }

    @Test func `a long absence ends visits at their last sighting and what is heard enters anew`() {
        var bench = Bench()
        bench.hear(from: 0, through: 10)
        bench.restart(at: 20, away: 86_400)
        #expect(bench.story == ["enter hits 0/2", "exit expired 10/86420"])
        #expect(bench.decisions.events[1].uncertain)
        bench.hear(from: 86_500, through: 86_503)
        #expect(bench.story.last == "enter hits 86500/86502")
    }

    @Test func `while nobody can tell how long it was away nothing is decided`() {
        var bench = Bench()
        bench.hear(from: 0, through: 10)
        bench.hear(Bench.other, from: 10, through: 12)
        bench.restart(at: 20, away: 0, known: false)
        bench.hear(at: 30)
        bench.tick(at: 600)
        #expect(bench.story.count == 2)
        bench.tick(at: 1_000)
        #expect(bench.story.dropFirst(2) == ["exit gap 12/620", "exit silence 30/620"])
        #expect(bench.decisions.events[3].uncertain)
    }

    @Test func `once the clock tells of days the held visits end, the heard ones too`() {
        var bench = Bench()
        bench.hear(from: 0, through: 10)
        bench.restart(at: 20, away: 0, known: false)
        bench.hear(from: 30, through: 35)
        bench.engine.awayKnown(.seconds(200_000), at: .boot + .seconds(36), into: &bench.decisions)
        bench.hear(from: 37, through: 40)
        #expect(bench.story == ["enter hits 0/2", "exit expired -199990/36", "enter hits 37/39"])
    }

    @Test func `a cooldown that ended while the box was away is decided at the start`() {
        var bench = Bench(Bench.venue([.exit: 8], minors: [258], regions: Bench.badgeRegion()))
        bench.hear(from: 0, through: 2)
        bench.tick(at: 20)
        bench.restart(
            at: 30, away: 100, venue: Bench.venue([.exit: 8], minors: [258], regions: Bench.badgeRegion()))
        #expect(bench.story == ["enter hits 0/2", "exit silence 2/10", "wake silence 2/130"])
        #expect(bench.wakes(of: "badge").last == "wake told")
    }

    // MARK: Reload

    @Test func `a removed beacon leaves at the reload, told at once`() {
        var bench = Bench()
        bench.hear(from: 0, through: 10)
        bench.reload(Bench.venue(minors: [259]), at: 11)
        #expect(bench.story == ["enter hits 0/2", "exit removed 11/11"])
        #expect(bench.wakes(of: "hall.7") == ["enter told", "exit told"])
        bench.tick(at: 1_000)
        #expect(bench.story.count == 2)
    }

    @Test func `a renamed region is removed and added while the visit goes on`() {
        var bench = Bench(Bench.venue(regions: [RegionDefinition(identifier: "r1", scope: EngineTests.wholeUUID)]))
        bench.hear(from: 0, through: 10)
        bench.reload(
            Bench.venue(regions: [RegionDefinition(identifier: "r2", scope: EngineTests.wholeUUID)]), at: 11)
        #expect(bench.story == ["enter hits 0/2", "exit removed 11/11", "enter added 11/11"])
        #expect(bench.decisions.events.map { $0.regions.map(\.region) } == [["r1"], ["r1"], ["r2"]])
        #expect(bench.decisions.events.map(\.visit) == [1, 1, 1])
        bench.tick(at: 1_000)
        #expect(bench.story.dropFirst(3) == ["exit silence 11/70", "wake silence 11/71"])
    }

    @Test func `a region that means something else now is left and joined again`() {
        var bench = Bench(Bench.venue(regions: [RegionDefinition(identifier: "r", scope: EngineTests.wholeUUID)]))
        bench.hear(from: 0, through: 10)
        let narrower = RegionScope(uuid: Bench.uuid, major: 7)
        bench.reload(Bench.venue(regions: [RegionDefinition(identifier: "r", scope: narrower)]), at: 11)
        #expect(bench.story == ["enter hits 0/2", "exit redefined 11/11", "enter redefined 11/11"])
        #expect(bench.decisions.events.map { $0.regions[0].occupancy } == [1, 0, 1])
    }

    @Test func `a shorter exit time that puts the deadline in the past fires at the reload`() {
        var bench = Bench()
        bench.hear(from: 0, through: 10)
        bench.tick(at: 40)
        bench.reload(Bench.venue([.exit: 20]), at: 40)
        #expect(bench.story == ["enter hits 0/2", "exit silence 10/40"])
    }

    @Test func `white space in the registry touches nothing`() {
        var bench = Bench()
        bench.hear(from: 0, through: 10)
        bench.hear(Bench.other, from: 10, through: 11)
        bench.reload(Bench.venue(), at: 11)
        bench.hear(Bench.other, at: 12)
        #expect(bench.story == ["enter hits 0/2", "enter hits 10/12"])
    }
}
