// SPDX-License-Identifier: GPL-2.0-or-later

import RegionCore
import Testing
import Time

@testable import StoreSQLite

@Suite struct RestoreTests {
    private let folder = Folder()

    /// Another boot whose clock stands at 5 s at this wall time.
    private func otherBoot(_ span: Duration, synchronised: Bool = true) -> ClockAnchor {
        ClockAnchor(
            instant: .boot + .seconds(5), wallTime: morning.wallTime + span, synchronised: synchronised)
    }

    private func told(_ region: String, until: Double, whole: Bool = false) -> RegionChange {
        RegionChange(
            region: region, occupancy: 1, edge: true, wake: .told,
            cooldown: .init(isWholeRegion: whole, until: .boot + .seconds(decimal: until)))
    }

    private func reopen() throws -> EventStore {
        try EventStore(path: folder.store, gateway: "box", source: .radio, now: morning.wallTime)
    }

    /// Badge 1 is inside since 20 s, last heard at 39 s, its cooldown runs until 80 s; stored up to 40 s.
    private func leaveSomebodyInside(clean: Bool) throws -> EngineSnapshot.Presence {
        let store = try openStore(folder)
        var script = Script()
        _ = try store.append(
            batch([script.event(.enter, badge(1), at: 20, visit: 1, regions: [told("hall", until: 80)])], upTo: 23))
        var checkpoint = batch([], upTo: 40)
        let presence = EngineSnapshot.Presence(
            beacon: badge(1), visit: 1, enteredAt: .boot + .seconds(20), lastHeard: .boot + .seconds(39),
            lastEventAt: .boot + .seconds(20), silenceFrom: .boot + .seconds(38), restartSpent: true)
        checkpoint.checkpoint = [presence]
        _ = try store.append(checkpoint)
        if clean { try store.endRun(how: EventStore.cleanEnd, at: later(.seconds(30))) }
        return presence
    }

    @Test func `a new store has nothing to restore`() throws {
        #expect(try reopen().restore(bootId: "boot-1", anchor: morning) == nil)
    }

    @Test(arguments: [true, false])
    func `in the same boot instants are used as they are`(clean: Bool) throws {
        let presence = try leaveSomebodyInside(clean: clean)
        let state = try #require(try reopen().restore(bootId: "boot-1", anchor: later(.seconds(90))))
        var expected = EngineSnapshot()
        expected.presences = [presence]
        expected.cooldowns = [.init(region: "hall", beacon: badge(1), until: .boot + .seconds(80))]
        (expected.nextOrdinal, expected.nextVisit) = (2, 2)
        (expected.takenAt, expected.isClean) = (.boot + .seconds(40), clean)
        #expect(state.snapshot == expected)
        #expect(state.away == .known(.seconds(60)))
        #expect((state.settings, state.registry, state.configuration) == (1, "{}", ""))
    }

    @Test(arguments: [true, false])
    func `from another boot instants lie below zero by the calendar where the clock is trusted`(trusted: Bool) throws {
        _ = try leaveSomebodyInside(clean: false)
        // morning + 100 s is 110 s on the old clock and 5 s on the new one.
        let anchor = otherBoot(.seconds(100), synchronised: !trusted)
        let state = try #require(try reopen().restore(bootId: "boot-2", anchor: anchor, clockTrusted: trusted))
        #expect(state.away == .known(.seconds(70)))
        #expect(state.snapshot.takenAt == .boot - .seconds(65))
        let presence = try #require(state.snapshot.presences.first)
        #expect(presence.lastHeard == .boot - .seconds(66))
        #expect(presence.enteredAt == .boot - .seconds(85))
        #expect(state.snapshot.cooldowns.map(\.until) == [.boot - .seconds(25)])
    }

