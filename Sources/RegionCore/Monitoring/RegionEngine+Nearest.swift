// SPDX-License-Identifier: GPL-2.0-or-later

import Time

// Which receiver a beacon is nearest to, and what follows from it: membership, moves, place.
extension RegionEngine {
    /// A signal was heard: compares it with the others of its beacon. The only receiver is nearest, and unless it is
    /// carried past exhibits nothing is compared. Gives whether the sighting says that the beacon is there: not where a
    /// box on the wall hears an exhibit that a carried receiver visits.
    ///
    /// - Parameter before: when this signal was heard before; `Int64.min`: never.
    @inline(__always)
    mutating func compare(
        _ signal: Int, sample: Int8?, at moment: Int64, before: Int64, track: Int, beacon: Int,
        into decisions: inout Decisions
    ) -> Bool {
        guard receivers.count > 1 || receivers[0].entry.kind == .carried else {
            tracks[track].isNear = true
            return true
        }
        return compareSeveral(
            signal, sample: sample, at: moment, before: before, track: track, beacon: beacon, into: &decisions)
    }

    private mutating func compareSeveral(
        _ signal: Int, sample: Int8?, at moment: Int64, before: Int64, track: Int, beacon: Int,
        into decisions: inout Decisions
    ) -> Bool {
        contest.makeRoom(tracks: tracks.count, signals: signals.count)
        let receiver = Int(signals[signal].receiver)
        let pause = before > .min ? Double(moment - before) / 1e9 : 0
        signals[signal].gap.add(after: pause)
        if let sample {
            signals[signal].steady.add(Double(sample) + receivers[receiver].entry.rssiOffset, after: pause)
        }
        if registry.kind(of: beacon) == .carried {
            settleNearest(signal, at: moment, track: track, into: &decisions)
            return true
        }
        guard receivers[receiver].entry.kind == .carried else {
            guard case .outside = tracks[track].presence else { return false }
            witness(track, becomes: receiver, at: moment)
            tracks[track].isNear = false
            return true
        }
        settleVisitor(receiver, at: moment, track: track, into: &decisions)
        settleGuide(receiver, signal, at: moment, track: track, into: &decisions)
        return true
    }

    // MARK: The receiver nearest to a beacon

    private mutating func settleNearest(
        _ signal: Int, at moment: Int64, track: Int, into decisions: inout Decisions
    ) {
        if case .held = tracks[track].presence { return }  // Nothing is decided until the clock can tell.
        let isNearAnything = tracks[track].isNear
        tracks[track].isNear = true
        let nearest = contest.nearest(of: track)
        guard isNearAnything, nearest >= 0 else {
            contest.begin(track, with: signal)
            witness(track, becomes: Int(signals[signal].receiver), at: moment)
            return
        }
        let seconds = Double(moment - tracks[track].lastHeard) / 1e9
        let first = Int(tracks[track].firstSignal)
        let next = contest.challenger(
            of: track, first: first, among: signals, at: receivers, rule: policy(of: track).nearest, seconds: seconds,
            at: moment, now: now)
        if let next { change(nearest, to: next, track: track, at: moment, into: &decisions) }
        if let rule = registry.venue.shadow {
            settleShadow(signal, track: track, rule: rule, seconds: seconds, at: moment, into: &decisions)
        }
        // Within the station that is nearest the one that heard it last is the witness.
        let receiver = Int(signals[signal].receiver)
        if receivers[receiver].station == receivers[Int(tracks[track].witness)].station {
            witness(track, becomes: receiver, at: moment)
        }
    }

    /// Another signal is nearest: the beacon moves between regions where that says so.
    private mutating func change(
        _ old: Int, to new: Int, track: Int, at moment: Int64, into decisions: inout Decisions
    ) {
        let isElsewhere = contest.pass(
            track, to: new, first: Int(tracks[track].firstSignal), among: signals, at: receivers, at: moment)
        let before = membership(of: track)
        let change = nearestChange(from: old, to: new, track: track)
        witness(track, becomes: Int(signals[new].receiver), at: moment)
        guard isElsewhere, case .inside(let visit) = tracks[track].presence else { return }
        nearestChanged(change, track: track, visit: visit, at: moment, into: &decisions)
        move(track, from: before, visit: visit, at: moment, into: &decisions)
    }

