// SPDX-License-Identifier: GPL-2.0-or-later

import RegionCore
import Testing
import Time

@testable import StoreSQLite

/// What is nearest, and moves, as a restart finds them.
@Suite struct NearestTests {
    private let folder = Folder()
    private var script = Script()

    private func changed(to score: Double?) -> NearestChange {
        NearestChange(from: "north", to: "south", fromScore: -12, toScore: score)
    }

    private mutating func enter(nearest: String?) -> RegionEvent {
        script.event(.enter, badge(1), at: 20, visit: 1, nearest: nearest)
    }

    private mutating func nearest(at seconds: Double, score: Double?) -> RegionEvent {
        script.event(
            .nearest, badge(1), at: seconds, visit: 1, reason: .moved, enteredAt: 20, regions: [], nearest: "south",
            change: changed(to: score))
    }

    private func restored() throws -> EngineSnapshot.Presence? { try snapshot()?.presences.first }

    private func snapshot() throws -> EngineSnapshot? {
        let copy = try folder.copy()
        let store = try EventStore(path: copy.store, gateway: "box", source: .radio, now: morning.wallTime)
        return try store.restore(bootId: "boot-1", anchor: later(.seconds(900)))?.snapshot
    }

    @Test mutating func `the loudest that a receiver hears is restored, as it was stored last`() throws {
        let store = try openStore(folder)
        for (level, upTo) in [(-70.5, 23.0), (-63.25, 40)] {
            var checkpoint = batch([], upTo: upTo)
            checkpoint.loudest = [ReceiverLevel(receiver: "north", level: level)]
            _ = try store.append(checkpoint)
        }
        #expect(try snapshot()?.loudest == [ReceiverLevel(receiver: "north", level: -63.25)])
    }

    @Test(arguments: [nil, EngineSnapshot.Nearest(receiver: "north", score: -7.25)])
    mutating func `what is nearest is restored with its score`(nearest: EngineSnapshot.Nearest?) throws {
        let store = try openStore(folder)
        _ = try store.append(batch([enter(nearest: "south")], upTo: 23))
        var checkpoint = batch([], upTo: 40)
        let presence = EngineSnapshot.Presence(
            beacon: badge(1), visit: 1, enteredAt: .boot + .seconds(20), lastHeard: .boot + .seconds(39),
            lastEventAt: .boot + .seconds(20), silenceFrom: .boot + .seconds(38), nearest: nearest)
        checkpoint.checkpoint = [presence]
        _ = try store.append(checkpoint)
        #expect(try restored() == presence)
    }

    @Test mutating func `an enter says what is nearest, though not how near`() throws {
        let store = try openStore(folder)
        _ = try store.append(batch([enter(nearest: "north")], upTo: 23))
        #expect(try restored()?.nearest == .init(receiver: "north", score: 0))
    }

    @Test mutating func `a nearest event moves the state in its own transaction, and ends nothing`() throws {
        let store = try openStore(folder)
        _ = try store.append(batch([enter(nearest: "north"), nearest(at: 30, score: -3.5)], upTo: 33))
        let presence = try #require(try restored())
        #expect(presence.nearest == .init(receiver: "south", score: -3.5))
        #expect(presence.lastEventAt == .boot + .seconds(30))
        #expect(presence.enteredAt == .boot + .seconds(20))
        #expect(try number("SELECT count(*) FROM visit WHERE left_us IS NULL", in: folder) == 1)
    }

    @Test mutating func `an event without scores keeps that of the same receiver, and of no other`() throws {
        let store = try openStore(folder)
        let added = script.event(
            .enter, badge(1), at: 40, visit: 1, reason: .added, enteredAt: 20, nearest: "south")
        _ = try store.append(batch([enter(nearest: "north"), nearest(at: 30, score: -3.5), added], upTo: 43))
        #expect(try restored()?.nearest == .init(receiver: "south", score: -3.5))
        let other = script.event(
            .enter, badge(1), at: 50, visit: 1, reason: .added, enteredAt: 20, nearest: "west")
        _ = try store.append(batch([other], upTo: 53))
        #expect(try restored()?.nearest == .init(receiver: "west", score: 0))
    }

