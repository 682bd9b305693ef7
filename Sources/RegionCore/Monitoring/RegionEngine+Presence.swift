// SPDX-License-Identifier: GPL-2.0-or-later

import Time

// Rules 1 to 5: when a beacon enters and when it leaves.
extension RegionEngine {
    /// A registered beacon was heard.
    @inline(__always)
    mutating func hear(
        _ sighting: Sighting, by receiver: Int, at moment: Int64, track: Int, beacon: Int,
        into decisions: inout Decisions
    ) {
        let sample = Signal.sampleRange.contains(sighting.rssi) ? sighting.rssi : nil
        let policyNumber = registry.policyNumber(of: beacon)
        let signal = signal(of: track, at: receiver, from: sighting.advertiser)
        let before = signals[signal].lastHeard
        if signals[signal].next >= 0 || Int(tracks[track].firstSignal) != signal {
            noteTurns(of: signal, of: track, at: moment, before: before)
        }
        let sampleBefore = signals[signal].lastSampleAt
        signals[signal].note(heardAt: moment)
        if let sample {
            signals[signal].add(
                sample, offset: receivers[receiver].entry.rssiOffset, at: moment,
                filter: registry.policies[policyNumber].filter, ring: signal, of: &samples)
        }
        if registry.usesLoudest, sample != nil, registry.kind(of: beacon) == .carried {
            receivers[receiver].loudest.take(
                signals[signal].trimmedMean + receivers[receiver].entry.rssiOffset,
                isSettled: signals[signal].isSettled, at: moment)
        }
        minuteIsEmpty = false
        guard
            compare(
                signal, sample: sample, at: moment, before: before, track: track, beacon: beacon, into: &decisions)
        else { return }
        let isSettled = tracks[track].note(
            sighting, sample: sample, at: moment,
            listened: receivers[Int(tracks[track].witness)].listening.time(at: moment),
            heardAgainAt: receivers[receiver].listening.heardAgainAt)
        let observed = Int(tracks[track].observation)
        if observed >= 0 { observations[observed].add(sample) }
        // As a rule there is nothing to change: that it was heard stands in the track.
        if isSettled, registry.policies[policyNumber].exitRSSI == nil { return }
        guard makesVisits(beacon, at: receiver) else { return }
        weigh(
            signal, sample: sample, at: moment, sampleBefore: sampleBefore, track: track, policy: policyNumber,
            into: &decisions)
    }

    /// What a sighting means for presence.
    private mutating func weigh(
        _ signal: Int, sample: Int8?, at moment: Int64, sampleBefore: Int64, track: Int, policy policyNumber: Int,
        into decisions: inout Decisions
    ) {
        switch tracks[track].presence {
        case .outside:
            count(HitRun(), signal, sample: sample, at: moment, track: track, policy: policyNumber, into: &decisions)
        case .entering(let run):
            count(run, signal, sample: sample, at: moment, track: track, policy: policyNumber, into: &decisions)
        case .inside(let visit):
            stay(
                visit, signal, sample: sample, at: moment, sampleBefore: sampleBefore, track: track,
                policy: policyNumber,
                into: &decisions)
        case .held(let visit, _): tracks[track].presence = .held(visit, isHeard: true)
        }
    }

    /// A sighting of a beacon that is inside: it is verified, and perhaps too weak.
    private mutating func stay(
        _ open: Visit, _ signal: Int, sample: Int8?, at moment: Int64, sampleBefore: Int64, track: Int,
        policy policyNumber: Int,
        into decisions: inout Decisions
    ) {
        var visit = open
        visit.confirm()
        let isWeak = weighWeakness(
            of: &visit, signal, sample: sample, at: moment, sampleBefore: sampleBefore, track: track,
            policy: registry.policies[policyNumber])
        tracks[track].presence = .inside(visit)
        if isWeak { leave(track, reason: .weak, at: visit.weakSince, uncertain: false, into: &decisions) }
    }

    /// Where at least one of beacon and receiver moves, presence means a visit.
    @inline(__always)
    func makesVisits(_ beacon: Int, at receiver: Int) -> Bool {
        receivers[receiver].entry.kind == .carried || registry.kind(of: beacon) == .carried
    }

    /// Whether any receiver makes visits of a beacon.
    func canVisit(_ beacon: Int) -> Bool {
        registry.kind(of: beacon) == .carried || receivers.contains { $0.entry.kind == .carried }
    }

    // MARK: Rules 1 and 2: hit, enter

