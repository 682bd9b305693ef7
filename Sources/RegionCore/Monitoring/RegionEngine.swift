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
/// | receivers, horizon, listening, windows | `RegionEngine+Receivers` |
/// | nearest, moves | `RegionEngine+Nearest` |
/// | loss, restart | `RegionEngine+Interruptions` |
/// | another registry | `RegionEngine+Reload` |
/// | identities that are not listed | `RegionEngine+Unregistered` |
public struct RegionEngine: Sendable {
    /// A sighting older than this is counted and dropped, nanoseconds.
    static let latestSighting: Int64 = 120_000_000_000

    var registry: Registry
    let seed: UInt64
    /// The present: the largest instant seen, nanoseconds.
    var now: Int64
    /// The source's own receiver first, then those of the registry, then others that were heard.
    var receivers: [ReceiverState]
    /// By region: bit n is set where receiver n may be a member's nearest.
    var regionReceivers: [UInt64] = []
    /// Before this no receiver can have fallen behind the others.
    var nextLagLook = Int64.max
    /// Stands still while no receiver at all can hear.
    var listening = ListeningClock()

    /// Beacon's place in the registry, then those admitted → track; −1: never heard.
    var trackNumbers: [Int32]
    var tracks: [BeaconTrack] = []
    /// Those of one beacon are linked.
    var signals: [Signal] = []
    /// The first of the linked signals that belong to nobody any more; −1: none.
    var firstFreeSignal: Int32 = -1
    /// The samples of each signal.
    var samples: Samples
    /// Who is nearest to what.
    var contest = NearestContest()
    /// The same by the venue's second rule, which decides nothing.
    var shadow = NearestContest()
    /// Instants of hits, a ring of `hitsKept` for each track.
    var hitTimes: [Int64] = []
    let hitsKept: Int
    var deadlines = DeadlineQueue()
    /// What is counted after told enters: those that run.
    var observations: [Observation] = []
    var occupancy: [Int]
    var cooldowns = Cooldowns()
    /// Who of those that regions with `unregistered` took gives way next.
    var admitted = AdmittedBeacons()
    /// Those that no region takes.
    var unregistered: UnregisteredBeacons

    var nextOrdinal: UInt64 = 1
    var nextVisit: UInt64 = 1
    /// While the clock cannot tell how long the box was away: when that ends anyway, listening.
    var heldUntil: Int64?
    /// Meanwhile: when those inside were last heard in the run before, by track.
    var lastHeardBeforeRestart: [Int: Int64] = [:]
    /// When the state of the run before was taken up.
    var restoredAt = Int64.min
    /// What the run before left: who left in it is not known, but that nobody did later than this.
    var decidedBefore = Int64.min
    /// The end of the running minute.
    var minuteEnd: Int64
    /// Whether anything was counted in it.
    var minuteIsEmpty = true
    /// The present: the largest instant of any input.
    public var present: Instant { Instant(nanoseconds: now) }
    /// How many registered beacons were heard.
    public var heardBeacons: Int { trackNumbers.prefix(registry.count).count { $0 >= 0 } }
    /// Sightings that came too late to count.
    public internal(set) var droppedLate: UInt64 = 0

    /// An engine that knows nobody yet.
    ///
    /// - Parameters:
    ///   - registry: who may be heard, and what is decided on it.
    ///   - receiver: the source's own receiver, number 0.
    ///   - start: the present.
    ///   - seed: for the hash of the table of unregistered beacons; random in a running gateway.
    public init(registry: Registry, receiver: ReceiverEntry, at start: Instant, seed: UInt64 = 0) {
        self.init(
            registry: registry, receivers: [ReceiverState(receiver, isListed: false, number: 0)], at: start, seed: seed)
    }

    init(registry: Registry, receivers: [ReceiverState], at start: Instant, seed: UInt64) {
        self.registry = registry
        self.receivers = receivers
        self.seed = seed
        now = start.nanoseconds
        trackNumbers = Array(repeating: -1, count: registry.count)
        let policies = registry.policies
        samples = Samples(kept: Int(policies.map(\.filter.samples).max() ?? 1))
        hitsKept = policies.map(\.enterHits).max() ?? 1
        occupancy = Array(repeating: 0, count: registry.regions.count)
        unregistered = UnregisteredBeacons(policy: Self.plainPolicy, seed: seed)
        minuteEnd = Self.minuteEnd(after: now)
        enroll()
    }

