// SPDX-License-Identifier: GPL-2.0-or-later

import Time

/// Decides who is in which region: a pure function of its inputs, in arrival order.
///
/// One input is one method; what it decides is appended to `Decisions`. Deadlines that lie before an input are
/// decided first, in the order (deadline, registry order). The rules stand in:
///
/// | rules | file |
/// | --- | --- |
/// | hit, enter, silence, weakness, near miss (1–5) | `RegionEngine+Presence` |
/// | regions, wakes, cooldown, observation (6–8) | `RegionEngine+Events` |
/// | listening, horizon, windows, restart | `RegionEngine+Interruptions` |
/// | another registry | `RegionEngine+Reload` |
public struct RegionEngine: Sendable {
    /// A sighting older than this is counted and dropped, nanoseconds.
    static let latestSighting: Int64 = 120_000_000_000

    var registry: Registry
    let receiver: ReceiverEntry
    let seed: UInt64
    /// The present: the largest instant seen, nanoseconds.
    var now: Int64
    /// Up to here the receiver is known to have listened; `.max`: to the present. Silence beyond it decides nothing.
    var horizon = Int64.max
    /// When the inputs are read, where the caller says so.
    var arrivedAt = Int64.min
    var listening = ListeningClock()
    var windows = DutyWindows()

    /// Beacon's place in the registry → track; −1: never heard.
    var trackNumbers: [Int32]
    var tracks: [BeaconTrack] = []
    /// The samples of each track.
    var samples: Samples
    /// Instants of hits, a ring of `hitsKept` for each track.
    var hitTimes: [Int64] = []
    let hitsKept: Int
    var deadlines = DeadlineQueue()
    var occupancy: [Int]
    var cooldowns = Cooldowns()
    var unregistered: UnregisteredBeacons

    var nextOrdinal: UInt64 = 1
    var nextVisit: UInt64 = 1
    /// While the clock cannot tell how long the box was away: when that ends anyway, listening.
    var heldUntil: Int64?
    /// When the state of the run before was taken up.
    var restoredAt = Int64.min
    /// The end of the running minute.
    var minuteEnd: Int64
    /// Whether anything was counted in it.
    var minuteIsEmpty = true
    /// The present: the largest instant of any input.
    public var present: Instant { Instant(nanoseconds: now) }
    /// How many registered beacons were heard.
    public var heardBeacons: Int { tracks.count }
    /// Sightings that came too late to count.
    public internal(set) var droppedLate: UInt64 = 0

    /// An engine that knows nobody yet.
    ///
    /// - Parameters:
    ///   - registry: who may be heard, and what is decided on it.
    ///   - receiver: the one receiver whose inputs come in.
    ///   - start: the present.
    ///   - seed: for the hash of the table of unregistered beacons; random in a running gateway.
    public init(registry: Registry, receiver: ReceiverEntry, at start: Instant, seed: UInt64 = 0) {
        self.registry = registry
        self.receiver = receiver
        self.seed = seed
        now = start.nanoseconds
        trackNumbers = Array(repeating: -1, count: registry.count)
        let policies = registry.policies
        samples = Samples(kept: Int(policies.map(\.filter.samples).max() ?? 1))
        hitsKept = policies.map(\.enterHits).max() ?? 1
        occupancy = Array(repeating: 0, count: registry.regions.count)
        unregistered = UnregisteredBeacons(policy: Self.plainPolicy, offset: receiver.rssiOffset, seed: seed)
        minuteEnd = Self.minuteEnd(after: now)
    }

    /// What holds for beacons without settings of their own.
    static let plainPolicy = RegionPolicy(SettingOverrides())

    /// One decoded advertisement.
    ///
    /// What every sighting passes through is marked `@inline(__always)`: where a call is left, the optimiser copies
    /// the whole engine for a method that only reads it, which doubles the instructions of a sighting.
    public mutating func observe(_ sighting: Sighting, at instant: Instant, into decisions: inout Decisions) {
        let moment = instant.nanoseconds
        advance(to: moment, into: &decisions)
        guard now - moment <= Self.latestSighting else {
            droppedLate += 1
            return
        }
        guard let beacon = registry.number(of: sighting.beacon) ?? admit(sighting.beacon) else {
            unregistered.observe(sighting, at: moment, policy: Self.plainPolicy)
            return
        }
        let track = trackNumbers[beacon] >= 0 ? Int(trackNumbers[beacon]) : beginTrack(of: beacon, at: moment)
        hear(sighting, at: moment, track: track, beacon: beacon, into: &decisions)
    }

    /// Whether the registry in force has a beacon for a canary, whose silence casts suspicion on the receiver.
    ///
    /// Mutating in name only: each sighting asks, and for a method that reads the optimiser copies the engine.
    public mutating func isCanary(_ beacon: BeaconIdentity) -> Bool { registry.isCanary(beacon) }

    /// Inputs are read at this instant from now on; where it is later than theirs, they waited in a queue. What a stalled
    /// reader finds there proves the past, not the present: it moves last-heard times, and is no hit.
    public mutating func arrival(at instant: Instant) { arrivedAt = instant.nanoseconds }

    /// Time passed: lets due deadlines fire, and nothing else.
    public mutating func tick(at instant: Instant, into decisions: inout Decisions) {
        advance(to: instant.nanoseconds, into: &decisions)
    }

    /// When the engine next has something to decide if nothing comes in before: 1 ns after the first deadline, or after
    /// the present where that has passed. What lies beyond the horizon waits for a report and is no deadline.
    public mutating func nextDeadline() -> Instant? {
        var next = firstSilenceDeadline() ?? .max
        if next >= horizon { next = .max }
        if heldUntil == nil { next = min(next, cooldowns.nextEnd ?? .max) }
        if !minuteIsEmpty { next = min(next, minuteEnd) }
        return next < .max ? Instant(nanoseconds: max(next, now) + 1) : nil
    }

