// SPDX-License-Identifier: GPL-2.0-or-later

import RegionCore
import Time

/// Who is inside and which cooldowns run: what a restart needs, changed in the transaction of the event that did it.
final class StateTables {
    private let dictionaries: Dictionaries
    private let upsertPresence, clearPresences, deletePresence, presenceRun, movePresence: Statement
    private let upsertCooldown, deleteCooldown, sweepCooldowns: Statement
    private let insertWaiting, deleteWaiting: Statement
    private let upsertLevel: Statement

    /// Stands in the cooldown table for the region as a whole.
    static let wholeRegion: Int64 = 0

    init(_ database: Database, dictionaries: Dictionaries) throws(StoreError) {
        self.dictionaries = dictionaries
        let presence = "store who is inside"
        upsertPresence = try database.prepare(
            "INSERT OR REPLACE INTO presence VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", doing: presence)
        clearPresences = try database.prepare("DELETE FROM presence", doing: presence)
        deletePresence = try database.prepare("DELETE FROM presence WHERE beacon = ?", doing: presence)
        presenceRun = try database.prepare(
            """
            SELECT presence.visit, run.id, run.boot, run.anchor_ns, run.anchor_us, run.synchronised
            FROM presence JOIN run ON run.id = presence.run WHERE beacon = ?
            """, doing: presence)
        movePresence = try database.prepare(
            """
            UPDATE presence SET entered_ns = entered_ns + ?1, last_heard_ns = last_heard_ns + ?1,
                silence_from_ns = silence_from_ns + ?1, last_event_ns = ?2, run = ?3,
                nearest_score = coalesce(?4, iif(nearest = ?5, nearest_score, NULL)), nearest = ?5
            WHERE beacon = ?6
            """, doing: presence)
        let cooldown = "store a cooldown"
        upsertCooldown = try database.prepare("INSERT OR REPLACE INTO cooldown VALUES (?, ?, ?, ?, ?)", doing: cooldown)
        deleteCooldown = try database.prepare(
            "DELETE FROM cooldown WHERE region = ? AND beacon = ?", doing: cooldown)
        // One that still has a waiting exit is kept until its wake event has come.
        sweepCooldowns = try database.prepare(
            """
            DELETE FROM cooldown WHERE iif(run = ?, until_ns <= ?, until_us <= ?)
                AND NOT EXISTS (SELECT 1 FROM waiting_exit WHERE waiting_exit.region = cooldown.region)
            """, doing: "sweep ended cooldowns")
        upsertLevel = try database.prepare(
            "INSERT OR REPLACE INTO receiver_level VALUES (?, ?)", doing: "store how loud a receiver hears")
        insertWaiting = try database.prepare("INSERT INTO waiting_exit VALUES (?, ?)", doing: "store a waiting exit")
        deleteWaiting = try database.prepare(
            "DELETE FROM waiting_exit WHERE seq = ? AND region = ?", doing: "end the wait of an exit")
    }

    /// Carries an event's consequences. `of` is the seq of the exit a wake is about.
    func apply(
        _ event: RegionEvent, seq: Int64, of: Int64?, beacon: Int64, bootId: String, _ context: RowContext
    ) throws(StoreError) {
        switch event.kind {
        case .enter:
            try enter(event, beacon: beacon, bootId: bootId, context)
            for change in event.regions {
                if let start = change.cooldown { try insert(start, region: change.region, beacon: beacon, context) }
            }
        case .exit:
            try exit(event, beacon: beacon, bootId: bootId, context)
            for change in event.regions {
                try exit(change, reason: event.reason, seq: seq, beacon: beacon)
            }
        case .nearest: _ = try touch(event, beacon: beacon, bootId: bootId, context)
        case .wake:
            guard let of else { return }
            for change in event.regions {
                let region = try dictionaries.region(change.region)
                try deleteWaiting.add(of).add(region).run()
            }
        }
    }

    /// Writes one beacon's state as the engine has it.
    func upsert(_ presence: EngineSnapshot.Presence, _ context: RowContext) throws(StoreError) {
        try upsert(presence, nearest: presence.nearest?.receiver, score: presence.nearest?.score, context)
    }