    /// A beacon inside leaves the regions that it belongs to no more, and joins those that it belongs to now.
    private mutating func move(
        _ track: Int, from before: [Int32], visit: Visit, at moment: Int64, into decisions: inout Decisions
    ) {
        let after = membership(of: track)
        let left = before.filter { !after.contains($0) }
        let joined = after.filter { !before.contains($0) }
        if !left.isEmpty {
            leave(
                left, track: track, reason: .moved, at: moment, uncertain: false, endsVisit: false, into: &decisions)
        }
        if !joined.isEmpty { join(joined, track: track, visit: visit, reason: .moved, at: moment, into: &decisions) }
    }

    private func nearestChange(from old: Int, to new: Int, track: Int) -> NearestChange {
        let (before, after) = (Int(signals[old].receiver), Int(signals[new].receiver))
        let isHeard = receivers[before].stillHears(signals[old], at: now)
        return NearestChange(
            from: receivers[before].entry.station, to: receivers[after].entry.station,
            fromScore: isHeard ? score(of: old) : nil, toScore: score(of: new))
    }

    /// What a level is told against: the power at 1 m, or a usual one where it is not known.
    private func scorePower(of track: Int) -> Double { power(of: track) ?? ReferencePower.usual }

    /// Steady RSSI less power, dB.
    private func score(of signal: Int) -> Double? {
        let signal = signals[signal]
        return !signal.steady.isEmpty ? signal.steady.mean - scorePower(of: Int(signal.track)) : nil
    }

    /// The second rule of the venue, which decides nothing.
    private mutating func settleShadow(
        _ signal: Int, track: Int, rule: NearestRule, seconds: Double, at moment: Int64,
        into decisions: inout Decisions
    ) {
        shadow.makeRoom(tracks: tracks.count, signals: signals.count)
        let nearest = shadow.nearest(of: track)
        guard nearest >= 0 else {
            shadow.begin(track, with: signal)
            return
        }
        let first = Int(tracks[track].firstSignal)
        guard
            let next = shadow.challenger(
                of: track, first: first, among: signals, at: receivers, rule: rule, seconds: seconds, at: moment,
                now: now),
            shadow.pass(track, to: next, first: first, among: signals, at: receivers, at: moment),
            case .inside = tracks[track].presence
        else { return }
        decisions.shadows.append(
            ShadowChange(
                beacon: registry.identity(at: Int(tracks[track].beacon)), at: Instant(nanoseconds: moment),
                change: nearestChange(from: nearest, to: next, track: track)))
    }

    // MARK: The fixed beacon nearest to a carried receiver

    /// A carried receiver heard a fixed beacon: whoever came first is its visitor, until that one hears it no more.
    private mutating func settleVisitor(
        _ receiver: Int, at moment: Int64, track: Int, into decisions: inout Decisions
    ) {
        tracks[track].isNear = true
        guard receiver != Int(tracks[track].witness) else { return }
        switch tracks[track].presence {
        case .held: break  // Nothing is decided until the clock can tell.
        case .outside, .entering: witness(track, becomes: receiver, at: moment)
        case .inside(let visit):
            guard !isHeard(track, by: Int(tracks[track].witness)) else { return }
            let before = membership(of: track)
            witness(track, becomes: receiver, at: moment)
            move(track, from: before, visit: visit, at: moment, into: &decisions)
        }
    }

    /// Whether a receiver still hears a beacon, from any address.
    private func isHeard(_ track: Int, by receiver: Int) -> Bool {
        var number = Int(tracks[track].firstSignal)
        while number >= 0 {
            if Int(signals[number].receiver) == receiver, receivers[receiver].stillHears(signals[number], at: now) {
                return true
            }
            number = Int(signals[number].next)
        }
        return false
    }

