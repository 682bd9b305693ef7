// SPDX-License-Identifier: GPL-2.0-or-later

import Testing
import Time

@testable import RegionCore

struct NearestTests {
    @Test func `the first to be heard is nearest, and is told with the enter`() {
        var rooms = Rooms()
        rooms.hear(by: 1, at: 0, rssi: -90)
        #expect(rooms.visits == ["enter hits hall,room-south 0.0"])
        #expect(rooms.decisions.events[0].nearest == "south")
    }

    @Test func `a clear lead takes over within three seconds, and the event has both scores`() throws {
        var rooms = Rooms()
        rooms.hear(from: 0, to: 20, [-65, -85])
        rooms.hear(from: 20, to: 40, [-85, -65])
        #expect(rooms.changes == ["north>south"])
        let event = try #require(rooms.decisions.events.first { $0.kind == .nearest })
        #expect(event.at > .boot + .seconds(20) && event.at < .boot + .seconds(23))
        #expect(event.nearest == "south")
        let change = try #require(event.change)
        #expect(try #require(change.toScore) > #require(change.fromScore))
    }

    @Test func `a lead within the margin never takes over`() {
        var rooms = Rooms()
        rooms.hear(by: 0, at: 0, rssi: -72)
        rooms.hear(from: 1, to: 600, [-72, -70])
        #expect(rooms.changes == [])
    }

    @Test func `a receiver's offset counts`() {
        var rooms = Rooms([ReceiverEntry(id: "north"), ReceiverEntry(id: "south", rssiOffset: -12)])
        rooms.hear(from: 0, to: 60, [-72, -65])
        #expect(rooms.changes == [])
    }

    @Test func `a move is an exit and an enter at the sighting that decided it, and the hall is in neither`() {
        var rooms = Rooms()
        rooms.hear(from: 0, to: 20, [-65, -85])
        rooms.hear(from: 20, to: 30, [-85, -65])
        let moved = rooms.decisions.events.filter { $0.reason == .moved && $0.kind != .wake }
        #expect(moved.map(\.kind) == [.nearest, .exit, .enter])
        #expect(moved.map { $0.regions.map(\.region) } == [[], ["room-north"], ["room-south"]])
        #expect(Set(moved.map(\.at)).count == 1 && moved.allSatisfy { $0.at == $0.detectedAt && !$0.endsVisit })
        #expect(moved.flatMap(\.regions).map(\.occupancy) == [0, 1])
        #expect(rooms.region("hall", at: 30)?.occupancy == 1)
    }

    @Test func `a room that was left by a move is told at the end of its cooldown`() {
        var rooms = Rooms([ReceiverEntry(id: "north"), ReceiverEntry(id: "south")], wake: .each)
        rooms.hear(from: 0, to: 20, [-65, -85])
        rooms.hear(from: 20, to: 90, [-85, -65])
        let wakes = rooms.decisions.events.filter { $0.kind == .wake }.flatMap(\.regions)
        #expect(wakes.map(\.region) == ["room-north"])
        #expect(wakes.map(\.wake) == [.told])
    }

    @Test func `within a group of receivers nothing changes`() {
        var rooms = Rooms([
            ReceiverEntry(id: "north", group: "lobby"), ReceiverEntry(id: "south", group: "lobby"),
            ReceiverEntry(id: "far"),
        ])
        for turn in 0..<10 {
            rooms.hear(from: 20 * turn, to: 20 * turn + 20, turn % 2 == 0 ? [-60, -85, -90] : [-85, -60, -90])
        }
        #expect(rooms.visits == ["enter hits hall,room-lobby 0.0"])
        #expect(rooms.changes == [])
        #expect(rooms.row(at: 200)?.nearest == "lobby")
    }

    @Test func `jumping between two receivers (E-11)`() throws {
        var state: UInt64 = 11
        func wobble() -> Int8 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int8(state >> 60) % 9 - 4
        }
        var rooms = Rooms()
        for half in 0..<1_200 {
            rooms.hear(by: 0, at: Double(half) / 2, rssi: -70)
            rooms.hear(by: 1, at: Double(half) / 2 + 0.01, rssi: -70 + wobble())
        }
        #expect(rooms.changes.count <= 2)
        let before = rooms.row(at: 600)?.nearest
        rooms.hear(from: 600, to: 606, [-75, -63])
        #expect(rooms.row(at: 606)?.nearest == "south")
        let last = try #require(rooms.decisions.events.last { $0.kind == .nearest } ?? rooms.decisions.events.first)
        if before == "north" { #expect(last.change?.fromScore != nil && last.change?.toScore != nil) }
    }

