// SPDX-License-Identifier: GPL-2.0-or-later

import RegionCore
import Time

/// What stands beside the events: statistics, near misses, the shadow rule, listening, notes and losses.
final class RecordTables {
    private let dictionaries: Dictionaries
    private let upsertNearMiss, insertRanging, insertMinute, insertShadow, upsertSpan, insertNote, insertLoss: Statement
    private let closeLostVisits: Statement

    init(_ database: Database, dictionaries: Dictionaries) throws(StoreError) {
        self.dictionaries = dictionaries
        // The scalar max() is null where either side is.
        upsertNearMiss = try database.prepare(
            """
            INSERT INTO near_miss VALUES (?, ?, 1, ?, ?)
            ON CONFLICT DO UPDATE SET count = count + 1, most_hits = max(most_hits, excluded.most_hits),
                strongest_rssi = coalesce(max(strongest_rssi, excluded.strongest_rssi),
                    strongest_rssi, excluded.strongest_rssi)
            """, doing: "store a near miss")
        insertRanging = try database.prepare(
            "INSERT OR REPLACE INTO ranging VALUES (?, ?, ?, ?)", doing: "store how an enter was ranged")
        insertMinute = try database.prepare(
            """
            INSERT INTO beacon_minute (beacon, start_us, start_ns, run, count, p10, p50, p90, largest_gap_ns)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
            """, doing: "store a minute of a beacon")
        insertShadow = try database.prepare(
            """
            INSERT INTO shadow_change (run, beacon, at_us, at_ns, change_from, change_to, from_score, to_score)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?)
            """, doing: "store what the shadow rule would have changed")
        upsertSpan = try database.prepare(
            """
            INSERT INTO listening_span VALUES (?, ?, ?, ?, ?, ?)
            ON CONFLICT DO UPDATE SET until_ns = excluded.until_ns, until_us = excluded.until_us
            """, doing: "store when a receiver listened")
        insertNote = try database.prepare(
            "INSERT INTO note (run, kind, text, at_us, at_ns) VALUES (?, ?, ?, ?, ?)", doing: "store a note")
        insertLoss = try database.prepare(
            "INSERT INTO lost (run, count, from_us, from_ns, to_us, to_ns) VALUES (?, ?, ?, ?, ?, ?)",
            doing: "store that events were lost")
        closeLostVisits = try database.prepare(
            """
            UPDATE visit SET exit_reason = 'lost', uncertain = 1
            WHERE left_us IS NULL AND exit_reason IS NULL AND visit NOT IN (SELECT visit FROM presence)
            """, doing: "end visits whose exit was lost")
    }

    /// Counts a near miss in its calendar minute.
    func insert(_ miss: NearMiss, _ context: RowContext) throws(StoreError) {
        let at = context.label(miss.at)
        let intoMinute = at % 60_000_000
        let minute = at - (intoMinute < 0 ? intoMinute + 60_000_000 : intoMinute)
        let beacon = try dictionaries.beacon(miss.beacon)
        upsertNearMiss.add(minute).add(beacon)
        try upsertNearMiss.add(Int64(miss.hits)).add(miss.strongestRSSI).run()
    }

    /// Adds to the enter with this number how it was ranged.
    func insert(_ ranging: Ranging, seq: Int64) throws(StoreError) {
        insertRanging.add(seq).add(Int64(ranging.count)).add(ranging.strongestRSSI)
        try insertRanging.add(ranging.distance?.rawValue).run()
    }

    func insert(_ minute: BeaconMinute, _ context: RowContext) throws(StoreError) {
        insertMinute.add(try dictionaries.beacon(minute.beacon))
        insertMinute.add(context.label(minute.start)).add(minute.start.nanoseconds).add(context.run)
        insertMinute.add(Int64(minute.count)).add(minute.p10).add(minute.p50).add(minute.p90)
        try insertMinute.add(minute.largestGap.wholeNanoseconds).run()
    }

    func insert(_ shadow: ShadowChange, _ context: RowContext) throws(StoreError) {
        let (change, beacon) = (shadow.change, try dictionaries.beacon(shadow.beacon))
        let (from, to) = (try dictionaries.station(change.from), try dictionaries.station(change.to))
        insertShadow.add(context.run).add(beacon).add(context.label(shadow.at)).add(shadow.at.nanoseconds)
        try insertShadow.add(from).add(to).add(change.fromScore).add(change.toScore).run()
    }

    /// A span with the same start grows.
    func upsert(_ span: ListeningSpan, _ context: RowContext) throws(StoreError) {
        let receiver = try dictionaries.receiver(span.receiver)
        upsertSpan.add(context.run).add(receiver)
        upsertSpan.add(span.from.nanoseconds).add(context.label(span.from))
        try upsertSpan.add(span.until.nanoseconds).add(context.label(span.until)).run()
    }

    func insert(_ note: Note, _ context: RowContext) throws(StoreError) {
        insertNote.add(context.run).add(note.kind.rawValue).add(note.text)
        try insertNote.add(context.label(note.at)).add(note.at.nanoseconds).run()
    }

    /// Records that this many events of a span found no room in memory.
    func insertLoss(count: Int, from: Instant, to: Instant, _ context: RowContext) throws(StoreError) {
        insertLoss.add(context.run).add(Int64(count)).add(context.label(from)).add(from.nanoseconds)
        try insertLoss.add(context.label(to)).add(to.nanoseconds).run()
    }

    /// Marks open visits that nobody present belongs to.
    func endLostVisits() throws(StoreError) { try closeLostVisits.run() }
}
