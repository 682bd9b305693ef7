// SPDX-License-Identifier: GPL-2.0-or-later

import RegionCore
import Testing
import Time

/// Limits told from the loudest that a receiver hears.
struct LoudestTests {
    private var bench = Bench(
        Bench.venue([.belowLoudest: 1, .enterRSSI: -12, .exitRSSI: -18, .exit: 30, .cooldown: 0]))

    private var events: [String] { bench.story.filter { !$0.hasPrefix("wake") } }

    @Test mutating func `who is as loud as the loudest is in, whatever that is`() {
        bench.hear(from: 0, through: 10, rssi: -88)
        #expect(events == ["enter hits 0/2"])
    }

    @Test mutating func `who is much weaker than the loudest ever was stays out`() {
        bench.hear(from: 0, through: 10, rssi: -65)
        bench.tick(at: 100)
        bench.hear(from: 200, through: 260, rssi: -78)
        #expect(events == ["enter hits 0/2", "exit silence 10/40"])
    }

    @Test mutating func `who fades far below the loudest leaves`() {
        bench.hear(from: 0, through: 10, rssi: -65)
        bench.hear(from: 11, through: 40, rssi: -90)
        #expect(events.count == 2)
        #expect(events.last?.hasPrefix("exit weak") == true)
    }

    @Test mutating func `a badge on the receiver is not the measure of visitors`() {
        bench.hear(from: 0, through: 10, rssi: -20)
        bench.tick(at: 100)
        bench.hear(from: 200, through: 210, rssi: -71)
        #expect(events.last == "enter hits 200/202")
    }

    @Test mutating func `what was loud is known after a restart`() {
        bench.hear(from: 0, through: 10, rssi: -65)
        let level = bench.engine.snapshot(at: .boot + .seconds(10)).loudest
        #expect(level.map(\.receiver) == ["box"])
        var again = Bench(Bench.venue([.belowLoudest: 1, .enterRSSI: -12, .cooldown: 0]))
        var snapshot = EngineSnapshot()
        snapshot.loudest = level
        again.engine.restore(snapshot, away: .known(.seconds(5)), at: .boot, into: &again.decisions)
        again.hear(from: 20, through: 60, rssi: -80)
        #expect(again.story.isEmpty)
    }
}
