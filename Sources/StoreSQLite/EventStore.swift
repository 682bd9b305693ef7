// SPDX-License-Identifier: GPL-2.0-or-later

import Glibc
import RegionCore
import Time

/// The ledger: the one writer of a store file.
///
/// A batch is one transaction and on disk (`synchronous=FULL`) when `append` returns. It belongs to one thread at a
/// time; readers open the file for themselves (`EventReader`).
public final class EventStore {
    /// What was fixed when the store was made. The gateway's name is that one, whatever is configured now.
    public let facts: StoreFacts
    let database: Database
    private let dictionaries: Dictionaries
    private let events: EventTable
    private let states: StateTables
    private let records: RecordTables
    private let runs: RunTable
    private let settingsVersions: SettingsTable
    private var ledger: Ledger

    /// What changes with each committed batch, and goes back when one fails.
    private struct Ledger {
        var newestSeq: Int64
        var run: RunTable.Open?
        var lastSweep: Instant?
    }

    /// Opens the store, makes it when there is none, and brings an older one up to date.
    ///
    /// `gateway` (1 to 64 bytes) and `now` are used for a new file only. Throws `.inUse` while another process writes
    /// to it, `.otherSource`, `.newerVersion` and `.notAStore` for files that are not to be written: those stay
    /// untouched.
    public convenience init(
        path: String, gateway: String, source: SourceKind, now: WallTime
    ) throws(StoreError) {
        try self.init(path: path, gateway: gateway, source: source, now: now, vfs: nil)
    }

    /// The same over another file layer, for fault tests.
    init(path: String, gateway: String, source: SourceKind, now: WallTime, vfs: String?) throws(StoreError) {
        guard (1...StoreLimit.gatewayBytes).contains(gateway.utf8.count) else {
            throw StoreError(.refused, doing: "open \(path)", message: "a gateway's name has 1 to 64 bytes")
        }
        let lock = try WriterLock(forStoreAt: path)
        database = try Database(path: path, mode: .writer, lock: lock, vfs: vfs)
        facts = try Self.prepareFile(database, gateway: gateway, source: source, now: now)
        dictionaries = try Dictionaries(database)
        events = try EventTable(database, facts: facts, dictionaries: dictionaries)
        states = try StateTables(database, dictionaries: dictionaries)
        records = try RecordTables(database, dictionaries: dictionaries)
        runs = try RunTable(database)
        settingsVersions = try SettingsTable(database)
        let newest = try database.integer("SELECT max(seq) FROM event", doing: "look up the newest event")
        ledger = Ledger(newestSeq: newest ?? 0)
    }

    /// Looks before it touches: nothing is written before the file is known to be ours.
    private static func prepareFile(
        _ database: Database, gateway: String, source: SourceKind, now: WallTime
    ) throws(StoreError) -> StoreFacts {
        database.setCheckpointOnClose(false)
        database.setBusyTimeout(milliseconds: StoreLimit.busyMilliseconds)
        let version = try Migrations.version(of: database)
        if version > 0, let facts = try StoreFacts.read(from: database), facts.source != source {
            throw StoreError(
                .otherSource, doing: "open \(database.path) for \(source.rawValue) events",
                message: "it holds events of the source kind '\(facts.source.rawValue)'")
        }
        let doing = "set up \(database.path)"
        if version == 0 {
            // Only an empty file can still choose these. Incremental vacuum lets retention shrink the file later.
            try database.execute(
                "PRAGMA page_size = \(StoreLimit.pageBytes); PRAGMA auto_vacuum = INCREMENTAL", doing: doing)
        }
        try database.execute("PRAGMA journal_mode = WAL", doing: doing)
        // FULL syncs the log with each commit: NORMAL lost up to 98 acknowledged events in simulated power cuts.
        // secure_delete is on in Debian's build and would write every purged page once more.
        try database.execute(
            """
            PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 0; PRAGMA foreign_keys = ON;
            PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON; PRAGMA secure_delete = OFF;
            PRAGMA temp_store = MEMORY
            """, doing: doing)
        database.harden()
        database.countFrames()
        database.setCheckpointOnClose(true)
        try Migrations.apply(to: database)
        if let facts = try StoreFacts.read(from: database) { return facts }
        try StoreFacts.make(in: database, gateway: gateway, source: source, created: now)
        guard let facts = try StoreFacts.read(from: database) else {
            throw StoreError(.damaged, doing: doing, message: "\(database.path) does not say which store it is")
        }
        return facts
    }

    /// The file.
    public var path: String { database.path }

    /// The number of the newest event, 0 before the first.
    public var newestSeq: Int64 { ledger.newestSeq }

    // MARK: Runs and settings

    /// Notes a start; batches belong to this run from here on.
    ///
    /// `bootId` names the boot whose clock the instants count in; `why` is one word or sentence for the audit.
    public func beginRun(bootId: String, anchor: ClockAnchor, why: String) throws(StoreError) {
        ledger.run = try runs.begin(bootId: bootId, anchor: anchor, why: why)
        ledger.lastSweep = nil
    }

    /// What `endRun` is told after a clean stop, last-heard times stored: only then they are exact at the next start.
    public static let cleanEnd = "clean"

    /// Notes how the run ended: `cleanEnd`, or what went wrong.
    public func endRun(how: String, at anchor: ClockAnchor) throws(StoreError) {
        try runs.end(openRun(), how: how, at: anchor)
        ledger.run = nil
    }

    /// The number of the run that goes on; nil before the first `beginRun` and after `endRun`.
    var runNumber: Int64? { ledger.run?.clock.run }

