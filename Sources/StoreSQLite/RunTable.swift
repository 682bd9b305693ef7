// SPDX-License-Identifier: GPL-2.0-or-later

import RegionCore
import Time

/// Starts and ends of the gateway, and how far each run is complete.
final class RunTable {
    /// The run that goes on, as its row has it.
    struct Open {
        var clock: RunClock
        var upTo: Instant?
        var settings: Int64?
    }

    private let insertRun, endRun, advanceRun: Statement

    init(_ database: Database) throws(StoreError) {
        insertRun = try database.prepare(
            """
            INSERT INTO run (boot, why, started_us, started_ns, anchor_us, anchor_ns, synchronised, settings)
            VALUES (?1, ?2, ?3, ?4, ?3, ?4, ?5, (SELECT settings FROM run ORDER BY id DESC LIMIT 1)) RETURNING id
            """, doing: "store the start of a run")
        endRun = try database.prepare(
            "UPDATE run SET ended_us = ?, ended_ns = ?, how = ? WHERE id = ?", doing: "store the end of a run")
        advanceRun = try database.prepare(
            """
            UPDATE run SET up_to_ns = ?, settings = ?, anchor_us = ?, anchor_ns = ?, synchronised = ? WHERE id = ?
            """, doing: "store how far a run is complete")
    }

    func begin(bootId: String, anchor: ClockAnchor, why: String) throws(StoreError) -> Open {
        insertRun.add(bootId).add(why).add(anchor.wallTime.microseconds).add(anchor.instant.nanoseconds)
        let id = try insertRun.add(anchor.synchronised).first { $0.integer() } ?? 0
        return Open(clock: RunClock(run: id, bootId: bootId, anchor: anchor))
    }

    func end(_ run: Open, how: String, at anchor: ClockAnchor) throws(StoreError) {
        endRun.add(anchor.wallTime.microseconds).add(anchor.instant.nanoseconds).add(how).add(run.clock.run)
        try endRun.run()
    }

    /// Notes up to when the run is complete. Events say so themselves, so that beside them the row, and with it a page
    /// of flash, is written once a second at most; last-heard times may be later than the events beside them.
    func advance(_ run: inout Open, by batch: LedgerBatch) throws(StoreError) {
        let isKnown = batch.settings == run.settings && batch.anchor.synchronised == run.clock.anchor.synchronised
        let saysSo = !batch.decisions.events.isEmpty && batch.checkpoint.isEmpty
        if isKnown, saysSo, let upTo = run.upTo, batch.upTo - upTo < StoreLimit.upToEvery { return }
        run.upTo = max(batch.upTo, run.upTo ?? batch.upTo)
        run.settings = batch.settings
        run.clock.anchor = batch.anchor
        advanceRun.add(run.upTo?.nanoseconds).add(batch.settings)
        advanceRun.add(batch.anchor.wallTime.microseconds).add(batch.anchor.instant.nanoseconds)
        try advanceRun.add(batch.anchor.synchronised).add(run.clock.run).run()
    }
}

/// The registry and configuration that were in force, one row for each change.
final class SettingsTable {
    private let newest, insert: Statement

    init(_ database: Database) throws(StoreError) {
        newest = try database.prepare(
            """
            SELECT id FROM settings_version
            WHERE id = (SELECT max(id) FROM settings_version) AND registry = ? AND configuration = ?
            """, doing: "compare settings with the newest stored")
        insert = try database.prepare(
            "INSERT INTO settings_version (registry, configuration, recorded_us) VALUES (?, ?, ?) RETURNING id",
            doing: "store a settings version")
    }

    func number(registry: String, configuration: String, at now: WallTime) throws(StoreError) -> Int64 {
        if let same = try newest.add(registry).add(configuration).first({ $0.integer() }) { return same }
        return try insert.add(registry).add(configuration).add(now.microseconds).first { $0.integer() } ?? 0
    }
}
