// SPDX-License-Identifier: GPL-2.0-or-later

import Time

// Rules 6 to 8: regions, wakes, cooldown, observation.
extension RegionEngine {
    /// A beacon that is inside joins regions: one event, its visit's beginning or a reload.
    mutating func join(
        _ joined: [Int32], track: Int, visit: Visit, reason: RegionEvent.Reason, at: Int64,
        into decisions: inout Decisions
    ) {
        let ordinal = takeOrdinal()
        let changes = joined.map { enterRegion($0, beacon: tracks[track].beacon) }
        emit(
            .enter, ordinal: ordinal, reason: reason, at: at, track: track, visit: visit, changes: changes,
            endsVisit: false, uncertain: visit.isUncertain, into: &decisions)
        if changes.contains(where: { $0.wake == .told }) { observe(track, enter: ordinal, into: &decisions) }
    }

    /// A beacon's visit ends.
    mutating func leave(
        _ track: Int, reason: RegionEvent.Reason, at: Int64, uncertain: Bool, into decisions: inout Decisions
    ) {
        leave(
            membership(of: track), track: track, reason: reason, at: at,
            uncertain: uncertain, endsVisit: true, into: &decisions)
    }

    /// A beacon leaves regions: all of them at the end of its visit, or some that a reload took away.
    mutating func leave(
        _ left: [Int32], track: Int, reason: RegionEvent.Reason, at: Int64, uncertain: Bool, endsVisit: Bool,
        into decisions: inout Decisions
    ) {
        let visit: Visit
        switch tracks[track].presence {
        case .inside(let open), .held(let open, _): visit = open
        case .outside, .entering: preconditionFailure("only a beacon that is inside can leave")
        }
        if endsVisit {
            endObservation(of: track, into: &decisions)
            tracks[track].presence = .outside
            note(isInside: false, track: track)
        }
        defer { if endsVisit { forgetNearest(of: track) } }
        let exit = EngineSnapshot.WaitingExit(
            ordinal: takeOrdinal(), beacon: registry.description(of: Int(tracks[track].beacon)), reason: reason,
            at: Instant(nanoseconds: max(at, tracks[track].lastEventAt)), visit: visit.number,
            enteredAt: Instant(nanoseconds: visit.enteredAt), uncertain: uncertain || visit.isUncertain)
        var resolved: [(WakeSubject, Cooldowns.Running)] = []
        let changes = left.map { exitRegion($0, beacon: tracks[track].beacon, exit: exit, resolved: &resolved) }
        emit(
            .exit, ordinal: exit.ordinal, reason: reason, at: at, track: track, visit: visit, changes: changes,
            endsVisit: endsVisit, uncertain: exit.uncertain, into: &decisions)
        for (subject, cooldown) in resolved {
            for earlier in cooldown.waiting { wake(subject, exit: earlier, .cooldown, into: &decisions) }
        }
    }

    /// Something else is nearest: an event of its own, which changes no region.
    mutating func nearestChanged(
        _ change: NearestChange, track: Int, visit: Visit, at: Int64, into decisions: inout Decisions
    ) {
        emit(
            .nearest, ordinal: takeOrdinal(), reason: .moved, at: at, track: track, visit: visit, changes: [],
            endsVisit: false, uncertain: visit.isUncertain, change: change, into: &decisions)
    }

    private mutating func takeOrdinal() -> UInt64 {
        defer { nextOrdinal += 1 }
        return nextOrdinal
    }

    /// Appends an event. No `at` lies before that of the beacon's event before it, nor after the present.
    private mutating func emit(
        _ kind: RegionEvent.Kind, ordinal: UInt64, reason: RegionEvent.Reason, at: Int64, track: Int, visit: Visit,
        changes: [RegionChange], endsVisit: Bool, uncertain: Bool, change: NearestChange? = nil,
        into decisions: inout Decisions
    ) {
        let at = min(max(at, tracks[track].lastEventAt), now)
        let hits = kind == .enter && reason == .hits ? policy(of: track).enterHits : 0
        let witness = Int(tracks[track].witness)
        let clock = receivers[witness].listening
        let listened =
            kind == .exit && (reason == .silence || reason == .gap)
            ? clock.time(at: reach(of: witness)) - tracks[track].lastHeardListening
            : clock.listened(since: at, until: now)
        tracks[track].lastEventAt = at
        decisions.events.append(
            RegionEvent(
                ordinal: ordinal, kind: kind, reason: reason, at: Instant(nanoseconds: at),
                detectedAt: Instant(nanoseconds: now),
                beacon: registry.description(of: Int(tracks[track].beacon)), regions: changes, visit: visit.number,
                enteredAt: Instant(nanoseconds: visit.enteredAt), endsVisit: endsVisit, uncertain: uncertain,
                evidence: evidence(of: track, hits: hits, listened: max(0, listened)),
                nearest: tracks[track].isNear ? receivers[witness].entry.station : nil, change: change,
                place: place(of: track)))
    }