    /// Counts one sighting of a beacon that is not inside.
    private mutating func count(
        _ run: HitRun, _ signal: Int, sample: Int8?, at moment: Int64, track: Int, policy policyNumber: Int,
        into decisions: inout Decisions
    ) {
        let policy = registry.policies[policyNumber]
        if let limit = policy.enterRSSI {
            // Without an RSSI it is neither a hit nor the end of a count; the last-heard time has moved.
            guard sample != nil else { return }
            let strongest = strongestSignal(of: track, or: signal)
            if let reference = reference(of: strongest, policy: policy) {
                guard signals[strongest].trimmedMean + offset(of: strongest) - reference >= limit else {
                    endRun(run, track: track, into: &decisions)
                    tracks[track].presence = .outside
                    return
                }
            } else if policy.reference == .power {
                return  // Nobody knows how strong that is.
            }
        }
        // A burst out of a stalled reader proves the past, not the present.
        let receiver = Int(signals[signal].receiver)
        guard max(reach(of: receiver), receivers[receiver].arrivedAt) - moment <= policy.enterWindow,
            moment > tracks[track].lastEventAt
        else { return }
        var run = run
        let newest = run.count > 0 ? max(moment, newestHit(of: run, track: track)) : moment
        while run.count > 0, oldestHit(of: run, track: track) < newest - policy.enterWindow { run.count -= 1 }
        guard moment >= newest - policy.enterWindow else { return }
        insert(moment, into: &run, track: track)
        run.isFresh = true
        if let sample { run.strongest = max(run.strongest, level(sample, at: receiver)) }
        if Int(run.count) >= policy.enterHits {
            enter(run, track: track, policy: policy, into: &decisions)
        } else {
            tracks[track].presence = .entering(run)
            deadlines.schedule(
                track: track, beacon: tracks[track].beacon,
                notAfter: oldestHit(of: run, track: track) + policy.enterWindow)
        }
    }

    /// Puts a hit into the ring of a run, in order of time: what comes late may lie before others.
    private mutating func insert(_ moment: Int64, into run: inout HitRun, track: Int) {
        run.newest = Int(run.newest) + 1 < hitsKept ? run.newest + 1 : 0
        run.count += 1
        var place = Int(run.newest)
        for _ in 1..<max(1, Int(run.count)) {
            let before = place > 0 ? place - 1 : hitsKept - 1
            guard hitTimes[track * hitsKept + before] > moment else { break }
            hitTimes[track * hitsKept + place] = hitTimes[track * hitsKept + before]
            place = before
        }
        hitTimes[track * hitsKept + place] = moment
    }

    /// Enough hits: the visit began with the first of them.
    private mutating func enter(
        _ run: HitRun, track: Int, policy: RegionPolicy, into decisions: inout Decisions
    ) {
        // What has been silent for the exit time by now would leave in the same breath.
        let witness = Int(tracks[track].witness)
        guard max(reach(of: witness), receivers[witness].arrivedAt) - tracks[track].lastHeard <= policy.exit else {
            endRun(run, track: track, into: &decisions)
            tracks[track].presence = .outside
            return
        }
        let first = oldestHit(of: run, track: track)
        let visit = Visit(number: nextVisit, enteredAt: first, exitTimeFrom: tracks[track].lastHeardListening)
        nextVisit += 1
        tracks[track].presence = .inside(visit)
        note(isInside: true, track: track)
        join(membership(of: track), track: track, visit: visit, reason: .hits, at: first, into: &decisions)
        scheduleAgain(track)
    }

    private func newestHit(of run: HitRun, track: Int) -> Int64 { hitTimes[track * hitsKept + Int(run.newest)] }

    private func oldestHit(of run: HitRun, track: Int) -> Int64 {
        let place = Int(run.newest) - Int(run.count) + 1
        return hitTimes[track * hitsKept + (place >= 0 ? place : place + hitsKept)]
    }

    // MARK: Rules 3 and 4: silence, weakness

    /// When a track's presence has to be looked at, if nothing is heard of it.
    func presenceDeadline(of track: Int) -> Int64? {
        switch tracks[track].presence {
        case .outside, .held: nil
        case .entering(let run): oldestHit(of: run, track: track) + policy(of: track).enterWindow
        case .inside(let visit):
            exitDeadline(
                silentSince: silentSince(visit, track: track), exit: policy(of: track).exit,
                witness: Int(tracks[track].witness))
        }
    }

    /// Silence for the exit time, counted while its witness could hear; with a duty cycle also two whole windows.
    private func exitDeadline(silentSince start: Int64, exit: Int64, witness: Int) -> Int64? {
        guard let silent = receivers[witness].listening.instant(of: start + exit) else { return nil }
        let windows = receivers[witness].windows
        guard windows.areUsed else { return silent }
        return windows.twoPassed(since: start) ? max(silent, windows.lastClosedAt) : nil
    }

