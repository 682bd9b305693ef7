// SPDX-License-Identifier: GPL-2.0-or-later

import RegionCore
import Time

/// What every row of a batch is labelled with.
struct RowContext {
    /// The run that goes on.
    var run: Int64
    /// The settings version in force.
    var settings: Int64
    /// Gives instants their calendar time.
    var anchor: ClockAnchor

    /// Calendar microseconds of an instant.
    func label(_ instant: Instant) -> Int64 { anchor.wallTime(at: instant).microseconds }
}

/// Writes events, their regions, visits and last wakes, always inside a transaction of the caller.
final class EventTable {
    private let facts: StoreFacts
    private let dictionaries: Dictionaries
    private let insertEvent, insertRegion, insertVisit, closeVisit, upsertLastWake: Statement
    private let ordinalOfSeq, oldestSeq: Statement

    init(_ database: Database, facts: StoreFacts, dictionaries: Dictionaries) throws(StoreError) {
        self.facts = facts
        self.dictionaries = dictionaries
        insertEvent = try database.prepare(
            """
            INSERT INTO event (seq, ordinal, run, kind, reason, at_us, at_ns, detected_us, detected_ns,
                clock_synchronised, description, visit, entered_ns, ends_visit, uncertain, of_ordinal, of_seq,
                hits, rssi, filtered_rssi, tier, distance, receiver, listened_ns, settings,
                nearest, change_from, change_to, from_score, to_score, place)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """, doing: "store an event")
        insertRegion = try database.prepare(
            "INSERT INTO event_region VALUES (?, ?, ?, ?, ?, ?, ?, ?)", doing: "store the regions of an event")
        // A region that a reload added, or a move, joins a visit that is already there.
        insertVisit = try database.prepare(
            """
            INSERT INTO visit (visit, description, enter_seq, entered_us, uncertain) VALUES (?, ?, ?, ?, ?)
            ON CONFLICT (visit) DO NOTHING
            """, doing: "store the start of a visit")
        // The row is missing where the enter was lost.
        closeVisit = try database.prepare(
            """
            INSERT INTO visit (visit, description, entered_us, exit_seq, left_us, exit_reason, uncertain)
            VALUES (?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT (visit) DO UPDATE SET exit_seq = excluded.exit_seq, left_us = excluded.left_us,
                exit_reason = excluded.exit_reason, uncertain = max(uncertain, excluded.uncertain)
            """, doing: "store the end of a visit")
        upsertLastWake = try database.prepare(
            "INSERT INTO last_wake VALUES (?, ?) ON CONFLICT (beacon) DO UPDATE SET seq = excluded.seq",
            doing: "store the last wake of a beacon")
        ordinalOfSeq = try database.prepare("SELECT ordinal FROM event WHERE seq = ?", doing: "look up an event")
        oldestSeq = try database.prepare("SELECT min(seq) FROM event", doing: "look up the oldest event")
    }

    /// Writes one event under this number. `of` is the seq of the exit a wake is about.
    func insert(
        _ event: RegionEvent, seq: Int64, of: Int64?, beacon key: Dictionaries.DescriptionKey, _ context: RowContext
    ) throws(StoreError) -> CommittedEvent {
        var stored = event
        // What is finer than a nanosecond is not kept, and so it is not told either.
        stored.evidence.listened = .nanoseconds(event.evidence.listened.wholeNanoseconds)
        let committed = CommittedEvent(
            seq: seq, id: facts.id(of: seq), event: stored, at: context.anchor.wallTime(at: event.at),
            detectedAt: context.anchor.wallTime(at: event.detectedAt),
            clockSynchronised: context.anchor.synchronised, source: facts.source, settings: context.settings, of: of)
        try insertRow(committed, description: key.description, run: context.run)
        for (position, change) in event.regions.enumerated() {
            try insertRow(change, seq: seq, position: position)
        }
        if event.regions.contains(where: { $0.wake == .told }) {
            try upsertLastWake.add(key.beacon).add(seq).run()
        }
        return committed
    }

    /// Opens the visit of an enter, or closes it after its last exit.
    func updateVisit(
        of event: RegionEvent, seq: Int64, beacon key: Dictionaries.DescriptionKey, _ context: RowContext
    ) throws(StoreError) {
        let visit = Int64(bitPattern: event.visit)
        let entered = context.label(event.enteredAt)
        if event.kind == .enter {
            insertVisit.add(visit).add(key.description).add(seq).add(entered).add(event.uncertain)
            try insertVisit.run()
        } else if event.endsVisit {
            closeVisit.add(visit).add(key.description).add(entered).add(seq).add(context.label(event.at))
            try closeVisit.add(event.reason.rawValue).add(event.uncertain).run()
        }
    }

    /// The number of the event with this ordinal; nil where it was lost or is no longer kept.
    ///
    /// Ordinals rise with `seq`, so a search by halves needs no index.
    func seq(ofOrdinal ordinal: UInt64, newest: Int64) throws(StoreError) -> Int64? {
        guard newest > 0, let oldest = try oldestSeq.first({ $0.integer() }), oldest > 0 else { return nil }
        var (low, high) = (oldest, newest)
        while low <= high {
            let middle = low + (high - low) / 2
            guard let found = try ordinalOfSeq.add(middle).first({ UInt64(bitPattern: $0.integer()) }) else {
                return nil
            }
            if found == ordinal { return middle }
            if found < ordinal { low = middle + 1 } else { high = middle - 1 }
        }
        return nil
    }

    private func insertRow(_ row: CommittedEvent, description: Int64, run: Int64) throws(StoreError) {
        let (event, evidence) = (row.event, row.event.evidence)
        let receiver = try dictionaries.receiver(evidence.receiver)
        let (nearest, place) = (try dictionaries.station(event.nearest), try dictionaries.place(event.place))
        let (from, to) = (try dictionaries.station(event.change?.from), try dictionaries.station(event.change?.to))
        insertEvent.add(row.seq).add(Int64(bitPattern: event.ordinal)).add(run)
        insertEvent.add(event.kind.rawValue).add(event.reason.rawValue)
        insertEvent.add(row.at.microseconds).add(event.at.nanoseconds)
        insertEvent.add(row.detectedAt.microseconds).add(event.detectedAt.nanoseconds).add(row.clockSynchronised)
        insertEvent.add(description).add(Int64(bitPattern: event.visit)).add(event.enteredAt.nanoseconds)
        insertEvent.add(event.endsVisit).add(event.uncertain)
        insertEvent.add(event.of.map { Int64(bitPattern: $0) }).add(row.of)
        insertEvent.add(Int64(evidence.hits)).add(evidence.rssi).add(evidence.filteredRSSI)
        insertEvent.add(evidence.tier?.rawValue).add(evidence.distance?.rawValue)
        insertEvent.add(receiver).add(evidence.listened.wholeNanoseconds).add(row.settings)
        insertEvent.add(nearest).add(from).add(to).add(event.change?.fromScore).add(event.change?.toScore)
        try insertEvent.add(place).run()
    }

    private func insertRow(_ change: RegionChange, seq: Int64, position: Int) throws(StoreError) {
        let region = try dictionaries.region(change.region)
        insertRegion.add(seq).add(Int64(position)).add(region).add(Int64(change.occupancy)).add(change.edge)
        insertRegion.add(change.wake?.rawValue).add(change.cooldown.map { Int64($0.isWholeRegion ? 1 : 0) })
        try insertRegion.add(change.cooldown?.until.nanoseconds).run()
    }
}