    /// What is known of a beacon's strongest signal now.
    func evidence(of track: Int, hits: Int, listened: Int64) -> Evidence {
        guard tracks[track].firstSignal >= 0 else {
            return Evidence(
                hits: hits, rssi: nil, filteredRSSI: nil, tier: nil, distance: nil,
                receiver: receivers[Int(tracks[track].witness)].entry.id, listened: .nanoseconds(listened))
        }
        let signal = signals[shownSignal(of: track, at: now)]
        let receiver = receivers[Int(signal.receiver)].entry
        return Evidence(
            hits: hits, rssi: signal.lastRSSI(offset: receiver.rssiOffset),
            filteredRSSI: signal.filteredRSSI(at: now, offset: receiver.rssiOffset),
            tier: signal.tier(at: now), distance: distance(of: track), receiver: receiver.id,
            listened: .nanoseconds(listened))
    }

    /// The strongest signal that is alive, else the one heard last.
    func shownSignal(of track: Int, at moment: Int64) -> Int {
        var (best, number) = (Int(tracks[track].firstSignal), Int(tracks[track].firstSignal))
        func rank(_ signal: Int) -> (Double, Int64) {
            (filteredRSSI(of: signal, at: moment) ?? -.infinity, signals[signal].lastHeard)
        }
        while number >= 0 {
            if rank(number) > rank(best) { best = number }
            number = Int(signals[number].next)
        }
        return best
    }

    /// The distance band of a track's filtered RSSI.
    func distance(of track: Int) -> DistanceBand? {
        guard tracks[track].firstSignal >= 0,
            let rssi = filteredRSSI(of: shownSignal(of: track, at: now), at: now), let power = power(of: track)
        else { return nil }
        return DistanceBand(rssi: rssi, power: power, pathLoss: policy(of: track).pathLoss)
    }

    // MARK: Regions and wakes (rules 6 and 7)

    /// Whether a beacon is one of those that occupancy counts.
    func counts(_ beacon: Int32) -> Bool { registry.kind(of: Int(beacon)) == countedKind }

    private func subject(of region: Int32, beacon: Int32) -> WakeSubject {
        WakeSubject(region: region, beacon: registry.regions[Int(region)].wake == .first ? -1 : beacon)
    }

    private mutating func enterRegion(_ number: Int32, beacon: Int32) -> RegionChange {
        let region = registry.regions[Int(number)]
        var change = RegionChange(region: region.identifier, occupancy: occupancy[Int(number)], edge: false)
        if counts(beacon) {
            occupancy[Int(number)] += 1
            change.occupancy += 1
            change.edge = change.occupancy == 1
        }
        guard region.wake == .each || region.wake == .first && change.edge else { return change }
        let subject = subject(of: number, beacon: beacon)
        if cooldowns.isRunning(for: subject) {
            change.wake = .cooldown
            return change
        }
        change.wake = region.notifyOnEntry ? .told : .muted
        let cooldown = registry.cooldown(of: number)
        if cooldown > 0 {
            let until = now + cooldown
            cooldowns.start(subject, Cooldowns.Running(until: until))
            change.cooldown = RegionChange.CooldownStart(
                isWholeRegion: subject.beacon < 0, until: Instant(nanoseconds: until))
        }
        return change
    }

    private mutating func exitRegion(
        _ number: Int32, beacon: Int32, exit: EngineSnapshot.WaitingExit,
        resolved: inout [(WakeSubject, Cooldowns.Running)]
    ) -> RegionChange {
        let region = registry.regions[Int(number)]
        var change = RegionChange(region: region.identifier, occupancy: occupancy[Int(number)], edge: false)
        if counts(beacon) {
            occupancy[Int(number)] -= 1
            precondition(occupancy[Int(number)] >= 0, "more beacons left a region than were in it")
            change.occupancy -= 1
            change.edge = change.occupancy == 0
        }
        guard region.wake == .each || region.wake == .first && change.edge else { return change }
        let subject = subject(of: number, beacon: beacon)
        if exit.reason == .removed || exit.reason == .redefined {
            // What is gone cannot come back: told at once, and its cooldown is over.
            if let cooldown = cooldowns.remove(subject) { resolved.append((subject, cooldown)) }
            change.wake = region.notifyOnExit ? .told : .muted
        } else if !region.notifyOnExit {
            change.wake = .muted
        } else if cooldowns.isRunning(for: subject) {
            cooldowns.wait(exit, for: subject)
            change.wake = .waiting
        } else {
            change.wake = .told
        }
        return change
    }