    /// From when the silence of a beacon inside counts, listening: the last sighting, or a fresh start after it.
    func silentSince(_ visit: Visit, track: Int) -> Int64 { max(visit.exitTimeFrom, tracks[track].lastHeardListening) }

    /// The deadline of a track's presence has come.
    mutating func decidePresence(of track: Int, deadline: Int64, into decisions: inout Decisions) {
        switch tracks[track].presence {
        case .outside, .held: break
        case .entering(var run):
            // The oldest hit has left the window.
            endRun(run, track: track, into: &decisions)
            run.isFresh = false
            run.count -= 1
            tracks[track].presence = run.count > 0 ? .entering(run) : .outside
        case .inside(let visit):
            leave(
                track, reason: visit.isVerified ? .silence : .gap, at: tracks[track].lastHeard,
                uncertain: !visit.isVerified, into: &decisions)
        }
    }

    /// Adds a sample to the deficit. One weak packet is nothing, a slow fade is noticed, a strong packet pays back.
    private func weighWeakness(
        of visit: inout Visit, _ signal: Int, sample: Int8?, at moment: Int64, sampleBefore: Int64, track: Int,
        policy: RegionPolicy
    ) -> Bool {
        guard let limit = policy.exitRSSI, let sample, sampleBefore > .min, moment > sampleBefore,
            let reference = reference(of: signal, policy: policy), strongestSignal(of: track, or: signal) == signal
        else { return false }
        let seconds = min(Double(moment - sampleBefore) / 1e9, Weakness.longestStep)
        let lack = limit - (Double(sample) + receivers[Int(signals[signal].receiver)].entry.rssiOffset - reference)
        let wasZero = visit.deficit == 0
        visit.deficit = max(0, visit.deficit + min(max(lack, -Weakness.cap), Weakness.cap) * seconds)
        if wasZero, visit.deficit > 0 { visit.weakSince = moment }
        return visit.deficit > policy.exitDeficit
    }

    /// What limits are told from for a signal, dBm; nil: it is not known.
    func reference(of signal: Int, policy: RegionPolicy) -> Double? {
        switch policy.reference {
        case .none: 0
        case .power: power(of: Int(signals[signal].track))
        case .loudest: receivers[Int(signals[signal].receiver)].loudest.reference
        }
    }

    /// The power at 1 m of a track's beacon, dBm.
    func power(of track: Int) -> Double? {
        ReferencePower.choose(
            calibrated: registry.entry(of: Int(tracks[track].beacon)).calibratedPower,
            measured: tracks[track].measuredPower)
    }

    /// dB that the receiver of a signal adds.
    func offset(of signal: Int) -> Double { receivers[Int(signals[signal].receiver)].entry.rssiOffset }

    /// The filtered RSSI of a signal in dBm, offset included; nil: it is not heard.
    func filteredRSSI(of signal: Int, at moment: Int64) -> Double? {
        signals[signal].filteredRSSI(at: moment, offset: offset(of: signal))
    }

    /// The strongest signal of a beacon that is alive; that one where there is no other.
    func strongestSignal(of track: Int, or signal: Int) -> Int {
        var (best, number) = (signal, Int(tracks[track].firstSignal))
        while number >= 0 {
            if filteredRSSI(of: number, at: now) ?? -.infinity > filteredRSSI(of: best, at: now) ?? -.infinity {
                best = number
            }
            number = Int(signals[number].next)
        }
        return best
    }

    /// Numbers of rule 4.
    private enum Weakness {
        /// dB one sample may weigh, so that a single deep fade is not an exit.
        static let cap = 8.0
        /// Seconds one sample may stand for, so that a pause is not evidence.
        static let longestStep = 1.0
    }

    // MARK: Rule 5: near miss

    /// A run of hits ended short of an enter.
    private func endRun(_ run: HitRun, track: Int, into decisions: inout Decisions) {
        guard run.count > 0, run.isFresh else { return }
        decisions.nearMisses.append(
            NearMiss(
                beacon: registry.identity(at: Int(tracks[track].beacon)),
                at: Instant(nanoseconds: newestHit(of: run, track: track)), hits: Int(run.count),
                strongestRSSI: run.strongest == .min ? nil : Double(run.strongest)))
    }

    /// A sample with its receiver's offset, whole dB.
    func level(_ sample: Int8, at receiver: Int) -> Int8 {
        let offset = receivers[receiver].entry.rssiOffset
        return offset == 0 ? sample : Int8(clamping: Int((Double(sample) + offset).rounded()))
    }

    /// The settings in force for a track's beacon.
    func policy(of track: Int) -> RegionPolicy {
        registry.policies[registry.policyNumber(of: Int(tracks[track].beacon))]
    }
}