    // MARK: Deadlines

    /// Decides what was due before an instant, then makes it the present.
    @inline(__always)
    mutating func advance(to instant: Int64, into decisions: inout Decisions) {
        guard instant > now else { return }
        if isAnythingDue(before: instant) { decideDue(before: instant, into: &decisions) }
        now = instant
        if instant >= minuteEnd { endMinute(into: &decisions) }
    }

    @inline(__always)
    func isAnythingDue(before instant: Int64) -> Bool {
        if let first = deadlines.first, first.time < min(instant, horizon) { return true }
        if let next = cooldowns.nextEnd, next < instant { return true }
        return heldUntil != nil
    }

    /// Decides each deadline before an instant in order; those of silence only below the horizon.
    mutating func decideDue(before instant: Int64, into decisions: inout Decisions) {
        while true {
            let silence = firstSilenceDeadline() ?? .max
            let isSilenceDue = silence < min(instant, horizon)
            let cooldown = heldUntil == nil ? cooldowns.nextEnd ?? .max : .max
            guard isSilenceDue || cooldown < instant else { return }
            // At one instant presence comes before cooldown.
            guard isSilenceDue, silence <= cooldown else {
                now = max(now, cooldown)
                endNextCooldown(into: &decisions)
                continue
            }
            now = max(now, silence)
            if let held = heldUntil.flatMap({ listening.instant(of: $0) }), held <= silence {
                endHolding(into: &decisions)
            } else if let first = deadlines.first {
                decideDeadline(of: Int(first.track), deadline: silence, into: &decisions)
                scheduleAgain(Int(first.track))
            }
        }
    }

    /// The first deadline that follows from not hearing: of a track, or of the wait for the clock.
    private mutating func firstSilenceDeadline() -> Int64? {
        settleFirstDeadline()
        guard let held = heldUntil.flatMap({ listening.instant(of: $0) }) else { return deadlines.first?.time }
        return min(held, deadlines.first?.time ?? .max)
    }

    /// Puts entries that are earlier than their beacon's true deadline back, until the first one is true.
    private mutating func settleFirstDeadline() {
        while let first = deadlines.first {
            guard let deadline = deadline(of: Int(first.track)) else {
                deadlines.removeFirst()
                continue
            }
            if deadline <= first.time { return }
            deadlines.postponeFirst(to: deadline)
        }
    }

    /// Enters a track's true deadline into the queue, where it has one.
    mutating func scheduleAgain(_ track: Int) {
        guard let deadline = deadline(of: track) else { return }
        deadlines.schedule(track: track, beacon: tracks[track].beacon, notAfter: deadline)
    }

    /// The earliest moment at which something about a track has to be decided, if nothing is heard of it.
    private func deadline(of track: Int) -> Int64? {
        let presence = presenceDeadline(of: track)
        guard let observation = tracks[track].observation, let end = listening.instant(of: observation.until)
        else { return presence }
        return min(presence ?? .max, end)
    }

    /// Something about a track is due.
    private mutating func decideDeadline(of track: Int, deadline: Int64, into decisions: inout Decisions) {
        if let end = tracks[track].observation.flatMap({ listening.instant(of: $0.until) }), end <= deadline {
            endObservation(of: track, into: &decisions)
        }
        if let due = presenceDeadline(of: track), due <= deadline {
            decidePresence(of: track, deadline: due, into: &decisions)
        }
    }

    // MARK: Tracks

    /// Registers an identity where every one heard is taken.
    mutating func admit(_ identity: BeaconIdentity) -> Int? {
        guard let beacon = registry.admit(identity) else { return nil }
        trackNumbers.append(-1)
        occupancy.append(contentsOf: repeatElement(0, count: registry.regions.count - occupancy.count))
        return beacon
    }

    /// Begins to keep state of a beacon that was never heard before: the one place where a sighting may allocate.
    mutating func beginTrack(of beacon: Int, at instant: Int64) -> Int {
        let track = tracks.count
        if track == tracks.capacity { reserveTracks(min(registry.mostBeacons, track + max(64, track / 8))) }
        trackNumbers[beacon] = Int32(track)
        tracks.append(
            BeaconTrack(
                lastHeard: instant, lastHeardListening: listening.time(at: instant), beacon: Int32(beacon)))
        samples.append()
        hitTimes.append(contentsOf: repeatElement(0, count: hitsKept))
        deadlines.addTrack()
        return track
    }

    private mutating func reserveTracks(_ count: Int) {
        tracks.reserveCapacity(count)
        samples.reserve(count)
        hitTimes.reserveCapacity(count * hitsKept)
        deadlines.reserve(count)
    }

    // MARK: Minutes

    private static func minuteEnd(after instant: Int64) -> Int64 {
        (instant / MinuteTally.length - (instant % MinuteTally.length < 0 ? 1 : 0) + 1) * MinuteTally.length
    }

    /// Gives a row for each beacon heard in the minute that ended, in the order they were first heard.
    private mutating func endMinute(into decisions: inout Decisions) {
        if !minuteIsEmpty {
            for track in tracks.indices where tracks[track].minute.count > 0 {
                let identity = registry.identity(at: Int(tracks[track].beacon))
                let row = tracks[track].minute.row(of: identity, start: minuteEnd - MinuteTally.length)
                decisions.minutes.append(row)
                tracks[track].recent.add(row, under: policy(of: track))
                tracks[track].minute = MinuteTally()
            }
        }
        minuteIsEmpty = true
        minuteEnd = Self.minuteEnd(after: now)
    }
}