    /// A carried receiver heard a fixed beacon that is inside: compares it with the others that it hears.
    private mutating func settleGuide(
        _ receiver: Int, _ signal: Int, at moment: Int64, track: Int, into decisions: inout Decisions
    ) {
        guard case .inside = tracks[track].presence else { return }
        if !receivers[receiver].guides.contains(Int32(signal)) { receivers[receiver].guides.append(Int32(signal)) }
        let nearest = Int(receivers[receiver].guide.nearest)
        guard nearest >= 0 else {
            receivers[receiver].guide.nearest = Int32(signal)
            return
        }
        let isNearestAlive = isGuide(nearest)
        var round = NearestContest.Round(
            level: score(of: nearest) ?? -.infinity, isStale: false, rule: policy(of: track).nearest,
            caution: receivers[receiver].guide.caution(at: moment),
            seconds: Double(moment - receivers[receiver].guidedAt) / 1e9)
        receivers[receiver].guidedAt = moment
        var best = signal
        for place in receivers[receiver].guides.indices.reversed() {
            let other = Int(receivers[receiver].guides[place])
            guard other != nearest else { continue }
            guard isGuide(other), let score = score(of: other) else {
                receivers[receiver].guides.remove(at: place)
                continue
            }
            if score > self.score(of: best) ?? -.infinity { best = other }
            round.weigh(&contest.claims[other], of: other, level: score, isElsewhere: true)
        }
        guard let next = isNearestAlive ? round.winner?.signal : best, next != nearest else { return }
        for other in receivers[receiver].guides { contest.claims[Int(other)].evidence = 0 }
        contest.claims[nearest].leftAt = moment
        receivers[receiver].guide.nearest = Int32(next)
        receivers[receiver].guide.noteArrival(leftAt: contest.claims[next].leftAt, at: moment)
        let nextTrack = Int(signals[next].track)
        guard case .inside(let visit) = tracks[nextTrack].presence else { return }
        let change = NearestChange(
            from: shownName(of: Int(tracks[Int(signals[nearest].track)].beacon)),
            to: shownName(of: Int(tracks[nextTrack].beacon)),
            fromScore: isNearestAlive ? score(of: nearest) : nil, toScore: score(of: next))
        nearestChanged(change, track: nextTrack, visit: visit, at: moment, into: &decisions)
    }

    /// Whether a signal of a fixed beacon is alive and its beacon inside.
    private func isGuide(_ signal: Int) -> Bool {
        guard case .inside = tracks[Int(signals[signal].track)].presence else { return false }
        return receivers[Int(signals[signal].receiver)].stillHears(signals[signal], at: now)
    }

    // MARK: Witness

    /// Silence counts at another receiver from now on: what is counted on the old one's clock goes over to the new one's.
    private mutating func witness(_ track: Int, becomes receiver: Int, at moment: Int64) {
        let old = Int(tracks[track].witness)
        guard old != receiver else { return }
        tracks[track].witness = UInt8(receiver)
        let time = receivers[receiver].listening.time(at: moment)
        tracks[track].lastHeardListening = time
        let place = Int(tracks[track].observation)
        if place >= 0 {
            observations[place].until +=
                receivers[receiver].listening.time(at: now) - receivers[old].listening.time(at: now)
        }
        if case .inside(var visit) = tracks[track].presence {
            visit.exitTimeFrom = time
            tracks[track].presence = .inside(visit)
        }
        // What waited for the old one's horizon waits no longer.
        tracks[track].isAside = false
        scheduleAgain(track)
    }

    /// A visit ended, and with it the memory of where it was.
    mutating func forgetNearest(of track: Int) {
        tracks[track].isNear = false
        contest.forget(track: track)
        shadow.forget(track: track)
        var number = Int(tracks[track].firstSignal)
        while number >= 0 {
            contest.forget(signal: number)
            shadow.forget(signal: number)
            number = Int(signals[number].next)
        }
    }

