// SPDX-License-Identifier: GPL-2.0-or-later

import RegionCore
import Testing
import Time

@testable import StoreSQLite

/// A box that is updated keeps what it had.
@Suite struct MigrationTests {
    private let folder = Folder()

    /// What a regiond of version 1 left: badge 1 inside since 20 s, badge 2 gone, its exit waiting.
    private func makeVersion1() throws {
        let database = try Database(path: folder.store, mode: .writer, lock: nil)
        try Migrations.apply(Array(Schema.migrations.prefix(1)), to: database)
        let start = morning.wallTime.microseconds
        try database.execute(
            """
            INSERT INTO store VALUES (1, 'box', 'abc123', 'radio', \(start), NULL);
            INSERT INTO settings_version VALUES (1, \(start), '{"a":1}', 'quiet');
            INSERT INTO run VALUES (1, 'boot-1', 'start', \(start), 10000000000, \(start), 99000000000, 'clean',
                99000000000, 1, \(start), 10000000000, 1);
            INSERT INTO region VALUES (1, 'hall');
            INSERT INTO receiver VALUES (1, 'gate');
            INSERT INTO beacon VALUES (1, '\(badge(1).uuid)', 1001, 1), (2, '\(badge(2).uuid)', 1001, 2);
            INSERT INTO description VALUES (1, 1, 'Badge', NULL, 'carried', NULL, 1),
                (2, 2, NULL, 'E-4', 'fixed', 'G', 0);
            INSERT INTO event VALUES
                (1, 5, 1, 'enter', 'hits', \(start), 20000000000, \(start), 22000000000, 1, 1, 7, 20000000000, 0, 0,
                    NULL, NULL, 3, -67.0, -66.5, 'mid', '2–5 m', 1, 2000000000, 1),
                (2, 6, 1, 'exit', 'silence', \(start), 30000000000, \(start), 60000000000, 1, 2, 6, 11000000000, 1, 1,
                    NULL, NULL, 0, NULL, NULL, NULL, NULL, 1, 30000000000, 1);
            INSERT INTO event_region VALUES (1, 0, 1, 2, 0, NULL, NULL, NULL), (2, 0, 1, 1, 0, 'waiting', NULL, NULL);
            INSERT INTO visit VALUES (7, 1, 1, \(start), NULL, NULL, NULL, 0),
                (6, 2, NULL, \(start), 2, \(start), 'silence', 1);
            INSERT INTO presence VALUES (1, 1, 7, 20000000000, 90000000000, 20000000000, 89000000000, 1, 0);
            INSERT INTO cooldown VALUES (1, 2, 1, 95000000000, \(start));
            INSERT INTO waiting_exit VALUES (2, 1);
            INSERT INTO last_wake VALUES (1, 1);
            INSERT INTO note VALUES (1, 1, 'start', 'regiond listens', \(start), 10000000000);
            """, doing: "make a version 1")
    }

    private func open() throws -> EventStore {
        try EventStore(path: folder.store, gateway: "renamed", source: .radio, now: morning.wallTime)
    }

    @Test func `a reader does not touch a file of version 1, and says what to do`() throws {
        try makeVersion1()
        do throws(StoreError) {
            _ = try EventReader(path: folder.store)
            Issue.record("read")
        } catch { #expect(error.kind == .olderVersion) }
        #expect(try StoreInspection(path: folder.store).summary().version == 1)
    }

    @Test func `events of version 1 are read as they were, without what was not known then`() throws {
        try makeVersion1()
        let store = try open()
        #expect(store.facts.id(of: 2) == "box-abc123-2")
        #expect(store.newestSeq == 2)
        let reader = try EventReader(path: folder.store)
        let events = try reader.events(after: 0, limit: 9)
        #expect(events.map(\.event.ordinal) == [5, 6])
        #expect(events.map(\.event.beacon.name) == ["Badge", nil])
        #expect(events.map(\.event.beacon.exhibit) == [nil, "E-4"])
        #expect(events.map(\.event.regions.first?.occupancy) == [2, 1])
        #expect(events.allSatisfy { $0.event.nearest == nil && $0.event.change == nil && $0.event.place == nil })
        #expect(try reader.lastWakes() == [events[0]])
        #expect(try StoreInspection(path: folder.store).summary().version == Int64(Schema.migrations.count))
        #expect(try StoreInspection(path: folder.store).notes(last: 9).map(\.text) == ["regiond listens"])
    }

    @Test func `who was inside is restored, near nothing`() throws {
        try makeVersion1()
        let state = try #require(try open().restore(bootId: "boot-1", anchor: later(.seconds(100))))
        #expect(
            state.snapshot.presences == [
                EngineSnapshot.Presence(
                    beacon: badge(1), visit: 7, enteredAt: .boot + .seconds(20), lastHeard: .boot + .seconds(90),
                    lastEventAt: .boot + .seconds(20), silenceFrom: .boot + .seconds(89), restartSpent: true)
            ])
        #expect(state.snapshot.cooldowns.map(\.waiting.first?.ordinal) == [6])
        #expect((state.snapshot.nextOrdinal, state.snapshot.nextVisit, state.snapshot.isClean) == (7, 8, true))
        #expect((state.registry, state.configuration) == ("{\"a\":1}", "quiet"))
    }

    @Test func `events go on in the same numbers, and a beacon inside gets its nearest`() throws {
        try makeVersion1()
        let store = try open()
        try store.beginRun(bootId: "boot-1", anchor: later(.seconds(95)), why: "test")
        var script = Script(ordinal: 7)
        let change = NearestChange(from: "gate", to: "south", fromScore: nil, toScore: -4)
        let event = script.event(
            .nearest, badge(1), at: 106, visit: 7, reason: .moved, enteredAt: 20, regions: [], nearest: "south",
            change: change)
        let told = try store.append(batch([event], upTo: 110))
        #expect(told.map(\.seq) == [3])
        #expect(try EventReader(path: folder.store).events(after: 2, limit: 9) == told)
        #expect(
            try number(
                """
                SELECT nearest_score FROM presence JOIN station ON station.id = nearest
                WHERE identifier = 'south' AND visit = 7 AND loss_spent = 0 AND restart_spent = 1
                """, in: folder) == -4)
        #expect(try number("SELECT count(*) FROM pragma_foreign_key_check", in: folder) == 0)
    }
}
