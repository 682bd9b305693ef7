// SPDX-License-Identifier: GPL-2.0-or-later

import Time

// Another registry: what is gone ends, what is new is joined, and nothing else is touched.
extension RegionEngine {
    /// A new registry takes effect, whole.
    public mutating func replaceRegistry(
        _ new: Registry, at instant: Instant, into decisions: inout Decisions
    ) {
        advance(to: instant.nanoseconds, into: &decisions)
        let change = RegistryChange(from: registry, to: new, receiver: receiver.kind)
        for beacon in trackNumbers.indices where trackNumbers[beacon] >= 0 {
            endWhatIsGone(of: Int(trackNumbers[beacon]), change: change, into: &decisions)
        }
        endCooldowns(change, into: &decisions)
        let moved = moved(to: new, change: change)
        self = moved
        for beacon in trackNumbers.indices where trackNumbers[beacon] >= 0 {
            joinWhatIsNew(of: Int(trackNumbers[beacon]), change: change, into: &decisions)
        }
        for track in tracks.indices { scheduleAgain(track) }
        decideDue(before: now, into: &decisions)
    }

    private func isInside(_ track: Int) -> Visit? {
        switch tracks[track].presence {
        case .inside(let visit), .held(let visit, _, _): visit
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
                let left = registry.regions(of: beacon).filter { change.regions[Int($0)] == fate }
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
                change.regions[Int(subject.region)] == .kept
                && (subject.beacon < 0 || change.beacons[Int(subject.beacon)] == .kept)
            if !isKept, let cooldown = cooldowns.remove(subject) {
                resolve(subject, cooldown, isInside: false, into: &decisions)
            }
        }
    }

    /// This engine over the new registry: state moves along by identity, counts are made anew from who is inside.
    private func moved(to new: Registry, change: RegistryChange) -> RegionEngine {
        var engine = RegionEngine(
            registry: new, receiver: receiver, at: Instant(nanoseconds: now), seed: seed)
        engine.horizon = horizon
        engine.listening = listening
        engine.windows = windows
        engine.nextOrdinal = nextOrdinal
        engine.nextVisit = nextVisit
        engine.heldUntil = heldUntil
        engine.restoredAt = restoredAt
        engine.minuteIsEmpty = minuteIsEmpty
        engine.droppedLate = droppedLate
        engine.unregistered = unregistered
        engine.unregistered.forgetAll(
            where: { new.number(of: $0) != nil }, policy: Self.plainPolicy, seed: seed)
        for track in tracks.indices {
            let old = Int(tracks[track].beacon)
            guard change.beacons[old] != .removed, let beacon = new.number(of: registry.identity(at: old))
            else { continue }
            engine.takeOver(track, of: self, as: beacon, leaving: change)
        }
        for (subject, cooldown) in cooldowns.inOrder {
            guard let region = change.newRegion[Int(subject.region)] else { continue }
            var beacon = subject.beacon
            if beacon >= 0 {
                guard let number = new.number(of: registry.identity(at: Int(beacon))) else { continue }
                beacon = Int32(number)
            }
            engine.cooldowns.start(WakeSubject(region: region, beacon: beacon), cooldown)
        }
        return engine
    }

    /// Takes one track over from the engine before.
    private mutating func takeOver(
        _ number: Int, of other: RegionEngine, as beacon: Int, leaving change: RegistryChange
    ) {
        let track = beginTrack(of: beacon, at: now)
        tracks[track] = other.tracks[number]
        tracks[track].beacon = Int32(beacon)
        tracks[track].signal.move(from: number, of: other.samples, to: track, of: &samples)
        if case .entering(var run) = tracks[track].presence {
            let kept = min(Int(run.count), hitsKept)
            for age in 0..<kept {
                let source = (Int(run.newest) - age + other.hitsKept) % other.hitsKept
                hitTimes[track * hitsKept + kept - 1 - age] = other.hitTimes[number * other.hitsKept + source]
            }
            run.count = UInt8(kept)
            run.newest = UInt8(kept - 1)
            tracks[track].presence = makesVisits(beacon) ? .entering(run) : .outside
        }
        guard isInside(track) != nil, counts(Int32(beacon)) else { return }
        // The regions it was in before and is in still; those it joins now are counted when it does.
        for region in registry.regions(of: beacon) where change.isKept(newRegion: region) {
            occupancy[Int(region)] += 1
        }
    }

    /// A beacon that is inside joins the regions that came or mean something else now.
    private mutating func joinWhatIsNew(
        of track: Int, change: RegistryChange, into decisions: inout Decisions
    ) {
        guard let visit = isInside(track) else { return }
        let new = registry.regions(of: Int(tracks[track].beacon)).filter { !change.isKept(newRegion: $0) }
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
    /// By the old registry's region numbers.
    let regions: [Fate]
    /// Old region number → the new number of the same region.
    let newRegion: [Int32?]
    private let keptNew: Set<Int32>
    private let redefinedNew: Set<Int32>

    init(from old: Registry, to new: Registry, receiver: Mobility) {
        beacons = (0..<old.count).map { number in
            guard let other = new.number(of: old.identity(at: number)) else { return .removed }
            return new.kind(of: other) == old.kind(of: number) ? .kept : .redefined
        }
        var numbers: [String: Int32] = [:]
        for (number, region) in new.regions.enumerated() { numbers[region.identifier] = Int32(number) }
        let fates = old.regions.map { region -> (fate: Fate, number: Int32?) in
            guard let number = numbers[region.identifier] else { return (.removed, nil) }
            let isSame = new.regions[Int(number)].scope == region.scope
            return (isSame ? .kept : .redefined, number)
        }
        regions = fates.map(\.fate)
        newRegion = fates.map { $0.fate == .kept ? $0.number : nil }
        keptNew = Set(fates.filter { $0.fate == .kept }.compactMap(\.number))
        redefinedNew = Set(fates.filter { $0.fate == .redefined }.compactMap(\.number))
    }

    /// Whether a region of the new registry was in the old one, meaning the same.
    func isKept(newRegion number: Int32) -> Bool { keptNew.contains(number) }

    /// Whether it was in the old one, meaning something else.
    func wasRedefined(newRegion number: Int32) -> Bool { redefinedNew.contains(number) }
}