    /// The cooldown that ends first has ended: its waiting exits are told or withheld.
    mutating func endNextCooldown(into decisions: inout Decisions) {
        guard let (subject, cooldown) = cooldowns.removeNext() else { return }
        resolve(subject, cooldown, isInside: isInside(subject), into: &decisions)
    }

    /// Tells the last waiting exit unless its subject is inside again; all others came to nothing.
    mutating func resolve(
        _ subject: WakeSubject, _ cooldown: Cooldowns.Running, isInside: Bool, into decisions: inout Decisions
    ) {
        for (place, exit) in cooldown.waiting.enumerated() {
            let isTold = !isInside && place == cooldown.waiting.count - 1
            wake(subject, exit: exit, isTold ? .told : .cooldown, into: &decisions)
        }
    }

    private func isInside(_ subject: WakeSubject) -> Bool {
        guard subject.beacon >= 0 else { return occupancy[Int(subject.region)] > 0 }
        let track = trackNumbers[Int(subject.beacon)]
        guard track >= 0 else { return false }
        switch tracks[Int(track)].presence {
        case .inside, .held: return isMember(of: subject.region, near: tracks[Int(track)].witness)
        case .outside, .entering: return false
        }
    }

    private mutating func wake(
        _ subject: WakeSubject, exit: EngineSnapshot.WaitingExit, _ outcome: RegionChange.Wake,
        into decisions: inout Decisions
    ) {
        let change = RegionChange(
            region: registry.regions[Int(subject.region)].identifier, occupancy: occupancy[Int(subject.region)],
            edge: subject.beacon < 0, wake: outcome)
        decisions.events.append(
            RegionEvent(
                ordinal: takeOrdinal(), kind: .wake, reason: exit.reason, at: exit.at,
                detectedAt: Instant(nanoseconds: now), beacon: exit.beacon, regions: [change], visit: exit.visit,
                enteredAt: exit.enteredAt, endsVisit: false, uncertain: exit.uncertain,
                evidence: Evidence(
                    hits: 0, rssi: nil, filteredRSSI: nil, tier: nil, distance: nil,
                    receiver: witness(of: exit.beacon.identity),
                    listened: .zero),
                of: exit.ordinal))
    }

    /// The receiver that witnesses a beacon; of one that is gone, the source's own.
    private func witness(of beacon: BeaconIdentity) -> String {
        let track = registry.number(of: beacon).map { Int(trackNumbers[$0]) } ?? -1
        return receivers[track >= 0 ? Int(tracks[track].witness) : 0].entry.id
    }

    // MARK: Observation (rule 8)

    private mutating func observe(_ track: Int, enter: UInt64, into decisions: inout Decisions) {
        endObservation(of: track, into: &decisions)
        let until = receivers[Int(tracks[track].witness)].listening.time(at: now) + Observation.length
        tracks[track].observation = Int32(observations.count)
        observations.append(Observation(track: Int32(track), enter: enter, until: until))
        scheduleAgain(track)
    }

    /// The observation of a track that runs.
    func observation(of track: Int) -> Observation? {
        let place = Int(tracks[track].observation)
        return place >= 0 ? observations[place] : nil
    }

    /// The time after a told enter is over, or its visit is.
    mutating func endObservation(of track: Int, into decisions: inout Decisions) {
        let place = Int(tracks[track].observation)
        guard place >= 0 else { return }
        let observation = observations[place]
        observations.swapAt(place, observations.count - 1)
        observations.removeLast()
        if observations.isEmpty { observations = [] }  // Gives back the room of an hour when all came at once.
        if place < observations.count { tracks[Int(observations[place].track)].observation = Int32(place) }
        tracks[track].observation = -1
        decisions.rangings.append(
            Ranging(
                of: observation.enter, count: Int(observation.count),
                strongestRSSI: observation.strongest == .min ? nil : Double(observation.strongest),
                distance: observation.count > 0 ? distance(of: track) : nil))
    }
}