    private func upsert(
        _ presence: EngineSnapshot.Presence, nearest: String?, score: Double?, _ context: RowContext
    ) throws(StoreError) {
        let (beacon, station) = (try dictionaries.beacon(presence.beacon), try dictionaries.station(nearest))
        upsertPresence.add(beacon).add(context.run)
        upsertPresence.add(Int64(bitPattern: presence.visit)).add(presence.enteredAt.nanoseconds)
        upsertPresence.add(presence.lastHeard.nanoseconds).add(presence.lastEventAt.nanoseconds)
        upsertPresence.add(presence.silenceFrom.nanoseconds)
        try upsertPresence.add(presence.restartSpent).add(presence.lossSpent).add(station).add(score).run()
    }

    /// Writes the loudest that a receiver hears.
    func upsert(_ level: ReceiverLevel) throws(StoreError) {
        let receiver = try dictionaries.receiver(level.receiver)
        try upsertLevel.add(receiver).add(level.level).run()
    }

    /// Nobody is inside any more.
    func removePresences() throws(StoreError) { try clearPresences.run() }

    /// Drops cooldowns that are over and decided.
    func sweep(at now: Instant, _ context: RowContext) throws(StoreError) {
        try sweepCooldowns.add(context.run).add(now.nanoseconds).add(context.label(now)).run()
    }

    private func enter(
        _ event: RegionEvent, beacon: Int64, bootId: String, _ context: RowContext
    ) throws(StoreError) {
        if try touch(event, beacon: beacon, bootId: bootId, context) { return }
        try upsert(
            EngineSnapshot.Presence(
                beacon: event.beacon.identity, visit: event.visit, enteredAt: event.enteredAt,
                lastHeard: event.detectedAt, lastEventAt: event.at, silenceFrom: event.detectedAt),
            nearest: event.nearest, score: event.change?.toScore, context)
    }

    private func exit(
        _ event: RegionEvent, beacon: Int64, bootId: String, _ context: RowContext
    ) throws(StoreError) {
        if event.endsVisit {
            try deletePresence.add(beacon).run()
        } else {
            _ = try touch(event, beacon: beacon, bootId: bootId, context)
        }
    }

    /// Notes the event's `at` and what is nearest now in the presence of the same visit, brought onto the clock of this
    /// boot where it was written in another one; false where there is none. A score stays while its receiver does.
    private func touch(
        _ event: RegionEvent, beacon: Int64, bootId: String, _ context: RowContext
    ) throws(StoreError) -> Bool {
        let row = try presenceRun.add(beacon).first { row throws(StoreError) in
            (visit: UInt64(bitPattern: row.integer()), clock: RunClock(row))
        }
        guard let row, row.visit == event.visit else { return false }
        let shift = row.clock.shift(toBoot: bootId, anchor: context.anchor)
        let nearest = try dictionaries.station(event.nearest)
        movePresence.add(shift).add(event.at.nanoseconds).add(context.run)
        try movePresence.add(event.change?.toScore).add(nearest).add(beacon).run()
        return true
    }

    private func insert(
        _ start: RegionChange.CooldownStart, region: String, beacon: Int64, _ context: RowContext
    ) throws(StoreError) {
        upsertCooldown.add(try dictionaries.region(region))
        upsertCooldown.add(start.isWholeRegion ? Self.wholeRegion : beacon).add(context.run)
        try upsertCooldown.add(start.until.nanoseconds).add(context.label(start.until)).run()
    }

    private func exit(
        _ change: RegionChange, reason: RegionEvent.Reason, seq: Int64, beacon: Int64
    ) throws(StoreError) {
        let region = try dictionaries.region(change.region)
        if change.wake == .waiting { try insertWaiting.add(seq).add(region).run() }
        // A reload ends the cooldown of its subject: of the beacon, and of the region where the region told it.
        guard reason == .removed || reason == .redefined else { return }
        try deleteCooldown.add(region).add(beacon).run()
        if change.wake != nil { try deleteCooldown.add(region).add(Self.wholeRegion).run() }
    }
}