    @Test func `the first return is free, and no more than two count`() {
        var standing = NearestContest.Standing()
        let minute: Int64 = 60_000_000_000
        var cautions: [Double] = []
        for turn in 1...5 as ClosedRange<Int64> {
            standing.noteArrival(leftAt: (turn - 1) * minute, at: turn * minute)
            cautions.append(standing.caution(at: turn * minute))
        }
        #expect(cautions == [0, 3, 6, 6, 6])
        #expect(standing.caution(at: 30 * minute) == 0)
        // One that was never there, or left long ago, does not come back.
        standing = NearestContest.Standing()
        for _ in 0..<5 { standing.noteArrival(leftAt: .min, at: 100 * minute) }
        #expect(standing.caution(at: 100 * minute) == 0)
    }

    @Test func `who wobbles is calmed down, and who really goes to and fro is followed`() {
        func changes(lead: Int8) -> Int {
            var rooms = Rooms()
            for turn in 0..<10 {
                let levels: [Int8?] = turn % 2 == 0 ? [-70, -70 - lead] : [-70 - lead, -70]
                rooms.hear(from: 30 * turn, to: 30 * turn + 30, levels)
            }
            return rooms.changes.count
        }
        #expect(changes(lead: 5) <= 3)
        #expect(changes(lead: 20) == 9)
    }

    @Test func `the shadow's changes are recorded, and nothing is told`() {
        var rooms = Rooms(shadow: NearestRule(margin: 0.5, leadEvidence: 0.5))
        rooms.hear(by: 0, at: 0, rssi: -72)
        rooms.hear(from: 1, to: 60, [-72, -70])
        #expect(rooms.changes == [])
        #expect(rooms.visits.count == 1)
        #expect(rooms.decisions.shadows.map(\.change.to) == ["south"])
        #expect(rooms.decisions.shadows.map(\.beacon) == [Rooms.badge])
    }

    @Test func `two addresses that take turns are several advertisers, one that changes is not`() {
        var rooms = Rooms()
        for second in 0..<10 { rooms.hear(by: 0, at: Double(second), address: second < 5 ? 1 : 2) }
        #expect(rooms.row(at: 10)?.severalAdvertisers == false)
        rooms.hear(by: 0, at: 10, address: 1)
        #expect(rooms.row(at: 10)?.severalAdvertisers == true)
        #expect(rooms.row(at: 21)?.severalAdvertisers == false)
        // One each at two receivers is no turn.
        var others = Rooms()
        for second in 0..<10 { others.hear(by: second % 2, at: Double(second), address: UInt64(second % 2)) }
        #expect(others.row(at: 10)?.severalAdvertisers == false)
    }

    @Test func `a level fades in about two seconds, and one wild packet is held to a step`() {
        var steady = SteadyRSSI()
        steady.add(-70, after: 0)
        #expect(steady.mean == -70)
        for _ in 0..<20 { steady.add(-70, after: 0.5) }
        var wild = steady
        wild.add(-20, after: 0.5)
        #expect(wild.mean > -70 && wild.mean < -65)
        for _ in 0..<8 { steady.add(-60, after: 0.5) }
        #expect(steady.mean > -61.5)
        // After a long pause the new one counts nearly alone.
        steady.add(-90, after: 60)
        #expect(steady.mean < -89)
        var known = SteadyRSSI(before: -50)
        #expect(known.isEmpty)
        known.add(-80, after: 0)
        #expect(known.mean == -80)
    }

    @Test func `the mean gap takes three sightings, and begins anew after an absence`() {
        var gap = MeanGap()
        #expect(gap.mean == 10)
        for _ in 0..<2 { gap.add(after: 1) }
        #expect(gap.mean == 10)
        for _ in 0..<30 { gap.add(after: 2) }
        #expect(abs(gap.mean - 2) < 0.2)
        gap.add(after: 61)
        #expect(gap.mean == 10)
    }
}