    @Test(arguments: [(100, false), (-100, true)])
    func `when the clock cannot tell, the absence is unknown and nothing lies ahead`(
        seconds: Int, synchronised: Bool
    ) throws {
        _ = try leaveSomebodyInside(clean: false)
        let anchor = otherBoot(.seconds(seconds), synchronised: synchronised)
        let state = try #require(try reopen().restore(bootId: "boot-2", anchor: anchor))
        #expect(state.away == .unknown)
        #expect(state.snapshot.takenAt == anchor.instant)
        #expect(state.snapshot.presences.first?.lastHeard == anchor.instant - .seconds(1))
    }

    @Test func `a run that stored nothing takes away the clean end and nothing else`() throws {
        let presence = try leaveSomebodyInside(clean: true)
        try reopen().beginRun(bootId: "boot-1", anchor: later(.seconds(50)), why: "test")
        let store = try reopen()
        try store.beginRun(bootId: "boot-1", anchor: later(.seconds(60)), why: "test")
        let state = try #require(try store.restore(bootId: "boot-1", anchor: later(.seconds(60))))
        #expect(state.snapshot.presences == [presence])
        #expect(state.snapshot.takenAt == .boot + .seconds(40))
        #expect(!state.snapshot.isClean)
        #expect(state.settings == 1)
    }

