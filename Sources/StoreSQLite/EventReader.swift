// SPDX-License-Identifier: GPL-2.0-or-later

import RegionCore

/// Reads a store while another thread or process writes to it. Each question is answered from a short transaction of
/// its own, so that no reader keeps the write-ahead log from shrinking. One thread at a time.
public final class EventReader {
    /// What was fixed when the store was made.
    public let facts: StoreFacts
    private let rows: EventRows
    private let newest, wakes: Statement

    /// Opens an existing store for reading; nothing in it is changed.
    ///
    /// Throws `.unreachable` where there is no such file, `.newerVersion`, `.olderVersion` or `.notAStore` for one this
    /// program cannot read.
    ///
    /// - Parameter leavingNoTrace: Make no file beside it either, as `StoreInspection`: for a short look.
    public init(path: String, leavingNoTrace: Bool = false) throws(StoreError) {
        let mode = leavingNoTrace ? try StoreInspection.gentlest(path) : .readOnly
        let database = try Database(path: path, mode: mode, lock: nil)
        database.setBusyTimeout(milliseconds: StoreLimit.busyMilliseconds)
        database.harden()
        let version = try Migrations.version(of: database)
        guard version == Schema.migrations.count, let facts = try StoreFacts.read(from: database) else {
            throw StoreError(
                .olderVersion, doing: "read \(path)",
                message: "it is of version \(version), and this regiond reads version \(Schema.migrations.count)")
        }
        self.facts = facts
        rows = try EventRows(database, facts: facts)
        newest = try database.prepare("SELECT max(seq) FROM event", doing: "look up the newest event of \(path)")
        wakes = try database.prepare(
            "SELECT seq FROM last_wake ORDER BY seq DESC LIMIT ?", doing: "read the last wakes of \(path)")
    }

    /// The events that follow this number, in order, at most `limit` of them. From 0 on: all that are kept.
    public func events(after seq: Int64, limit: Int) throws(StoreError) -> [CommittedEvent] {
        try rows.events(after: seq, limit: limit)
    }

    /// The number of the newest event, 0 before the first.
    public func newestSeq() throws(StoreError) -> Int64 {
        try newest.first { $0.integer() } ?? 0
    }

    /// The last told wake of each beacon, the newest first: the first one is the last wake of the box.
    public func lastWakes(limit: Int = 10_000) throws(StoreError) -> [CommittedEvent] {
        var found: [CommittedEvent] = []
        for seq in try wakes.add(Int64(limit)).all({ $0.integer() }) {
            if let event = try rows.event(seq) { found.append(event) }
        }
        return found
    }
}
