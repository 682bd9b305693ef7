// SPDX-License-Identifier: GPL-2.0-or-later

import RegionCore
import Testing
import Time

@testable import StoreSQLite

/// Each write, sync and truncation fails once, in turn, until a whole pass meets no failure.
@Suite struct FaultTests {
    private let folder = Folder()
    private let vfs = FaultVFS()

    private func open(_ folder: Folder) throws -> EventStore {
        let store = try EventStore(
            path: folder.store, gateway: "box", source: .radio, now: morning.wallTime, vfs: vfs.name)
        try store.beginRun(bootId: "boot-1", anchor: morning, why: "test")
        _ = try store.settingsVersion(registry: "{}", configuration: "", at: morning.wallTime)
        return store
    }

    /// Forty beacons come, one goes and one moves, with cooldowns and new names: every table of a batch is written.
    private func batches() -> [LedgerBatch] {
        var script = Script()
        let start = RegionChange.CooldownStart(isWholeRegion: false, until: .boot + .seconds(80))
        let enters = (1...40).map { minor in
            script.event(
                .enter, badge(minor), at: 20 + Double(minor), visit: UInt64(minor),
                regions: [
                    RegionChange(region: "stand-\(minor)", occupancy: 1, edge: true, wake: .told, cooldown: start)
                ])
        }
        let exit = script.event(
            .exit, badge(1), at: 70, visit: 1,
            regions: [RegionChange(region: "stand-1", occupancy: 0, edge: true, wake: .waiting)])
        var nearest = script.event(
            .nearest, badge(2), at: 71, visit: 2, reason: .moved, regions: [], nearest: "b",
            change: NearestChange(from: "a", to: "b", fromScore: -9, toScore: -3))
        nearest.place = Place(floor: "1")
        let wake = script.event(
            .wake, badge(1), at: 70, visit: 1,
            regions: [RegionChange(region: "stand-1", occupancy: 0, edge: true, wake: .told)], of: exit.ordinal)
        var last = batch(Array(enters[20...]) + [exit, nearest, wake], upTo: 72)
        last.decisions.nearMisses = [NearMiss(beacon: badge(77), at: exit.at, hits: 1, strongestRSSI: -80)]
        last.decisions.shadows = [
            ShadowChange(
                beacon: badge(78), at: exit.at, change: NearestChange(from: "c", to: "d", fromScore: nil, toScore: -9))
        ]
        last.listening = [ListeningSpan(receiver: "other", from: .boot, until: exit.at)]
        return [batch(Array(enters[..<20]), upTo: 64), last]
    }

    @Test(arguments: [false, true])
    func `whichever write or sync fails, trying again loses nothing and doubles nothing`(keepsFailing: Bool) throws {
        var failures = 0
        for n in 1... {
            let folder = Folder()
            let store = try open(folder)
            let wanted = batches()
            vfs.arm(failAt: n, keepsFailing: keepsFailing)
            var told: [CommittedEvent] = []
            do throws(StoreError) {
                told = try store.append(contentsOf: wanted)
            } catch {
                #expect(error.kind == .full || error.kind == .device)
                #expect(store.newestSeq == 0)
                #expect(try EventReader(path: folder.store).newestSeq() == 0)
                vfs.arm(failAt: nil)
                failures += 1
                told = try store.append(contentsOf: wanted)
            }
            let hasFailed = vfs.hasFailed
            vfs.arm(failAt: nil)
            #expect(told.map(\.seq) == Array(1...43))
            #expect(told.map(\.event) == wanted.flatMap(\.decisions.events))
            #expect(try EventReader(path: folder.store).events(after: 0, limit: 100) == told)
            #expect(try number("SELECT count(*) FROM presence", in: folder) == 39)
            #expect(
                try number("SELECT count(*) FROM pragma_integrity_check WHERE integrity_check <> 'ok'", in: folder) == 0
            )
            if failures < n, !hasFailed { break }
        }
        #expect(failures > 10)
    }

    @Test func `a failed checkpoint is said, and the next one brings everything home`() throws {
        for n in 1... {
            let folder = Folder()
            let store = try open(folder)
            let told = try store.append(contentsOf: batches())
            vfs.arm(failAt: n)
            do throws(StoreError) {
                try store.database.checkpoint(truncate: true)
            } catch {
                #expect(error.kind == .full || error.kind == .device)
            }
            let hasFailed = vfs.hasFailed
            vfs.arm(failAt: nil)
            try store.database.checkpoint(truncate: true)
            #expect(store.walBytes == 0)
            #expect(try EventReader(path: folder.store).events(after: 0, limit: 100) == told)
            if !hasFailed { break }
        }
    }

    @Test func `a commit costs one sync, however many batches it takes`() throws {
        let store = try open(folder)
        var script = Script()
        _ = try store.append(batch([script.event(.enter, badge(1), at: 20, visit: 1)], upTo: 23))
        let before = vfs.syncs
        for visit in UInt64(2)...11 {
            let event = script.event(.enter, badge(UInt16(visit)), at: 20 + Double(visit), visit: visit)
            _ = try store.append(batch([event], upTo: 23 + Double(visit)))
        }
        #expect(vfs.syncs - before == 10)
        let more = (12...21).map { visit in
            batch([script.event(.enter, badge(UInt16(visit)), at: 40, visit: UInt64(visit))], upTo: 50)
        }
        _ = try store.append(contentsOf: more)
        #expect(vfs.syncs - before == 11)
    }
}
