// SPDX-License-Identifier: GPL-2.0-or-later

import RegionCore
import Testing
import Time

extension Bench {
    /// A report came that held no beacon, and after it the horizon is that report.
    mutating func report(at seconds: Double) {
        engine.heard(at: .boot + .seconds(decimal: seconds), into: &decisions)
        engine.bound(horizon: .boot + .seconds(decimal: seconds))
    }
}

struct HorizonTests {
    /// The badge inside, last heard at 10, and a report at `last`.
    private func bounded(_ venue: Venue = Bench.venue(), last: Double = 10) -> Bench {
        var bench = Bench(venue)
        bench.hear(from: 0, through: 10)
        bench.report(at: last)
        return bench
    }

    @Test func `an exit waits for the report that proves the silence, and is detected then`() {
        var bench = bounded(last: 65)
        bench.tick(at: 5_000)
        #expect(bench.story.filter { $0.hasPrefix("exit") }.isEmpty)
        bench.report(at: 5_001)
        #expect(bench.story.filter { $0.hasPrefix("exit") } == ["exit silence 10/5001"])
    }

    @Test func `below the horizon nothing waits`() {
        var bench = bounded(last: 69)
        bench.report(at: 71)
        #expect(bench.story == ["enter hits 0/2", "exit silence 10/71"])
    }

    @Test func `what only a report can release is no deadline`() {
        var bench = Bench(Bench.venue([.cooldown: 0]))
        bench.hear(from: 0, through: 10)
        bench.report(at: 15)
        bench.tick(at: 60)
        #expect(bench.engine.nextDeadline() == nil)
        bench.tick(at: 100)
        #expect(bench.engine.nextDeadline() == nil)
        bench.engine.bound(horizon: nil)
        #expect(bench.engine.nextDeadline() == .boot + .seconds(100) + .nanoseconds(1))
        bench.tick(at: 100.001)
        #expect(bench.story == ["enter hits 0/2", "exit silence 10/100"])
    }

    @Test func `cooldowns and minutes run on with the present`() {
        var bench = bounded(Bench.venue([.exit: 20]), last: 25)
        bench.report(at: 31)
        #expect(bench.story == ["enter hits 0/2", "exit silence 10/31"])
        bench.tick(at: 63)
        #expect(bench.story.suffix(3) == Array(repeating: "wake silence 10/62", count: 3))
        #expect(bench.decisions.minutes.map(\.count) == [11])
    }

    @Test func `an observation ends with ten seconds that were listened to`() {
        var bench = Bench()
        bench.hear(from: 0, through: 2)
        bench.report(at: 3)
        bench.tick(at: 50)
        #expect(bench.decisions.rangings.isEmpty)
        bench.report(at: 51)
        #expect(bench.decisions.rangings.map(\.count) == [0])
    }

    @Test func `deafness begins with the last report, and nobody is lost by it`() {
        var bench = bounded(last: 60)
        bench.listening(false, at: 90)
        bench.tick(at: 500)
        bench.listening(true, at: 600)
        bench.tick(at: 659)
        bench.hear(at: 659.5)
        #expect(bench.story == ["enter hits 0/2"])
        // Unverified after more than `exit`, counted from the last report.
        var gone = bounded(last: 60)
        gone.listening(false, at: 90)
        gone.listening(true, at: 121)
        gone.tick(at: 1_000)
        #expect(gone.story == ["enter hits 0/2", "exit gap 10/181"])
    }

    @Test func `windows that closed beyond the horizon of a deaf receiver count for nothing`() {
        var bench = Bench(Bench.venue([.exit: 20]))
        bench.window(open: true, at: 0)
        bench.hear(from: 0, through: 4)
        bench.report(at: 4)
        bench.window(open: false, at: 5)
        for cycle in 1...6 {
            bench.window(open: true, at: Double(10 * cycle))
            bench.window(open: false, at: Double(10 * cycle + 5))
        }
        bench.listening(false, at: 66)
        bench.listening(true, at: 71)
        bench.window(open: false, at: 75)
        bench.window(open: true, at: 80)
        bench.window(open: false, at: 85)
        bench.window(open: true, at: 90)
        bench.tick(at: 94)
        #expect(bench.story == ["enter hits 0/2"])
        bench.window(open: false, at: 95)
        bench.tick(at: 96)
        #expect(bench.story.last == "exit gap 4/95")
    }

    @Test func `a deadline that a reload puts in the past waits for the horizon too`() {
        var bench = bounded(last: 20)
        bench.tick(at: 50)
        bench.reload(Bench.venue([.exit: 15]), at: 51)
        #expect(bench.story == ["enter hits 0/2"])
        bench.report(at: 52)
        #expect(bench.story == ["enter hits 0/2", "exit silence 10/52"])
        var below = bounded(last: 40)
        below.reload(Bench.venue([.exit: 15]), at: 51)
        #expect(below.story == ["enter hits 0/2", "exit silence 10/51"])
    }

    @Test func `a snapshot holds the silence that was listened to`() {
        let bench = bounded(last: 25)
        let presence = bench.engine.snapshot(at: .boot + .seconds(100)).presences.first
        #expect(presence?.silenceFrom == .boot + .seconds(85))
        #expect(presence?.lastHeard == .boot + .seconds(10))
    }
}
