// SPDX-License-Identifier: GPL-2.0-or-later

import Time

// Another registry: what is gone ends, what is new is joined, and nothing else is touched.
extension RegionEngine {
    /// A new registry takes effect, whole.
    public mutating func replaceRegistry(
        _ new: Registry, at instant: Instant, into decisions: inout Decisions
    ) {
        advance(to: instant.nanoseconds, into: &decisions)
        var engine = successor(under: new)
        let change = RegistryChange(from: self, to: engine)
        for beacon in trackNumbers.indices where trackNumbers[beacon] >= 0 {
            endWhatIsGone(of: Int(trackNumbers[beacon]), change: change, into: &decisions)
        }
        endCooldowns(change, into: &decisions)
        engine.takeOver(self, change: change)
        self = engine
        for beacon in trackNumbers.indices where trackNumbers[beacon] >= 0 {
            joinWhatIsNew(of: Int(trackNumbers[beacon]), change: change, into: &decisions)
        }
        for track in tracks.indices { scheduleAgain(track) }
        decideDue(before: now, into: &decisions)
    }

    private func isInside(_ track: Int) -> Visit? {
        switch tracks[track].presence {
        case .inside(let visit), .held(let visit, _): visit
        case .outside, .entering: nil
        }
    }

    /// Ends a visit whose beacon is gone, or its part in regions that are gone or mean something else now.
    private mutating func endWhatIsGone(
        of track: Int, change: RegistryChange, into decisions: inout Decisions
    ) {
        guard isInside(track) != nil else { return }
        let beacon = Int(tracks[track].beacon)
        switch change.beacons[beacon] {
        case .removed: leave(track, reason: .removed, at: now, uncertain: false, into: &decisions)
        case .redefined: leave(track, reason: .redefined, at: now, uncertain: false, into: &decisions)
        case .kept:
            for (reason, fate) in [(RegionEvent.Reason.removed, Fate.removed), (.redefined, .redefined)] {
                let left = membership(of: track).filter {
                    change.fate(of: $0, beacon: beacon, near: tracks[track].witness) == fate
                }
                guard !left.isEmpty else { continue }
                leave(
                    left, track: track, reason: reason, at: now, uncertain: false, endsVisit: false, into: &decisions)
            }
        }
    }

    /// A cooldown whose subject is gone is decided now: there will be no other time.
    private mutating func endCooldowns(_ change: RegistryChange, into decisions: inout Decisions) {
        for (subject, _) in cooldowns.inOrder {
            let isKept =
                subject.beacon < 0
                ? change.regions[Int(subject.region)] == .kept
                : change.beacons[Int(subject.beacon)] == .kept
                    && change.keeps(Int(subject.beacon), in: subject.region)
            if !isKept, let cooldown = cooldowns.remove(subject) {
                resolve(subject, cooldown, isInside: false, into: &decisions)
            }
        }
    }

    /// An engine over another registry that still knows nobody.
    private func successor(under new: Registry) -> RegionEngine {
        var engine = RegionEngine(
            registry: new, receivers: receivers, at: Instant(nanoseconds: now), seed: seed)
        for receiver in engine.receivers.indices {
            engine.receivers[receiver].waiting = []
            engine.receivers[receiver].waitingFrom = .max
            engine.receivers[receiver].guide = NearestContest.Standing()
            engine.receivers[receiver].guides = []
        }
        engine.nextLagLook = nextLagLook
        engine.listening = listening
        engine.nextOrdinal = nextOrdinal
        engine.nextVisit = nextVisit
        engine.heldUntil = heldUntil
        engine.restoredAt = restoredAt
        engine.decidedBefore = decidedBefore
        engine.minuteIsEmpty = minuteIsEmpty
        engine.droppedLate = droppedLate
        engine.admitThose(of: self)
        return engine
    }

