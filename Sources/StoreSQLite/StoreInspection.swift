// SPDX-License-Identifier: GPL-2.0-or-later

import Glibc
import RegionCore
import Time

/// What a store is and holds, for people who ask after the box.
public struct StoreSummary: Equatable, Sendable {
    /// How a run of the gateway began and ended.
    public struct Run: Equatable, Sendable {
        /// When it began.
        public var started: WallTime
        /// When it ended; nil: it goes on, or was broken off.
        public var ended: WallTime?
        /// How it ended.
        public var how: String?
    }

    /// The number and time of an event.
    public struct Newest: Equatable, Sendable {
        /// Its number.
        public var seq: Int64
        /// When it was decided.
        public var detectedAt: WallTime
    }

    /// The file's version.
    public var version: Int64
    /// Its size, the log beside it included.
    public var bytes: Int64
    /// The newest event; nil: there is none.
    public var newest: Newest?
    /// The last run; nil: there was none.
    public var lastRun: Run?
    /// Events that found no room in memory while the store was in trouble, ever.
    public var lostEvents: Int64
}

/// Reads a store without making a file beside it or taking a writer's lock: what `doctor` may do.
///
/// Where no log lies beside the file nobody writes to it, and it is read as it is. A log with its index is read as a
/// gateway's own readers do. A log without one would have to be brought into order first: it is left alone.
public final class StoreInspection {
    private let database: Database
    private let version: Int64
    private let path: String

    /// Opens an existing store.
    ///
    /// Throws as `EventReader` does, and `.unreachable` for a log that only a start of the gateway brings into order.
    public init(path: String) throws(StoreError) {
        self.path = path
        database = try Database(path: path, mode: try Self.gentlest(path), lock: nil)
        database.setBusyTimeout(milliseconds: StoreLimit.busyMilliseconds)
        database.harden()
        version = try Migrations.version(of: database)
        guard version > 0 else {
            throw StoreError(.notAStore, doing: "read \(path)", message: "it is empty")
        }
    }

    /// How the file may be opened so that nothing appears beside it.
    static func gentlest(_ path: String) throws(StoreError) -> Database.Mode {
        let log = size(path + "-wal")
        if (log ?? 0) == 0 { return .untouched }
        guard size(path + "-shm") != nil else {
            throw StoreError(
                .unreachable, doing: "read \(path)",
                message: "the log beside it (-wal) has lost its index, and only a start of the gateway makes it anew")
        }
        return .readOnly
    }

    /// What it holds.
    public func summary() throws(StoreError) -> StoreSummary {
        let newest = try database.prepare(
            "SELECT seq, detected_us FROM event ORDER BY seq DESC LIMIT 1", doing: "read the newest event of \(path)"
        ).first { StoreSummary.Newest(seq: $0.integer(), detectedAt: WallTime(microseconds: $0.integer())) }
        let run = try database.prepare(
            "SELECT started_us, ended_us, how FROM run ORDER BY id DESC LIMIT 1", doing: "read the last run of \(path)"
        ).first {
            StoreSummary.Run(
                started: WallTime(microseconds: $0.integer()),
                ended: $0.optionalInteger().map { WallTime(microseconds: $0) }, how: $0.optionalText())
        }
        let lost = try database.integer(
            "SELECT sum(count) FROM lost", doing: "read what was lost of \(path)")
        return StoreSummary(
            version: version, bytes: (Self.size(path) ?? 0) + (Self.size(path + "-wal") ?? 0), newest: newest,
            lastRun: run, lostEvents: lost ?? 0)
    }

    /// The newest notes, oldest first: when, of which kind, and what they say.
    public func notes(last limit: Int) throws(StoreError) -> [(at: WallTime, kind: String, text: String)] {
        try database.prepare(
            """
            SELECT at_us, kind, text FROM (SELECT * FROM note ORDER BY id DESC LIMIT ?) ORDER BY id
            """, doing: "read the notes of \(path)"
        ).add(Int64(limit)).all { row throws(StoreError) in
            (WallTime(microseconds: row.integer()), try row.text(), try row.text())
        }
    }

    /// The minutes in which beacons were heard in the last span on record, counted from the newest, the newest first;
    /// at most `StoreLimit.inspectedMinutes` of them.
    public func minutes(last span: Duration, _ take: (BeaconMinute) -> Void) throws(StoreError) {
        let doing = "read the minutes of beacons of \(path)"
        let identity = try database.prepare("SELECT uuid, major, minor FROM beacon WHERE id = ?", doing: doing)
        var identities: [Int64: BeaconIdentity] = [:]
        let start = try database.integer(
            "SELECT start_us FROM beacon_minute ORDER BY id DESC LIMIT 1", doing: doing)
        guard let start else { return }
        // Rows are appended as minutes end: their order is that of time, and no index on time is kept.
        let rows = try database.prepare(
            """
            SELECT beacon, start_us, start_ns, count, p10, p50, p90, largest_gap_ns
            FROM beacon_minute ORDER BY id DESC LIMIT ?
            """, doing: doing
        ).add(Int64(StoreLimit.inspectedMinutes))
        try rows.each { row throws(StoreError) in
            let beacon = row.integer()
            guard row.integer() > start - span.wholeNanoseconds / 1_000 else { return false }
            if identities[beacon] == nil {
                identities[beacon] = try identity.add(beacon).first { row throws(StoreError) in try row.identity() }
            }
            guard let identity = identities[beacon] else { throw row.damaged("minutes of a beacon it does not list") }
            take(
                BeaconMinute(
                    beacon: identity, start: Instant(nanoseconds: row.integer()), count: Int(row.integer()),
                    p10: row.optionalReal(), p50: row.optionalReal(), p90: row.optionalReal(),
                    largestGap: .nanoseconds(row.integer())))
            return true
        }
    }

    private static func size(_ path: String) -> Int64? {
        var status = stat()
        return unsafe stat(path, &status) == 0 ? Int64(status.st_size) : nil
    }
}
