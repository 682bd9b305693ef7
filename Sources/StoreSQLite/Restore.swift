// SPDX-License-Identifier: GPL-2.0-or-later

import RegionCore
import Time

/// What a start finds: the engine's state on the clock of the present boot, and the settings it came from.
public struct RestoredState: Equatable, Sendable {
    /// Who was inside and which cooldowns ran.
    public var snapshot: EngineSnapshot
    /// How long the box was away.
    public var away: Away
    /// The calendar time of the last stored instant; nil where the clock of that run was not synchronised.
    public var lastSeen: WallTime?
    /// The settings version that was in force; nil where nothing was ever stored.
    public var settings: Int64?
    /// The text of the registry that was in force.
    public var registry: String?
    /// The text of the configuration that was in force.
    public var configuration: String?
}

extension EventStore {
    /// What the runs before the present one left; nil when there was none.
    ///
    /// Within one boot instants are used as they are. From another boot they are placed by calendar time, which is
    /// trusted when both clocks were synchronised, or when the caller says so (captures and simulated halls). Otherwise
    /// how long the box was away is unknown, and the last stored instant is placed at the present.
    public func restore(
        bootId: String, anchor: ClockAnchor, clockTrusted: Bool = false
    ) throws(StoreError) -> RestoredState? {
        let reader = try StateReader(database, facts: facts, before: runNumber ?? .max)
        return try reader.state(bootId: bootId, anchor: anchor, clockTrusted: clockTrusted)
    }
}

/// Reads the state tables for one restore.
private struct StateReader {
    private let database: Database
    private let rows: EventRows
    private let runClock, waitingExits: Statement
    private let present: Int64
    private let doing = "read what the last run left"

    /// `run` is the number of the present run, which is not looked at.
    init(_ database: Database, facts: StoreFacts, before run: Int64) throws(StoreError) {
        self.database = database
        present = run
        rows = try EventRows(database, facts: facts)
        runClock = try database.prepare(
            """
            SELECT run.id, boot, anchor_ns, anchor_us, synchronised
            FROM event JOIN run ON run.id = event.run WHERE seq = ?
            """, doing: doing)
        waitingExits = try database.prepare(
            """
            SELECT seq, identifier FROM waiting_exit JOIN region ON region.id = waiting_exit.region ORDER BY seq
            """, doing: doing)
    }

    func state(bootId: String, anchor: ClockAnchor, clockTrusted: Bool) throws(StoreError) -> RestoredState? {
        guard let last = try lastRun() else { return nil }
        let placement = Placement(of: last, bootId: bootId, anchor: anchor, clockTrusted: clockTrusted)
        var snapshot = EngineSnapshot()
        snapshot.takenAt = placement.takenAt
        snapshot.isClean = last.isClean
        snapshot.presences = try presences(placement)
        snapshot.cooldowns = try cooldowns(placement)
        snapshot.loudest = try loudest()
        snapshot.nextOrdinal = try next("SELECT ordinal FROM event ORDER BY seq DESC LIMIT 1")
        snapshot.nextVisit = try next(
            "SELECT max(visit) FROM (SELECT max(visit) AS visit FROM visit UNION ALL SELECT visit FROM presence)")
        var state = RestoredState(snapshot: snapshot, away: placement.away)
        if last.clock.anchor.synchronised { state.lastSeen = last.clock.anchor.wallTime(at: last.upTo) }
        try addSettings(last.settings, to: &state)
        return state
    }

    /// The newest run that stored anything gives the clock and the settings. The stop was clean only if no run since
    /// then crashed: one that stored nothing may have heard something all the same.
    private func lastRun() throws(StoreError) -> LastRun? {
        let statement = try database.prepare(
            """
            SELECT id, boot, anchor_ns, anchor_us, synchronised, settings, coalesce(up_to_ns, started_ns),
                NOT EXISTS (SELECT 1 FROM run AS later
                    WHERE later.id >= run.id AND later.id < ?1 AND later.how IS NOT ?2),
                (SELECT iif(event.run = run.id, detected_ns, NULL) FROM event ORDER BY seq DESC LIMIT 1)
            FROM run WHERE id < ?1 ORDER BY up_to_ns IS NULL, id DESC LIMIT 1
            """, doing: doing)
        return try statement.add(present).add(EventStore.cleanEnd).first { row in
            let (clock, settings, upTo) = (RunClock(row), row.optionalInteger(), row.integer())
            let isClean = row.flag()
            let newest = row.optionalInteger() ?? upTo
            return LastRun(
                clock: clock, settings: settings, upTo: Instant(nanoseconds: max(upTo, newest)), isClean: isClean)
        }
    }

    private func presences(_ placement: Placement) throws(StoreError) -> [EngineSnapshot.Presence] {
        let statement = try database.prepare(
            """
            SELECT run.id, boot, anchor_ns, anchor_us, synchronised, uuid, major, minor,
                visit, entered_ns, last_heard_ns, last_event_ns, silence_from_ns,
                restart_spent, loss_spent, station.identifier, nearest_score
            FROM presence JOIN run ON run.id = presence.run JOIN beacon ON beacon.id = presence.beacon
                LEFT JOIN station ON station.id = presence.nearest
            ORDER BY presence.beacon
            """, doing: doing)
        return try statement.all { row throws(StoreError) in
            let clock = RunClock(row)
            return EngineSnapshot.Presence(
                beacon: try row.identity(), visit: UInt64(bitPattern: row.integer()),
                enteredAt: placement.past(row.integer(), clock), lastHeard: placement.past(row.integer(), clock),
                lastEventAt: placement.past(row.integer(), clock),
                silenceFrom: placement.past(row.integer(), clock), restartSpent: row.flag(), lossSpent: row.flag(),
                nearest: nearest(row))
        }
    }