    /// Takes the state of the engine before over by identity; counts are made anew from who is inside.
    private mutating func takeOver(_ other: RegionEngine, change: RegistryChange) {
        nextOrdinal = other.nextOrdinal
        unregistered = other.unregistered
        unregistered.forgetAll(where: { registry.takes($0) }, policy: Self.plainPolicy, seed: seed)
        for track in other.tracks.indices {
            let old = Int(other.tracks[track].beacon)
            guard change.beacons[old] != .removed, let beacon = registry.number(of: other.registry.identity(at: old))
            else {
                admitted.noteEvent(at: other.tracks[track].lastEventAt)
                continue
            }
            takeOver(track, of: other, as: beacon, leaving: change)
        }
        for (subject, cooldown) in other.cooldowns.inOrder {
            guard let region = change.newRegion[Int(subject.region)] else { continue }
            var beacon = subject.beacon
            if beacon >= 0 {
                guard let number = registry.number(of: other.registry.identity(at: Int(beacon))) else { continue }
                beacon = Int32(number)
            }
            cooldowns.start(WakeSubject(region: region, beacon: beacon), cooldown)
        }
    }

    /// Takes one track over from the engine before.
    private mutating func takeOver(
        _ number: Int, of other: RegionEngine, as beacon: Int, leaving change: RegistryChange
    ) {
        let track = beginTrack(of: beacon, heardBy: Int(other.tracks[number].witness), at: now)
        tracks[track] = other.tracks[number]
        tracks[track].beacon = Int32(beacon)
        tracks[track].isAside = false
        if let observation = other.observation(of: number) {
            tracks[track].observation = Int32(observations.count)
            observations.append(observation)
            observations[observations.count - 1].track = Int32(track)
        }
        lastHeardBeforeRestart[track] = other.lastHeardBeforeRestart[number]
        takeOverSignals(of: track, from: other, number)
        if case .entering(var run) = tracks[track].presence {
            let kept = min(Int(run.count), hitsKept)
            for age in 0..<kept {
                let source = (Int(run.newest) - age + other.hitsKept) % other.hitsKept
                hitTimes[track * hitsKept + kept - 1 - age] = other.hitTimes[number * other.hitsKept + source]
            }
            run.count = UInt8(kept)
            run.newest = UInt8(kept - 1)
            tracks[track].presence = canVisit(beacon) ? .entering(run) : .outside
        }
        guard isInside(track) != nil else { return }
        note(isInside: true, track: track)
        guard counts(Int32(beacon)) else { return }
        // The regions it was in before and is in still; those it joins now are counted when it does.
        let witness = tracks[track].witness
        for region in membership(of: track)
        where change.isKept(newRegion: region, newBeacon: beacon, near: witness) {
            occupancy[Int(region)] += 1
        }
    }

    /// Copies the linked signals of a track, which still name their places in the engine before.
    private mutating func takeOverSignals(of track: Int, from other: RegionEngine, _ number: Int) {
        var source = Int(tracks[track].firstSignal)
        var last = -1
        tracks[track].firstSignal = -1
        while source >= 0 {
            var signal = other.signals[source]
            samples.append()
            signal.move(from: source, of: other.samples, to: signals.count, of: &samples)
            takeOverContest(of: track, signal: signals.count, from: other, number, source)
            source = Int(signal.next)
            signal.next = -1
            signal.track = Int32(track)
            signals.append(signal)
            if last >= 0 {
                signals[last].next = Int32(signals.count - 1)
            } else {
                tracks[track].firstSignal = Int32(signals.count - 1)
            }
            last = signals.count - 1
        }
    }

    /// What a carried receiver is near, and hears, stays what it is.
    private mutating func takeOverGuide(of receiver: Int, from other: RegionEngine, _ source: Int, as place: Int32) {
        if Int(other.receivers[receiver].guide.nearest) == source {
            receivers[receiver].guide = other.receivers[receiver].guide
            receivers[receiver].guide.nearest = place
        }
        if other.receivers[receiver].guides.contains(Int32(source)) { receivers[receiver].guides.append(place) }
    }

    /// How a track stood, and what its signal claimed, where there was a contest.
    private mutating func takeOverContest(
        of track: Int, signal: Int, from other: RegionEngine, _ number: Int, _ source: Int
    ) {
        for contest in [\RegionEngine.contest, \RegionEngine.shadow] where source < other[keyPath: contest].claims.count
        {
            self[keyPath: contest].makeRoom(tracks: track + 1, signals: signal + 1)
            self[keyPath: contest].claims[signal] = other[keyPath: contest].claims[source]
            if other[keyPath: contest].nearest(of: number) == source {
                self[keyPath: contest].takeOver(
                    other[keyPath: contest].standing(of: number), of: track, nearest: signal)
            }
        }
    }

