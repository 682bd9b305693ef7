// SPDX-License-Identifier: GPL-2.0-or-later

import Time

// A restart is no exit.
extension RegionEngine {
    /// A restart after a longer absence ends the open visits, nanoseconds.
    static let longestAbsence: Int64 = 15 * 60 * 1_000_000_000
    /// How long it waits, listening, for the clock to tell how long the box was away, nanoseconds.
    static let longestHold: Int64 = 10 * 60 * 1_000_000_000

    // MARK: Restart

    /// The engine's state for a restart.
    public func snapshot(at instant: Instant) -> EngineSnapshot {
        let moment = max(now, instant.nanoseconds)
        var snapshot = EngineSnapshot()
        for (number, track) in tracks.enumerated() {
            let visit: Visit
            switch track.presence {
            case .outside, .entering: continue
            case .inside(let open), .held(let open, _): visit = open
            }
            let clock = receivers[Int(track.witness)].listening
            let silence = max(
                0,
                clock.time(at: min(moment, receivers[Int(track.witness)].horizon)) - silentSince(visit, track: number))
            snapshot.presences.append(
                EngineSnapshot.Presence(
                    beacon: registry.identity(at: Int(track.beacon)), visit: visit.number,
                    enteredAt: Instant(nanoseconds: visit.enteredAt),
                    lastHeard: Instant(nanoseconds: track.lastHeard),
                    lastEventAt: Instant(nanoseconds: track.lastEventAt),
                    silenceFrom: Instant(nanoseconds: moment - silence), restartSpent: visit.restartSpent,
                    lossSpent: visit.lossSpent, nearest: nearestKept(of: number)))
        }
        snapshot.cooldowns = cooldowns.inOrder.map { subject, cooldown in
            EngineSnapshot.Cooldown(
                region: registry.regions[Int(subject.region)].identifier,
                beacon: subject.beacon < 0 ? nil : registry.identity(at: Int(subject.beacon)),
                until: Instant(nanoseconds: cooldown.until), waiting: cooldown.waiting)
        }
        snapshot.loudest = loudest
        snapshot.nextOrdinal = nextOrdinal
        snapshot.nextVisit = nextVisit
        snapshot.takenAt = Instant(nanoseconds: moment)
        return snapshot
    }

    /// First of all after a start: takes up the state of the run before, under the registry of that run.
    ///
    /// - Parameters:
    ///   - snapshot: that state, its instants on the present boot clock; where the absence is unknown, as if there
    ///     had been none.
    ///   - away: how long the box was away.
    public mutating func restore(
        _ snapshot: EngineSnapshot, away: Away, at instant: Instant, into decisions: inout Decisions
    ) {
        precondition(tracks.isEmpty, "restore comes before the first sighting")
        now = max(now, instant.nanoseconds)
        nextOrdinal = snapshot.nextOrdinal
        nextVisit = snapshot.nextVisit
        let known = snapshot.presences.compactMap { presence in
            (registry.number(of: presence.beacon) ?? admit(presence.beacon)).map { (number: $0, presence: presence) }
        }
        for (beacon, presence) in known.sorted(by: { $0.number < $1.number }) {
            takeUp(presence, beacon: beacon, from: snapshot)
        }
        for cooldown in snapshot.cooldowns {
            guard let subject = subject(of: cooldown) else { continue }
            cooldowns.start(
                subject,
                Cooldowns.Running(
                    until: cooldown.until.nanoseconds, waiting: cooldown.waiting, isRestored: true))
        }
        for known in snapshot.loudest {
            guard let number = receiver(hearingFor: known.receiver) else { continue }
            receivers[number].loudest = LoudestLevel(before: known.level)
        }
        restoredAt = now
        decidedBefore = snapshot.takenAt.nanoseconds
        heldUntil = listening.time(at: now) + Self.longestHold
        if case .known(let span) = away { settle(away: span.wholeNanoseconds, into: &decisions) }
    }

    /// The clock can tell now how long the box was away before the restore.
    public mutating func awayKnown(_ away: Duration, at instant: Instant, into decisions: inout Decisions) {
        advance(to: instant.nanoseconds, into: &decisions)
        guard heldUntil != nil else { return }
        let late = away.wholeNanoseconds
        placeEarlier(by: late)
        settle(away: late, into: &decisions)
    }

