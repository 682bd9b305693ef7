// SPDX-License-Identifier: GPL-2.0-or-later

// Identities that the registry does not list and that regions with `unregistered` take. Anyone's radio can send any
// number of them: beyond the most that are kept, the longest unheard gives its number and its track to the next.
extension RegionEngine {
    /// Admits an identity while there is room.
    mutating func admit(_ identity: BeaconIdentity) -> Int? {
        guard let beacon = registry.admit(identity) else { return nil }
        trackNumbers.append(-1)
        occupancy.append(contentsOf: repeatElement(0, count: registry.regions.count - occupancy.count))
        regionReceivers.append(contentsOf: repeatElement(.max, count: occupancy.count - regionReceivers.count))
        if registry.isUnregistered(beacon) { admitted.outside.touch(beacon - registry.listed) }
        return beacon
    }

    /// Admits an identity that is heard for the first time, at the cost of another where there is no room. One that is
    /// inside never gives way; where all are, the new one is refused.
    @inline(never)
    mutating func take(_ identity: BeaconIdentity, into decisions: inout Decisions) -> Int? {
        if let beacon = admit(identity) { return beacon }
        guard registry.openSet(of: identity) != nil else { return nil }
        guard let row = admitted.outside.oldest else {
            admitted.refused &+= 1
            return nil
        }
        let beacon = registry.listed + row
        giveWay(beacon, into: &decisions)
        registry.admit(identity, insteadOf: beacon)
        admitted.outside.touch(row)
        return beacon
    }

    /// Forgets everything of a beacon that is not inside, and keeps the room that it took for another.
    private mutating func giveWay(_ beacon: Int, into decisions: inout Decisions) {
        admitted.forgotten &+= 1
        endCooldowns(of: beacon, into: &decisions)
        let track = Int(trackNumbers[beacon])
        guard track >= 0 else { return }
        trackNumbers[beacon] = -1
        admitted.vacantTrack = track
        admitted.noteEvent(at: tracks[track].lastEventAt)
        contest.forget(track: track)
        shadow.forget(track: track)
        freeSignals(of: track)
    }

    /// Its cooldowns are decided now: there will be no other time.
    private mutating func endCooldowns(of beacon: Int, into decisions: inout Decisions) {
        guard cooldowns.nextEnd != nil else { return }
        for region in registry.regions(of: beacon) {
            let subject = WakeSubject(region: region, beacon: Int32(beacon))
            guard let cooldown = cooldowns.remove(subject) else { continue }
            resolve(subject, cooldown, isInside: false, into: &decisions)
        }
    }

    private mutating func freeSignals(of track: Int) {
        var last = Int(tracks[track].firstSignal)
        guard last >= 0 else { return }
        while signals[last].next >= 0 { last = Int(signals[last].next) }
        signals[last].next = firstFreeSignal
        firstFreeSignal = tracks[track].firstSignal
        tracks[track].firstSignal = -1
    }

    /// A visit began or ended: who is inside never gives way.
    mutating func note(isInside: Bool, track: Int) {
        let beacon = Int(tracks[track].beacon)
        guard registry.isUnregistered(beacon) else { return }
        if isInside {
            admitted.outside.remove(beacon - registry.listed)
        } else {
            admitted.outside.touch(beacon - registry.listed)
        }
    }

    /// Admits whom another engine had admitted, as far as this registry takes them without listing them: in the same
    /// order, so that the same gives way next.
    mutating func admitThose(of other: RegionEngine) {
        let first = other.registry.listed
        let outside = other.admitted.outside
        let inside = other.registry.numbers.dropFirst(first).filter { !outside.contains($0 - first) }
        for number in inside + outside.inOrder.map({ first + $0 }) {
            let identity = other.registry.identity(at: number)
            if !registry.contains(identity) { _ = admit(identity) }
        }
        admitted.refused = other.admitted.refused
        admitted.forgotten = other.admitted.forgotten
        admitted.noteEvent(at: other.admitted.lastEventAt)
    }
}

/// What there is to know of those that were admitted: who gives way next, and what came of those that did.
struct AdmittedBeacons: Sendable {
    /// Those that are not inside, by their place among the admitted.
    var outside = RecencyList()
    /// The track of one that gave way; the beacon that begins next has it.
    var vacantTrack: Int?
    /// How many gave way.
    var forgotten: UInt64 = 0
    /// Sightings of those that found no room.
    var refused: UInt64 = 0
    /// No event of one that was forgotten is later: should it come back, its next visit begins after the last.
    private(set) var lastEventAt = Int64.min

    /// One was heard, inside or outside.
    @inline(__always)
    mutating func noteHeard(_ row: Int) {
        if outside.contains(row) { outside.touch(row) }
    }

    /// The last event of one that is forgotten.
    mutating func noteEvent(at instant: Int64) { lastEventAt = max(lastEventAt, instant) }
}
