// SPDX-License-Identifier: GPL-2.0-or-later

import RegionCore
import Testing
import Time

/// A state request tells how every region stands, without an event.
struct RegionStateTests {
    private static let regions = [
        RegionDefinition(identifier: "hall", name: "Hall", scope: RegionScope(uuid: Bench.uuid), capacity: 20),
        RegionDefinition(identifier: "nine", scope: RegionScope(uuid: Bench.uuid, major: 9)),
    ]

    @Test func `it tells who is inside and who is not, in registry order`() {
        var bench = Bench(Bench.venue(regions: Self.regions))
        bench.hear(from: 0, through: 10)
        #expect(
            bench.engine.regionStates() == [
                RegionState(
                    region: "hall", name: "Hall", occupancy: 1, verified: 1, listening: true, capacity: 20),
                RegionState(region: "nine", occupancy: 0, verified: 0, listening: true),
            ])
        #expect(bench.engine.regionStates().map(\.isInside) == [true, false])
        bench.tick(at: 100)
        #expect(bench.engine.regionStates().map(\.isInside) == [false, false])
    }

    @Test func `asking decides nothing`() {
        var bench = Bench(Bench.venue(regions: Self.regions))
        bench.hear(from: 0, through: 10)
        let before = bench.story
        _ = bench.engine.regionStates()
        bench.tick(at: 69)
        #expect(bench.story == before)
    }

    @Test func `while nothing listens the state is that of before, and says so`() {
        var bench = Bench(Bench.venue(regions: Self.regions))
        bench.hear(from: 0, through: 10)
        bench.listening(false, at: 11)
        #expect(bench.engine.regionStates().map(\.listening) == [false, false])
        #expect(bench.engine.regionStates().map(\.isInside) == [true, false])
        bench.listening(true, at: 200)
        let back = bench.engine.regionStates()
        #expect(back.map(\.listening) == [true, true])
        #expect(back.map(\.occupancy) == [1, 0])
        #expect(back.map(\.verified) == [0, 0])
    }

    @Test func `a region listens as long as one of its own receivers does`() {
        var venue = Bench.venue(regions: Self.regions)
        venue.receivers = [ReceiverEntry(id: "box"), ReceiverEntry(id: "other")]
        venue.regions?[0].receivers = ["box"]
        venue.regions?[1].receivers = ["other"]
        var bench = Bench(venue)
        let other = bench.engine.receiver(own: ReceiverEntry(id: "other"))
        bench.engine.listening(false, of: other, at: .boot + .seconds(1), into: &bench.decisions)
        #expect(bench.engine.regionStates().map(\.listening) == [true, false])
    }
}