    /// What holds for beacons without settings of their own.
    static let plainPolicy = RegionPolicy(SettingOverrides())

    /// One decoded advertisement.
    ///
    /// What every sighting passes through is marked `@inline(__always)`: where a call is left, the optimiser copies
    /// the whole engine for a method that only reads it, which doubles the instructions of a sighting.
    ///
    /// - Parameter receiver: the number of the receiver that heard it.
    public mutating func observe(
        _ sighting: Sighting, by receiver: Int = 0, at instant: Instant, into decisions: inout Decisions
    ) {
        let moment = instant.nanoseconds
        advance(to: moment, into: &decisions)
        guard now - moment <= Self.latestSighting else {
            droppedLate += 1
            return
        }
        receivers[receiver].sightings &+= 1
        guard let beacon = registry.number(of: sighting.beacon) ?? take(sighting.beacon, into: &decisions) else {
            unregistered.observe(
                sighting, offset: receivers[receiver].entry.rssiOffset, at: moment, policy: Self.plainPolicy)
            return
        }
        let track =
            trackNumbers[beacon] >= 0
            ? Int(trackNumbers[beacon]) : beginTrack(of: beacon, heardBy: receiver, at: moment)
        hear(sighting, by: receiver, at: moment, track: track, beacon: beacon, into: &decisions)
        if registry.isUnregistered(beacon) { admitted.noteHeard(beacon - registry.listed) }
    }

    /// Whether the registry in force has a beacon for a canary, whose silence casts suspicion on the receiver.
    ///
    /// Mutating in name only: each sighting asks, and for a method that reads the optimiser copies the engine.
    public mutating func isCanary(_ beacon: BeaconIdentity) -> Bool { registry.isCanary(beacon) }

    /// Time passed: lets due deadlines fire, and nothing else.
    public mutating func tick(at instant: Instant, into decisions: inout Decisions) {
        advance(to: instant.nanoseconds, into: &decisions)
    }

    /// When the engine next has something to decide if nothing comes in before: 1 ns after the first deadline, or after
    /// the present where that has passed. What lies beyond its receiver's horizon waits for a report.
    public mutating func nextDeadline() -> Instant? {
        putAsideWhatIsBeyondItsHorizon(before: .max)
        var next = min(deadlines.first?.time ?? .max, holdEnd() ?? .max)
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
        if let first = deadlines.first, first.time < instant { return true }
        if let next = cooldowns.nextEnd, next < instant { return true }
        return heldUntil != nil
    }

    /// Decides each deadline before an instant in order; those of silence only below their receiver's horizon.
    mutating func decideDue(before instant: Int64, into decisions: inout Decisions) {
        while true {
            putAsideWhatIsBeyondItsHorizon(before: instant)
            let held = holdEnd() ?? .max
            let silence = min(deadlines.first?.time ?? .max, held)
            let cooldown = heldUntil == nil ? cooldowns.nextEnd ?? .max : .max
            guard min(silence, cooldown) < instant else { return }
            // At one instant presence comes before cooldown.
            guard silence <= cooldown else {
                now = max(now, cooldown)
                endNextCooldown(into: &decisions)
                continue
            }
            now = max(now, silence)
            if held <= silence {
                endHolding(into: &decisions)
            } else if let first = deadlines.first {
                decideDeadline(of: Int(first.track), deadline: silence, into: &decisions)
                scheduleAgain(Int(first.track))
            }
        }
    }