    /// A score that no event told is taken for that at a metre: what is nearest stays so until it is heard, or ends.
    private func nearest(_ row: Statement) -> EngineSnapshot.Nearest? {
        let (station, score) = (row.optionalText(), row.optionalReal())
        return station.map { EngineSnapshot.Nearest(receiver: $0, score: score ?? 0) }
    }

    private func loudest() throws(StoreError) -> [ReceiverLevel] {
        let statement = try database.prepare(
            """
            SELECT identifier, level FROM receiver_level JOIN receiver ON receiver.id = receiver_level.receiver
            ORDER BY receiver.id
            """, doing: doing)
        return try statement.all { row throws(StoreError) in
            ReceiverLevel(receiver: try row.text(), level: row.optionalReal() ?? 0)
        }
    }

    /// Those that have not ended, and those with exits that still wait for the answer.
    private func cooldowns(_ placement: Placement) throws(StoreError) -> [EngineSnapshot.Cooldown] {
        let statement = try database.prepare(
            """
            SELECT run.id, boot, anchor_ns, anchor_us, synchronised, identifier, until_ns, uuid, major, minor
            FROM cooldown JOIN run ON run.id = cooldown.run JOIN region ON region.id = cooldown.region
                LEFT JOIN beacon ON beacon.id = cooldown.beacon
            ORDER BY cooldown.region, cooldown.beacon
            """, doing: doing)
        var found = try statement.all { row throws(StoreError) in
            let clock = RunClock(row)
            let region = try row.text()
            let until = placement.place(row.integer(), clock)
            return EngineSnapshot.Cooldown(region: region, beacon: try row.optionalIdentity(), until: until)
        }
        let waiting = try waitingExits.all { row throws(StoreError) in (seq: row.integer(), region: try row.text()) }
        for (seq, region) in waiting {
            guard let exit = try waitingExit(seq, placement) else { continue }
            let own = found.firstIndex { $0.region == region && $0.beacon == exit.beacon.identity }
            if let index = own ?? found.firstIndex(where: { $0.region == region && $0.beacon == nil }) {
                found[index].waiting.append(exit)
            } else {
                // The enter that started it was lost; over by now, so that the exit is decided at once.
                found.append(
                    .init(region: region, beacon: exit.beacon.identity, until: placement.takenAt, waiting: [exit]))
            }
        }
        return found.filter { $0.until > placement.takenAt || !$0.waiting.isEmpty }
    }

    private func waitingExit(_ seq: Int64, _ placement: Placement) throws(StoreError) -> EngineSnapshot.WaitingExit? {
        guard let event = try rows.event(seq)?.event, let clock = try runClock.add(seq).first({ RunClock($0) }) else {
            return nil
        }
        return EngineSnapshot.WaitingExit(
            ordinal: event.ordinal, beacon: event.beacon, reason: event.reason,
            at: placement.past(event.at.nanoseconds, clock), visit: event.visit,
            enteredAt: placement.past(event.enteredAt.nanoseconds, clock), uncertain: event.uncertain)
    }

    private func next(_ sql: String) throws(StoreError) -> UInt64 {
        UInt64(bitPattern: try database.integer(sql, doing: doing) ?? 0) + 1
    }

    private func addSettings(_ id: Int64?, to state: inout RestoredState) throws(StoreError) {
        guard let id else { return }
        let statement = try database.prepare(
            "SELECT registry, configuration FROM settings_version WHERE id = ?", doing: doing)
        let texts = try statement.add(id).first { row throws(StoreError) in (try row.text(), try row.text()) }
        (state.settings, state.registry, state.configuration) = (id, texts?.0, texts?.1)
    }
}

/// The run a restore goes on from.
private struct LastRun {
    var clock: RunClock
    var settings: Int64?
    var upTo: Instant
    var isClean: Bool
}

/// Where instants of earlier boots lie on the clock of the present one.
private struct Placement {
    private let last: LastRun
    private let bootId: String
    /// Nanoseconds from the last run's clock to the present one.
    private let shift: Int64
    /// The last stored instant on the present clock.
    let takenAt: Instant
    let away: Away

    init(of last: LastRun, bootId: String, anchor: ClockAnchor, clockTrusted: Bool) {
        self.last = last
        self.bootId = bootId
        let shift = last.clock.shift(toBoot: bootId, anchor: anchor)
        let away = anchor.instant.nanoseconds - shift - last.upTo.nanoseconds
        let isSameBoot = last.clock.bootId == bootId
        let isTrusted = clockTrusted || (last.clock.anchor.synchronised && anchor.synchronised)
        if isSameBoot || (isTrusted && away >= 0) {
            self.shift = shift
            self.away = .known(.nanoseconds(max(0, away)))
        } else {
            // A negative absence shows that one of the clocks was wrong, whatever it said of itself.
            self.shift = shift + away
            self.away = .unknown
        }
        takenAt = Instant(nanoseconds: last.upTo.nanoseconds + self.shift)
    }

    /// The instant on the present clock.
    func place(_ nanoseconds: Int64, _ clock: RunClock) -> Instant {
        if clock.bootId == bootId { return Instant(nanoseconds: nanoseconds) }
        return Instant(
            nanoseconds: nanoseconds + clock.shift(toBoot: last.clock.bootId, anchor: last.clock.anchor) + shift)
    }

    /// The same for something that had happened when the state was stored, whatever a stepped clock makes of it.
    func past(_ nanoseconds: Int64, _ clock: RunClock) -> Instant { min(place(nanoseconds, clock), takenAt) }
}