    /// A beacon that is inside joins the regions that came or mean something else now.
    private mutating func joinWhatIsNew(
        of track: Int, change: RegistryChange, into decisions: inout Decisions
    ) {
        guard let visit = isInside(track) else { return }
        let beacon = Int(tracks[track].beacon)
        let new = membership(of: track).filter {
            !change.isKept(newRegion: $0, newBeacon: beacon, near: tracks[track].witness)
        }
        for reason in [RegionEvent.Reason.redefined, .added] {
            let joined = new.filter { change.wasRedefined(newRegion: $0) == (reason == .redefined) }
            guard !joined.isEmpty else { continue }
            join(joined, track: track, visit: visit, reason: reason, at: now, into: &decisions)
        }
    }
}

/// What becomes of something when the registry changes.
private enum Fate {
    case kept, removed, redefined
}

/// What a new registry does to the beacons and regions of the old one.
private struct RegistryChange {
    /// By the old registry's beacon numbers.
    let beacons: [Fate]
    /// Old region number → the new number of the same region.
    let newRegion: [Int32?]
    /// By the old registry's region numbers: what becomes of the region as such.
    let regions: [Fate]
    private let old, new: Registry
    /// The receivers of members, by old and by new region number.
    private let oldReceivers, newReceivers: [UInt64]
    /// New region number → the old number of the same region.
    private var oldRegion: [Int32: Int32] = [:]
    private let redefinedNew: Set<Int32>

    init(from old: RegionEngine, to new: RegionEngine) {
        self.old = old.registry
        self.new = new.registry
        beacons = old.registry.numbers.map { number in
            guard let other = new.registry.number(of: old.registry.identity(at: number)) else { return .removed }
            return new.registry.kind(of: other) == old.registry.kind(of: number) ? .kept : .redefined
        }
        var numbers: [String: Int32] = [:]
        for (number, region) in new.registry.regions.enumerated() { numbers[region.identifier] = Int32(number) }
        let fates = old.registry.regions.map { region -> (fate: Fate, number: Int32?) in
            guard let number = numbers[region.identifier] else { return (.removed, nil) }
            let isSame = new.registry.regions[Int(number)].scope == region.scope
            return (isSame ? .kept : .redefined, number)
        }
        regions = fates.map(\.fate)
        newRegion = fates.map { $0.fate == .kept ? $0.number : nil }
        redefinedNew = Set(fates.filter { $0.fate == .redefined }.compactMap(\.number))
        oldReceivers = old.regionReceivers
        newReceivers = new.regionReceivers
        for (number, other) in newRegion.enumerated() {
            if let other { oldRegion[other] = Int32(number) }
        }
    }

    /// What becomes of the membership of a beacon that is near a receiver: other receivers are another meaning, and so
    /// is whether the region takes beacons that are not listed.
    func fate(of region: Int32, beacon: Int, near receiver: UInt8) -> Fate {
        guard let number = newRegion[Int(region)] else { return regions[Int(region)] }
        return keeps(beacon, in: region) && isMember(near: receiver, of: newReceivers[Int(number)])
            ? .kept : .redefined
    }

    /// Whether a region of the old registry is in the new one and takes a beacon still, both by their old numbers.
    func keeps(_ beacon: Int, in region: Int32) -> Bool {
        guard let number = newRegion[Int(region)], let other = new.number(of: old.identity(at: beacon)) else {
            return false
        }
        return new.regions(of: other).contains(number)
    }

    /// Whether a beacon near a receiver was a member of a region of the new registry, meaning the same.
    func isKept(newRegion number: Int32, newBeacon beacon: Int, near receiver: UInt8) -> Bool {
        guard let region = oldRegion[number], let other = old.number(of: new.identity(at: beacon)) else {
            return false
        }
        return old.regions(of: other).contains(region) && isMember(near: receiver, of: oldReceivers[Int(region)])
    }

    /// Whether it was in the old one, meaning something else.
    func wasRedefined(newRegion number: Int32) -> Bool { redefinedNew.contains(number) || oldRegion[number] != nil }

    private func isMember(near receiver: UInt8, of receivers: UInt64) -> Bool {
        receivers & 1 << UInt64(receiver) != 0
    }
}