    /// When the wait for the clock ends, below the horizon of some receiver.
    private func holdEnd() -> Int64? {
        guard let end = heldUntil.flatMap({ listening.instant(of: $0) }) else { return nil }
        return receivers.contains { end < $0.horizon } ? end : nil
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

    /// Lets first deadlines that have passed while nothing is known of their receiver wait for it.
    private mutating func putAsideWhatIsBeyondItsHorizon(before instant: Int64) {
        while true {
            settleFirstDeadline()
            guard let first = deadlines.first, first.time < instant else { return }
            let witness = Int(tracks[Int(first.track)].witness)
            guard first.time >= receivers[witness].horizon else { return }
            if !tracks[Int(first.track)].isAside { receivers[witness].waiting.append(first.track) }
            tracks[Int(first.track)].isAside = true
            receivers[witness].waitingFrom = min(receivers[witness].waitingFrom, first.time)
            deadlines.removeFirst()
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
        guard let observation = observation(of: track),
            let end = receivers[Int(tracks[track].witness)].listening.instant(of: observation.until)
        else { return presence }
        return min(presence ?? .max, end)
    }

    /// Something about a track is due.
    private mutating func decideDeadline(of track: Int, deadline: Int64, into decisions: inout Decisions) {
        let clock = receivers[Int(tracks[track].witness)].listening
        if let end = observation(of: track).flatMap({ clock.instant(of: $0.until) }), end <= deadline {
            endObservation(of: track, into: &decisions)
        }
        if let due = presenceDeadline(of: track), due <= deadline {
            decidePresence(of: track, deadline: due, into: &decisions)
        }
    }

    // MARK: Tracks

    /// Begins to keep state of a beacon that was never heard before: a place where a sighting may allocate.
    mutating func beginTrack(of beacon: Int, heardBy receiver: Int, at instant: Int64) -> Int {
        var state = BeaconTrack(
            lastHeard: instant, lastHeardListening: receivers[receiver].listening.time(at: instant),
            lastEventAt: decidedBefore, beacon: Int32(beacon), witness: UInt8(receiver))
        if registry.isUnregistered(beacon) { state.lastEventAt = max(state.lastEventAt, admitted.lastEventAt) }
        if let track = admitted.vacantTrack {
            admitted.vacantTrack = nil
            tracks[track] = state
            trackNumbers[beacon] = Int32(track)
            return track
        }
        let track = tracks.count
        if track == tracks.capacity { reserveTracks(min(registry.mostBeacons, track + max(64, track / 8))) }
        trackNumbers[beacon] = Int32(track)
        tracks.append(state)
        hitTimes.append(contentsOf: repeatElement(0, count: hitsKept))
        deadlines.addTrack()
        return track
    }

    private mutating func reserveTracks(_ count: Int) {
        tracks.reserveCapacity(count)
        hitTimes.reserveCapacity(count * hitsKept)
        deadlines.reserve(count)
        signals.reserveCapacity(count)
        samples.reserve(count)
    }

    /// The signal of a beacon at a receiver from one device address.
    @inline(__always)
    mutating func signal(of track: Int, at receiver: Int, from advertiser: DeviceAddress?) -> Int {
        let origin = Signal.Origin(receiver: receiver, advertiser: advertiser)
        var number = Int(tracks[track].firstSignal)
        while number >= 0 {
            if signals[number].origin == origin { return number }
            number = Int(signals[number].next)
        }
        return beginSignal(of: track, from: origin)
    }

    /// A beacon is heard by another receiver, or from another address: two of these are kept for each receiver, and a
    /// third takes the place of the one that is longer unheard.
    @inline(never)
    private mutating func beginSignal(of track: Int, from origin: Signal.Origin) -> Int {
        var (first, second, last) = (-1, -1, -1)
        var number = Int(tracks[track].firstSignal)
        while number >= 0 {
            if signals[number].receiver == origin.receiver {
                (first, second) = first < 0 ? (number, -1) : (first, number)
            }
            last = number
            number = Int(signals[number].next)
        }
        var signal = Signal(of: track, from: origin)
        if second >= 0 {
            let older = signals[first].lastHeard <= signals[second].lastHeard ? first : second
            signal.next = signals[older].next
            signals[older] = signal
            contest.forget(signal: older)
            shadow.forget(signal: older)
            return older
        }
        let place = keep(signal)
        if last >= 0 {
            signals[last].next = Int32(place)
        } else {
            tracks[track].firstSignal = Int32(place)
        }
        return place
    }

    /// Gives a signal a place: one that belongs to nobody any more, else a new one.
    private mutating func keep(_ signal: Signal) -> Int {
        guard firstFreeSignal >= 0 else {
            signals.append(signal)
            samples.append()
            return signals.count - 1
        }
        let place = Int(firstFreeSignal)
        firstFreeSignal = signals[place].next
        signals[place] = signal
        contest.forget(signal: place)
        shadow.forget(signal: place)
        return place
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