    /// Nothing is known of a receiver any more. What it is nearest to stays with it, unless somebody else hears the
    /// beacon much louder than until now.
    mutating func beginStaleness(of receiver: Int) {
        guard receivers.count > 1 else { return }
        contest.makeRoom(tracks: tracks.count, signals: signals.count)
        for track in tracks.indices where Int(tracks[track].witness) == receiver {
            var number = Int(tracks[track].firstSignal)
            while number >= 0 {
                let isHeard = receivers[Int(signals[number].receiver)].stillHears(signals[number], at: now)
                let level = isHeard && !signals[number].steady.isEmpty ? signals[number].steady.mean : .nan
                contest.claims[number].before = level
                if number < shadow.claims.count { shadow.claims[number].before = level }
                number = Int(signals[number].next)
            }
        }
    }

    // MARK: Restart

    /// What a restart needs of it.
    func nearestKept(of track: Int) -> EngineSnapshot.Nearest? {
        guard tracks[track].isNear, receivers.count > 1 else { return nil }
        let isCarried = registry.kind(of: Int(tracks[track].beacon)) == .carried
        let nearest = isCarried ? contest.nearest(of: track) : visitedSignal(of: track)
        guard nearest >= 0 else { return nil }
        return EngineSnapshot.Nearest(
            receiver: receivers[Int(signals[nearest].receiver)].entry.id,
            score: signals[nearest].steady.mean - scorePower(of: track))
    }

    /// The first signal of a beacon at its witness; −1: there is none.
    private func visitedSignal(of track: Int) -> Int {
        var number = Int(tracks[track].firstSignal)
        while number >= 0, signals[number].receiver != tracks[track].witness { number = Int(signals[number].next) }
        return number
    }

    /// What was nearest before a restart stands, with its last level, until it is heard or ends.
    mutating func takeUp(_ nearest: EngineSnapshot.Nearest, of track: Int, at witness: Int) {
        let number = signal(of: track, at: witness, from: nil)
        signals[number].note(heardAt: now)
        signals[number].steady = SteadyRSSI(before: nearest.score + scorePower(of: track))
        contest.makeRoom(tracks: tracks.count, signals: signals.count)
        contest.begin(track, with: number)
        tracks[track].isNear = true
    }

    // MARK: Membership, place

    /// The regions a beacon belongs to while it is inside and near its witness, narrowest first.
    func membership(of track: Int) -> [Int32] {
        registry.regions(of: Int(tracks[track].beacon)).filter { isMember(of: $0, near: tracks[track].witness) }
    }

    /// Whether a beacon near a receiver is one of a region's.
    func isMember(of region: Int32, near receiver: UInt8) -> Bool {
        regionReceivers[Int(region)] & 1 << UInt64(receiver) != 0
    }

    /// Where a beacon is: where it hangs, else where the receiver hangs that it is near.
    func place(of track: Int) -> Place? {
        let entry = registry.entry(of: Int(tracks[track].beacon))
        if entry.kind == .fixed {
            return Place(exhibit: entry.exhibit, floor: entry.floor, x: entry.x, y: entry.y)
        }
        let receiver = Int(tracks[track].witness)
        guard tracks[track].isNear else { return nil }
        if receivers[receiver].entry.kind == .fixed {
            let entry = receivers[receiver].entry
            return entry.isPlaced ? Place(floor: entry.floor, x: entry.x, y: entry.y) : nil
        }
        // It goes about with a receiver that is carried itself: where that one is.
        let guide = Int(receivers[receiver].guide.nearest)
        return guide >= 0 ? place(of: Int(signals[guide].track)) : nil
    }

    // MARK: Several devices

    /// Two addresses that take turns at one receiver are two devices; one that changes its address is not.
    @inline(__always)
    mutating func noteTurns(of signal: Int, of track: Int, at moment: Int64, before: Int64) {
        guard signals[Int(tracks[track].firstSignal)].next >= 0, before > .min, moment - before <= Turns.longest
        else { return }
        var number = Int(tracks[track].firstSignal)
        while number >= 0 {
            if number != signal, signals[number].receiver == signals[signal].receiver,
                signals[number].lastHeard > before
            {
                tracks[track].severalUntil = Int32(clamping: (moment + Turns.longest) / 1_000_000_000)
            }
            number = Int(signals[number].next)
        }
    }

    /// Within how long two addresses take turns, nanoseconds.
    private enum Turns {
        static let longest: Int64 = 10_000_000_000
    }
}