    @Test mutating func `a move goes on with the same visit, and its regions' cooldowns and waits are kept`() throws {
        let store = try openStore(folder)
        let cooldown = RegionChange.CooldownStart(isWholeRegion: false, until: .boot + .seconds(90))
        let out = script.event(
            .exit, badge(1), at: 30, visit: 1, reason: .moved, enteredAt: 20,
            regions: [RegionChange(region: "hall", occupancy: 0, edge: true, wake: .waiting)], endsVisit: false,
            nearest: "south")
        let into = script.event(
            .enter, badge(1), at: 30, visit: 1, reason: .moved, enteredAt: 20,
            regions: [RegionChange(region: "stand", occupancy: 1, edge: true, wake: .told, cooldown: cooldown)],
            nearest: "south")
        let events = [enter(nearest: "north"), nearest(at: 30, score: -3.5), out, into]
        let told = try store.append(batch(events, upTo: 33))
        #expect(try EventReader(path: folder.store).events(after: 0, limit: 9) == told)
        #expect(try restored()?.nearest == .init(receiver: "south", score: -3.5))
        #expect(try number("SELECT count(*) FROM presence WHERE visit = 1", in: folder) == 1)
        #expect(try number("SELECT count(*) FROM visit WHERE left_us IS NULL AND enter_seq = 1", in: folder) == 1)
        #expect(try number("SELECT seq FROM waiting_exit", in: folder) == 3)
        #expect(try number("SELECT count(*) FROM cooldown", in: folder) == 1)
        let last = script.event(.exit, badge(1), at: 50, visit: 1, enteredAt: 20, nearest: "south")
        _ = try store.append(batch([last], upTo: 80))
        #expect(try restored() == nil)
        #expect(try number("SELECT (left_us - entered_us) / 1000000 FROM visit", in: folder) == 30)
    }

    @Test func `receivers that fall behind or come back are notes`() throws {
        let store = try openStore(folder)
        var decisions = Decisions()
        let (since, at) = (Instant.boot + .seconds(20), Instant.boot + .milliseconds(40_900))
        decisions.receivers = [
            ReceiverChange(receiver: "Room202", isBack: false, since: since, at: at),
            ReceiverChange(receiver: "Room202", isBack: true, since: since, at: .boot + .seconds(95)),
        ]
        var batch = batch([], upTo: 100)
        batch.notes = [Note(kind: .clock, text: "first", at: at)]
        batch.take(decisions)
        #expect(batch.decisions.isEmpty)
        _ = try store.append(batch)
        let notes = try StoreInspection(path: folder.store).notes(last: 9)
        #expect(
            notes.map(\.text) == [
                "first",
                "receiver Room202 has not been heard for 20 s while others were: its beacons are held, unverified",
                "receiver Room202 is heard again, after 75 s",
            ])
        #expect(notes.map(\.kind) == ["clock", "radio", "radio"])
        #expect(notes.map(\.at)[1] == morning.wallTime(at: at))
    }

    @Test func `a place is stored once, however often it is told`() throws {
        let places = [Place(), Place(floor: "1"), Place(exhibit: "E-4", floor: "1", x: 1, y: 2)]
        for _ in 1...2 {
            // The second time what was met is no longer in memory.
            let store = try openStore(folder)
            var script = Script(ordinal: UInt64(store.newestSeq) + 1)
            let events = (places + places).map { place in
                var event = script.event(.enter, badge(1), at: 20, visit: script.ordinal)
                event.place = place
                return event
            }
            let told = try store.append(batch(events, upTo: 23))
            #expect(told.map(\.event.place) == places + places)
        }
        #expect(try number("SELECT count(*) FROM place", in: folder) == 3)
    }
}