    /// What the run before left was placed as if there had been no absence: puts it where it belongs. Instants later
    /// than the restore are of this run and stay.
    private mutating func placeEarlier(by late: Int64) {
        func placed(_ instant: Int64) -> Int64 { instant <= restoredAt ? instant - late : instant }
        for track in tracks.indices {
            guard case .held(var visit, let isHeard) = tracks[track].presence else { continue }
            visit.enteredAt = placed(visit.enteredAt)
            tracks[track].lastEventAt = placed(tracks[track].lastEventAt)
            tracks[track].lastHeard = placed(tracks[track].lastHeard)
            lastHeardBeforeRestart[track]? -= late
            tracks[track].presence = .held(visit, isHeard: isHeard)
        }
        let running = cooldowns.inOrder
        cooldowns = Cooldowns()
        for (subject, cooldown) in running {
            var cooldown = cooldown
            if cooldown.isRestored { cooldown.until -= late }
            for place in cooldown.waiting.indices {
                let exit = cooldown.waiting[place]
                cooldown.waiting[place].at = Instant(nanoseconds: placed(exit.at.nanoseconds))
                cooldown.waiting[place].enteredAt = Instant(nanoseconds: placed(exit.enteredAt.nanoseconds))
            }
            cooldowns.start(subject, cooldown)
        }
    }

    /// A visit goes on, held until it is known how long the box was away.
    private mutating func takeUp(
        _ presence: EngineSnapshot.Presence, beacon: Int, from snapshot: EngineSnapshot
    ) {
        guard trackNumbers[beacon] < 0, canVisit(beacon) else { return }
        let witness = presence.nearest.flatMap { receiver(hearingFor: $0.receiver) } ?? 0
        let track = beginTrack(of: beacon, heardBy: witness, at: presence.lastHeard.nanoseconds)
        let silent = max(0, (snapshot.takenAt - presence.silenceFrom).wholeNanoseconds)
        let present = receivers[witness].listening.time(at: now)
        let visit = Visit(
            number: presence.visit, enteredAt: presence.enteredAt.nanoseconds,
            exitTimeFrom: presence.restartSpent ? present - silent : present, isVerified: false,
            lossSpent: presence.lossSpent, restartSpent: true, isUncertain: false)
        tracks[track].lastEventAt = presence.lastEventAt.nanoseconds
        tracks[track].lastHeardListening = present - silent
        lastHeardBeforeRestart[track] = presence.lastHeard.nanoseconds
        tracks[track].presence = .held(visit, isHeard: false)
        note(isInside: true, track: track)
        if let nearest = presence.nearest, receivers.count > 1 { takeUp(nearest, of: track, at: witness) }
        for region in membership(of: track) where counts(Int32(beacon)) { occupancy[Int(region)] += 1 }
    }

    private mutating func subject(of cooldown: EngineSnapshot.Cooldown) -> WakeSubject? {
        guard let region = registry.regions.firstIndex(where: { $0.identifier == cooldown.region })
        else { return nil }
        guard let identity = cooldown.beacon else { return WakeSubject(region: Int32(region), beacon: -1) }
        return (registry.number(of: identity) ?? admit(identity)).map {
            WakeSubject(region: Int32(region), beacon: Int32($0))
        }
    }

    /// The absence is known: visits go on or end, and cooldowns that ended meanwhile are decided.
    private mutating func settle(away: Int64, into decisions: inout Decisions) {
        endHold(into: &decisions)
        for track in tracks.indices {
            guard case .held(let visit, let isHeard) = tracks[track].presence else { continue }
            if away > Self.longestAbsence {
                leave(
                    track, reason: .expired, at: lastHeardBeforeRestart[track] ?? now, uncertain: true, into: &decisions
                )
            } else {
                goOn(track, visit, isHeard: isHeard)
            }
        }
        lastHeardBeforeRestart = [:]
    }

    /// Nobody could tell in ten minutes: who was heard goes on, marked uncertain, and who was not has left.
    mutating func endHolding(into decisions: inout Decisions) {
        endHold(into: &decisions)
        for track in tracks.indices {
            guard case .held(var visit, let isHeard) = tracks[track].presence else { continue }
            if isHeard {
                visit.isUncertain = true
                goOn(track, visit, isHeard: true)
            } else {
                leave(track, reason: .gap, at: lastHeardBeforeRestart[track] ?? now, uncertain: true, into: &decisions)
            }
        }
        lastHeardBeforeRestart = [:]
    }

    /// Deadlines count again; cooldowns that ended meanwhile come first.
    private mutating func endHold(into decisions: inout Decisions) {
        heldUntil = nil
        while let end = cooldowns.nextEnd, end < now { endNextCooldown(into: &decisions) }
    }

    private mutating func goOn(_ track: Int, _ visit: Visit, isHeard: Bool) {
        var visit = visit
        if isHeard {
            visit.exitTimeFrom = tracks[track].lastHeardListening
            visit.confirm()
        }
        tracks[track].presence = .inside(visit)
        scheduleAgain(track)
    }
}