    /// The number of the settings version with this content: the newest one when nothing changed, else a new one.
    public func settingsVersion(
        registry: String, configuration: String, at now: WallTime
    ) throws(StoreError) -> Int64 {
        try settingsVersions.number(registry: registry, configuration: configuration, at: now)
    }

    /// When the hall or the capture began that a source played in real time goes on with; nil before it is set.
    public func sourceStart() throws(StoreError) -> WallTime? {
        try database.integer("SELECT source_start_us FROM store", doing: "read when the source began")
            .map { WallTime(microseconds: $0) }
    }

    /// Fixes when the source began.
    public func setSourceStart(_ start: WallTime) throws(StoreError) {
        let doing = "store when the source began"
        try database.prepare("UPDATE store SET source_start_us = ?", doing: doing).add(start.microseconds).run()
    }

    // MARK: Batches

    /// Stores one batch; see `append(contentsOf:)`.
    public func append(_ batch: LedgerBatch) throws(StoreError) -> [CommittedEvent] {
        try append(contentsOf: [batch])
    }

    /// Stores these batches in one transaction and gives their events, numbered without a hole.
    ///
    /// On failure nothing of them is stored, nothing may be told, and the same batches can be tried again. That holds
    /// for a failed sync too: SQLite then writes the same frames of its log once more.
    public func append(contentsOf batches: [LedgerBatch]) throws(StoreError) -> [CommittedEvent] {
        let before = ledger
        do throws(StoreError) {
            return try database.transaction(doing: "store events") { () throws(StoreError) in
                var committed: [CommittedEvent] = []
                for batch in batches { try write(batch, into: &committed) }
                return committed
            }
        } catch {
            ledger = before
            dictionaries.forget()
            throw error
        }
    }

    /// Records that events found no room in memory while the store was in trouble.
    ///
    /// Exits may be among them, so `inside` names everybody who is inside now; other visits that are open are marked
    /// as lost. Instants are those of the first and the last event that was lost.
    public func recordLoss(
        count: Int, from: Instant, to: Instant, inside: [EngineSnapshot.Presence], anchor: ClockAnchor
    ) throws(StoreError) {
        let run = openRun()
        let context = RowContext(run: run.clock.run, settings: 0, anchor: anchor)
        do throws(StoreError) {
            try database.transaction(doing: "store that events were lost") { () throws(StoreError) in
                try records.insertLoss(count: count, from: from, to: to, context)
                try states.removePresences()
                for presence in inside { try states.upsert(presence, context) }
                try records.endLostVisits()
            }
        } catch {
            dictionaries.forget()
            throw error
        }
    }

    private func openRun() -> RunTable.Open {
        guard let run = ledger.run else { preconditionFailure("the store was written to before a run began") }
        return run
    }

    private func write(_ batch: LedgerBatch, into committed: inout [CommittedEvent]) throws(StoreError) {
        var run = openRun()
        let context = RowContext(run: run.clock.run, settings: batch.settings, anchor: batch.anchor)
        for event in batch.decisions.events {
            committed.append(try write(event, bootId: run.clock.bootId, context))
        }
        for presence in batch.checkpoint { try states.upsert(presence, context) }
        for level in batch.loudest { try states.upsert(level) }
        for miss in batch.decisions.nearMisses { try records.insert(miss, context) }
        for ranging in batch.decisions.rangings {
            // Without its enter in the ledger there is nothing it could be added to.
            guard let seq = try events.seq(ofOrdinal: ranging.of, newest: ledger.newestSeq) else { continue }
            try records.insert(ranging, seq: seq)
        }
        for minute in batch.decisions.minutes { try records.insert(minute, context) }
        for shadow in batch.decisions.shadows { try records.insert(shadow, context) }
        for span in batch.listening { try records.upsert(span, context) }
        for note in batch.notes { try records.insert(note, context) }
        try runs.advance(&run, by: batch)
        ledger.run = run
        try sweepIfDue(at: batch.upTo, context)
    }

    private func write(
        _ event: RegionEvent, bootId: String, _ context: RowContext
    ) throws(StoreError) -> CommittedEvent {
        let seq = ledger.newestSeq + 1
        let beacon = try dictionaries.description(event.beacon)
        var of: Int64?
        if let ordinal = event.of { of = try events.seq(ofOrdinal: ordinal, newest: ledger.newestSeq) }
        let committed = try events.insert(event, seq: seq, of: of, beacon: beacon, context)
        try events.updateVisit(of: event, seq: seq, beacon: beacon, context)
        try states.apply(event, seq: seq, of: of, beacon: beacon.beacon, bootId: bootId, context)
        ledger.newestSeq = seq
        return committed
    }

    private func sweepIfDue(at now: Instant, _ context: RowContext) throws(StoreError) {
        if let last = ledger.lastSweep, now - last < StoreLimit.sweepEvery { return }
        try states.sweep(at: now, context)
        ledger.lastSweep = now
    }

    // MARK: Write-ahead log

    /// How large the write-ahead log's file is, in bytes.
    public var walBytes: Int64 {
        var status = stat()
        return unsafe stat(database.path + "-wal", &status) == 0 ? Int64(status.st_size) : 0
    }

    /// Brings the write-ahead log home where that is worth it: in idle moments from 1 MiB on, else from 4 MiB on.
    public func checkpointIfNeeded(idle: Bool) throws(StoreError) {
        if walBytes >= StoreLimit.truncateBytes {
            try database.checkpoint(truncate: true)
        } else if idle, database.pendingBytes >= StoreLimit.idleCheckpointBytes {
            try database.checkpoint(truncate: false)
        }
    }
}
