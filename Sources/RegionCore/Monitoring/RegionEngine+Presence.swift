// SPDX-License-Identifier: GPL-2.0-or-later

import Time

// Rules 1 to 5: when a beacon enters and when it leaves.
extension RegionEngine {
    /// A registered beacon was heard.
    @inline(__always)
    mutating func hear(
        _ sighting: Sighting, at moment: Int64, track: Int, beacon: Int, into decisions: inout Decisions
    ) {
        let sample = Signal.sampleRange.contains(sighting.rssi) ? sighting.rssi : nil
        let policyNumber = registry.policyNumber(of: beacon)
        let (sampleBefore, isSettled) = tracks[track].note(
            sighting, sample: sample, offset: receiver.rssiOffset, at: moment, listening: listening,
            filter: registry.policies[policyNumber].filter, number: track, samples: &samples)
        minuteIsEmpty = false
        // As a rule there is nothing to change: that it was heard stands in the track.
        if isSettled, registry.policies[policyNumber].exitRSSI == nil { return }
        guard makesVisits(beacon) else { return }
        weigh(
            sample, at: moment, sampleBefore: sampleBefore, track: track, policy: policyNumber, into: &decisions)
    }

    /// What a sighting means for presence.
    private mutating func weigh(
        _ sample: Int8?, at moment: Int64, sampleBefore: Int64, track: Int, policy policyNumber: Int,
        into decisions: inout Decisions
    ) {
        switch tracks[track].presence {
        case .outside:
            count(HitRun(), sample: sample, at: moment, track: track, policy: policyNumber, into: &decisions)
        case .entering(let run):
            count(run, sample: sample, at: moment, track: track, policy: policyNumber, into: &decisions)
        case .inside(let visit):
            stay(
                visit, sample: sample, at: moment, sampleBefore: sampleBefore, track: track, policy: policyNumber,
                into: &decisions)
        case .held(let visit, let lastHeardBefore, _):
            tracks[track].presence = .held(visit, lastHeardBefore: lastHeardBefore, isHeard: true)
        }
    }

    /// A sighting of a beacon that is inside: it is verified, and perhaps too weak.
    private mutating func stay(
        _ open: Visit, sample: Int8?, at moment: Int64, sampleBefore: Int64, track: Int, policy policyNumber: Int,
        into decisions: inout Decisions
    ) {
        var visit = open
        visit.confirm()
        let isWeak = weighWeakness(
            of: &visit, sample: sample, at: moment, sampleBefore: sampleBefore,
            policy: registry.policies[policyNumber])
        tracks[track].presence = .inside(visit)
        if isWeak { leave(track, reason: .weak, at: visit.weakSince, uncertain: false, into: &decisions) }
    }

    /// Where at least one of beacon and receiver moves, presence means a visit.
    @inline(__always)
    func makesVisits(_ beacon: Int) -> Bool {
        receiver.kind == .carried || registry.kind(of: beacon) == .carried
    }

    // MARK: Rules 1 and 2: hit, enter

    /// Counts one sighting of a beacon that is not inside.
    private mutating func count(
        _ run: HitRun, sample: Int8?, at moment: Int64, track: Int, policy policyNumber: Int,
        into decisions: inout Decisions
    ) {
        let policy = registry.policies[policyNumber]
        if let limit = policy.enterRSSI {
            // Without an RSSI it is neither a hit nor the end of a count; the last-heard time has moved.
            guard sample != nil else { return }
            guard tracks[track].signal.latestFilteredRSSI >= limit else {
                endRun(run, track: track, into: &decisions)
                tracks[track].presence = .outside
                return
            }
        }
        // A burst out of a stalled reader proves the past, not the present.
        guard max(reach, arrivedAt) - moment <= policy.enterWindow, moment > tracks[track].lastEventAt else { return }
        var run = run
        guard run.count == 0 || moment >= newestHit(of: run, track: track) else { return }
        while run.count > 0, oldestHit(of: run, track: track) < moment - policy.enterWindow { run.count -= 1 }
        run.newest = Int(run.newest) + 1 < hitsKept ? run.newest + 1 : 0
        run.count += 1
        run.isFresh = true
        if let sample { run.strongest = max(run.strongest, sample) }
        hitTimes[track * hitsKept + Int(run.newest)] = moment
        if Int(run.count) >= policy.enterHits {
            enter(run, track: track, policy: policy, into: &decisions)
        } else {
            tracks[track].presence = .entering(run)
            deadlines.schedule(
                track: track, beacon: tracks[track].beacon,
                notAfter: oldestHit(of: run, track: track) + policy.enterWindow)
        }
    }

    /// Enough hits: the visit began with the first of them.
    private mutating func enter(
        _ run: HitRun, track: Int, policy: RegionPolicy, into decisions: inout Decisions
    ) {
        // What has been silent for the exit time by now would leave in the same breath.
        guard max(reach, arrivedAt) - tracks[track].lastHeard <= policy.exit else {
            endRun(run, track: track, into: &decisions)
            tracks[track].presence = .outside
            return
        }
        let first = oldestHit(of: run, track: track)
        let visit = Visit(number: nextVisit, enteredAt: first, exitTimeFrom: tracks[track].lastHeardListening)
        nextVisit += 1
        tracks[track].presence = .inside(visit)
        let beacon = Int(tracks[track].beacon)
        join(registry.regions(of: beacon), track: track, visit: visit, reason: .hits, at: first, into: &decisions)
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
            exitDeadline(silentSince: silentSince(visit, track: track), exit: policy(of: track).exit)
        }
    }

    /// Silence for the exit time, counted while the receiver could hear; with a duty cycle also two whole windows.
    private func exitDeadline(silentSince start: Int64, exit: Int64) -> Int64? {
        guard let silent = listening.instant(of: start + exit) else { return nil }
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
        of visit: inout Visit, sample: Int8?, at moment: Int64, sampleBefore: Int64, policy: RegionPolicy
    ) -> Bool {
        guard let limit = policy.exitRSSI, let sample, sampleBefore > .min, moment > sampleBefore else { return false }
        let seconds = min(Double(moment - sampleBefore) / 1e9, Weakness.longestStep)
        let lack = limit - (Double(sample) + receiver.rssiOffset)
        let wasZero = visit.deficit == 0
        visit.deficit = max(0, visit.deficit + min(max(lack, -Weakness.cap), Weakness.cap) * seconds)
        if wasZero, visit.deficit > 0 { visit.weakSince = moment }
        return visit.deficit > policy.exitDeficit
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
                strongestRSSI: rssi(ofStrongest: run.strongest)))
    }

    /// A kept sample as RSSI, dBm; −128: none was kept.
    func rssi(ofStrongest sample: Int8) -> Double? { sample == .min ? nil : Double(sample) + receiver.rssiOffset }

    /// The settings in force for a track's beacon.
    func policy(of track: Int) -> RegionPolicy {
        registry.policies[registry.policyNumber(of: Int(tracks[track].beacon))]
    }
}