    @Test func `the newest event says how far a run is complete`() throws {
        let store = try openStore(folder)
        var script = Script()
        _ = try store.append(batch([script.event(.enter, badge(1), at: 20, visit: 1)], upTo: 22.2))
        _ = try store.append(batch([script.event(.enter, badge(2), at: 20.5, visit: 2)], upTo: 22.7))
        let state = try #require(try store.restoreForTest(folder))
        #expect(state.snapshot.takenAt == .boot + .milliseconds(22_660))
        #expect(
            state.snapshot.presences.map(\.lastHeard) == [.boot + .milliseconds(22_160), .boot + .milliseconds(22_660)])
    }

    @Test func `a waiting exit is restored with its cooldown until its wake comes`() throws {
        let store = try openStore(folder)
        var script = Script()
        var waiting = script.event(
            .exit, badge(1), at: 30, visit: 1, enteredAt: 20,
            regions: [
                RegionChange(region: "hall", occupancy: 0, edge: true, wake: .waiting),
                RegionChange(region: "stand", occupancy: 0, edge: true, wake: .waiting),
            ])
        script.ordinal = 1
        let enter = script.event(
            .enter, badge(1), at: 20, visit: 1,
            regions: [told("hall", until: 80, whole: true), told("stand", until: 81)])
        waiting.ordinal = 2
        script.ordinal = 3
        // Long after both have ended: they stay, since nobody has decided them.
        _ = try store.append(batch([enter, waiting], upTo: 500))
        let exit = EngineSnapshot.WaitingExit(
            ordinal: 2, beacon: waiting.beacon, reason: .silence, at: waiting.at, visit: 1,
            enteredAt: .boot + .seconds(20),
            uncertain: false)
        var cooldowns = try #require(try store.restoreForTest(folder)).snapshot.cooldowns
        #expect(
            cooldowns == [
                .init(region: "hall", beacon: nil, until: .boot + .seconds(80), waiting: [exit]),
                .init(region: "stand", beacon: badge(1), until: .boot + .seconds(81), waiting: [exit]),
            ])
        let wake = script.event(
            .wake, badge(1), at: 30, visit: 1, enteredAt: 20,
            regions: [RegionChange(region: "hall", occupancy: 0, edge: true, wake: .told)], of: 2)
        let told = try store.append(batch([wake], upTo: 600))
        #expect(told.first?.of == 2)
        cooldowns = try #require(try store.restoreForTest(folder)).snapshot.cooldowns
        #expect(cooldowns.map(\.region) == ["stand"])
        #expect(try number("SELECT count(*) FROM cooldown", in: folder) == 1)
    }

    @Test func `a removed exit ends the cooldown of its subject`() throws {
        let store = try openStore(folder)
        var script = Script()
        let enter = script.event(
            .enter, badge(1), at: 20, visit: 1,
            regions: [told("hall", until: 80, whole: true), told("stand", until: 80)])
        let removed = script.event(
            .exit, badge(1), at: 30, visit: 1, reason: .removed, enteredAt: 20,
            regions: [
                RegionChange(region: "stand", occupancy: 0, edge: true, wake: .told),
                RegionChange(region: "hall", occupancy: 3, edge: false),
            ])
        _ = try store.append(batch([enter, removed], upTo: 32))
        #expect(try #require(try store.restoreForTest(folder)).snapshot.cooldowns.map(\.region) == ["hall"])
    }

    @Test func `an exit that leaves other regions keeps the beacon inside, on the clock of the present boot`() throws {
        let first = try leaveSomebodyInside(clean: false)
        let store = try reopen()
        let anchor = otherBoot(.seconds(100))
        try store.beginRun(bootId: "boot-2", anchor: anchor, why: "test")
        var script = Script(ordinal: 2)
        let partial = script.event(
            .exit, badge(1), at: 6, visit: 1, reason: .removed, enteredAt: -85, endsVisit: false)
        _ = try store.append(batch([partial], upTo: 9, anchor: anchor))
        let state = try #require(try store.restoreForTest(folder, bootId: "boot-2", anchor: anchor))
        var expected = first
        expected.enteredAt = .boot - .seconds(85)
        expected.lastHeard = .boot - .seconds(66)
        expected.silenceFrom = .boot - .seconds(67)
        expected.lastEventAt = .boot + .seconds(6)
        #expect(state.snapshot.presences == [expected])
        #expect(try number("SELECT count(*) FROM visit WHERE left_us IS NULL", in: folder) == 1)
    }

    @Test func `a region that a reload adds opens no second visit`() throws {
        let store = try openStore(folder)
        var script = Script()
        _ = try store.append(
            batch(
                [
                    script.event(.enter, badge(1), at: 20, visit: 1),
                    script.event(.enter, badge(1), at: 50, visit: 1, reason: .added, enteredAt: 20),
                ], upTo: 53))
        let presence = try #require(try store.restoreForTest(folder)?.snapshot.presences.first)
        #expect(presence.enteredAt == .boot + .seconds(20))
        #expect(presence.lastHeard == .boot + .milliseconds(22_160))
        #expect(presence.lastEventAt == .boot + .seconds(50))
        #expect(try number("SELECT count(*) FROM visit", in: folder) == 1)
    }

    @Test func `cooldowns that are over are swept`() throws {
        let store = try openStore(folder)
        var script = Script()
        _ = try store.append(
            batch([script.event(.enter, badge(1), at: 20, visit: 1, regions: [told("hall", until: 80)])], upTo: 23))
        _ = try store.append(batch([], upTo: 90))
        #expect(try number("SELECT count(*) FROM cooldown", in: folder) == 0)
    }

    @Test func `a loss is recorded, and who is inside is what the engine says`() throws {
        let present = try leaveSomebodyInside(clean: false)
        let store = try reopen()
        try store.beginRun(bootId: "boot-1", anchor: later(.seconds(50)), why: "test")
        var inside = present
        (inside.beacon, inside.visit) = (badge(9), 9)
        try store.recordLoss(
            count: 3, from: .boot + .seconds(61), to: .boot + .seconds(62), inside: [inside],
            anchor: later(.seconds(52)))
        let state = try #require(try store.restoreForTest(folder))
        #expect(state.snapshot.presences == [inside])
        #expect(state.snapshot.nextVisit == 10)
        #expect(try number("SELECT to_ns - from_ns FROM lost WHERE count = 3", in: folder) == 1_000_000_000)
        #expect(try number("SELECT visit FROM visit WHERE exit_reason = 'lost'", in: folder) == 1)
    }
}

extension EventStore {
    /// What a start after a crash at this moment would find: the files as they are now, opened elsewhere.
    fileprivate func restoreForTest(
        _ folder: Folder, bootId: String = "boot-1", anchor: ClockAnchor = later(.seconds(900))
    ) throws -> RestoredState? {
        let copy = try folder.copy()
        let store = try EventStore(path: copy.store, gateway: "box", source: .radio, now: morning.wallTime)
        return try store.restore(bootId: bootId, anchor: anchor)
    }
}
