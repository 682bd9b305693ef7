// SPDX-License-Identifier: GPL-2.0-or-later

/// One instance of the rule that decides which of several signals is nearest: the receivers that hear one beacon, or
/// for a carried receiver the fixed beacons that it hears.
///
/// The first to be heard is nearest. Another takes over when its lead beyond a margin, times the seconds it lasts, has
/// added up; and the more often a beacon came back to where it had just left, the larger the margin.
struct NearestContest: Sendable {
    /// How one beacon, or one carried receiver, stands.
    struct Standing: Sendable {
        /// The signal that is nearest; −1: none yet.
        var nearest: Int32 = -1
        /// The last returns to a station that had been left, nanoseconds.
        private var returns: [3 of Int64] = .init(repeating: .min)

        /// dB that returns add to the margin: the first is free, and no more than two count, so that a beacon that goes to
        /// and fro is not pinned.
        func caution(at moment: Int64) -> Double {
            var count = 0
            for place in 0..<3 where returns[place] > moment - Rule.memory { count += 1 }
            return Rule.caution * Double(max(0, count - 1))
        }

        /// It came to a station that it had left then.
        mutating func noteArrival(leftAt: Int64, at moment: Int64) {
            guard leftAt > moment - Rule.memory else { return }
            returns[0] = returns[1]
            returns[1] = returns[2]
            returns[2] = moment
        }
    }

    /// What one signal has to say for itself.
    struct Claim: Sendable {
        /// dB·s by which it led.
        var evidence = 0.0
        /// When its station was last left.
        var leftAt = Int64.min
        /// Its level when the nearest one's receiver ceased to hear; nan: it was not heard then.
        var before = Double.nan
    }

    /// By track; empty while there is nothing to compare.
    private(set) var standings: [Standing] = []
    /// By signal.
    var claims: [Claim] = []

    /// Sees to it that so many have a place.
    @inline(__always)
    mutating func makeRoom(tracks: Int, signals: Int) {
        if standings.count < tracks || claims.count < signals { grow(tracks: tracks, signals: signals) }
    }

    private mutating func grow(tracks: Int, signals: Int) {
        standings.append(contentsOf: repeatElement(Standing(), count: max(0, tracks - standings.count)))
        claims.append(contentsOf: repeatElement(Claim(), count: max(0, signals - claims.count)))
    }

    /// What is nearest in a contest; −1: nothing yet.
    func nearest(of track: Int) -> Int { track < standings.count ? Int(standings[track].nearest) : -1 }

    /// The first that is heard is nearest.
    mutating func begin(_ track: Int, with signal: Int) { standings[track].nearest = Int32(signal) }

    /// How it stands, for another list.
    func standing(of track: Int) -> Standing { track < standings.count ? standings[track] : Standing() }

    /// Takes over how it stood in another list, its nearest signal under another number.
    mutating func takeOver(_ standing: Standing, of track: Int, nearest: Int) {
        standings[track] = standing
        standings[track].nearest = Int32(nearest)
    }

    /// A visit ended, and with it the memory of where it was.
    mutating func forget(track: Int) { if track < standings.count { standings[track] = Standing() } }

    /// A signal begins, or its beacon's visit ended.
    mutating func forget(signal: Int) { if signal < claims.count { claims[signal] = Claim() } }

    /// Numbers of the rule beside margin and evidence.
    private enum Rule {
        /// Seconds one sighting may stand for, so that a pause is not evidence.
        static let longestStep = 1.0
        /// How long a return is remembered, nanoseconds.
        static let memory: Int64 = 600_000_000_000
        /// dB more for each return.
        static let caution = 3.0
        /// dB by which the last level of a deaf receiver is taken lower, and a level must have risen since to beat it.
        static let staleness = 10.0
    }

    /// The signal that takes over from the nearest one of a beacon at a sighting of it, if any does.
    ///
    /// - Parameters:
    ///   - first: the first of the beacon's linked signals.
    ///   - seconds: since its last sighting anywhere.
    mutating func challenger(
        of track: Int, first: Int, among signals: [Signal], at receivers: [ReceiverState], rule: NearestRule,
        seconds: Double, at moment: Int64, now: Int64
    ) -> Int? {
        let nearest = Int(standings[track].nearest)
        guard signals[first].next >= 0 else { return nil }
        let receiver = Int(signals[nearest].receiver)
        guard receivers[receiver].stillHears(signals[nearest], at: now) else {
            return Self.loudest(from: first, but: nearest, among: signals, at: receivers, now: now)
        }
        var round = Round(
            level: signals[nearest].steady.mean,
            isStale: !receivers[receiver].hears || signals[nearest].steady.isEmpty, rule: rule,
            caution: standings[track].caution(at: moment), seconds: seconds)
        var number = first
        while number >= 0 {
            let other = Int(signals[number].receiver)
            // A level that stands still because its receiver is deaf is no claim.
            if number != nearest, !signals[number].steady.isEmpty, receivers[other].hears,
                receivers[other].stillHears(signals[number], at: now)
            {
                round.weigh(
                    &claims[number], of: number, level: signals[number].steady.mean,
                    isElsewhere: receivers[other].station != receivers[receiver].station)
            }
            number = Int(signals[number].next)
        }
        return round.winner?.signal
    }

    /// The strongest other signal of a beacon that is alive, at a receiver that hears.
    private static func loudest(
        from first: Int, but other: Int, among signals: [Signal], at receivers: [ReceiverState], now: Int64
    ) -> Int? {
        var (best, number) = (-1, first)
        while number >= 0 {
            let receiver = Int(signals[number].receiver)
            if number != other, receivers[receiver].hears,
                receivers[receiver].stillHears(signals[number], at: now),
                best < 0 || signals[number].level > signals[best].level
            {
                best = number
            }
            number = Int(signals[number].next)
        }
        return best >= 0 ? best : nil
    }

    /// Another signal is nearest to a beacon: all evidence ends, and a return is remembered. Gives whether the station
    /// changes with it.
    mutating func pass(
        _ track: Int, to new: Int, first: Int, among signals: [Signal], at receivers: [ReceiverState], at moment: Int64
    ) -> Bool {
        let old = Int(standings[track].nearest)
        standings[track].nearest = Int32(new)
        let station = receivers[Int(signals[new].receiver)].station
        var leftAt = Int64.min
        var number = first
        while number >= 0 {
            claims[number].evidence = 0
            if receivers[Int(signals[number].receiver)].station == station {
                leftAt = max(leftAt, claims[number].leftAt)
            }
            number = Int(signals[number].next)
        }
        guard receivers[Int(signals[old].receiver)].station != station else { return false }
        claims[old].leftAt = moment
        standings[track].noteArrival(leftAt: leftAt, at: moment)
        return true
    }

    /// One weighing, at a sighting of any of the candidates.
    struct Round {
        /// dB: the level of the one that is nearest, lower where it is stale.
        let level: Double
        /// dB that another must lead by.
        let margin: Double
        /// dB·s at which it takes over.
        let enough: Double
        /// Seconds that the sighting stands for.
        let seconds: Double
        /// Nothing is known of the nearest one's receiver, or it was not heard since a restart.
        let isStale: Bool
        /// The one that takes over, with its evidence.
        private(set) var winner: (signal: Int, evidence: Double)?

        /// A round in which the nearest one has this level, so long after the sighting before.
        @inline(__always)
        init(level: Double, isStale: Bool, rule: NearestRule, caution: Double, seconds: Double) {
            self.level = isStale ? level - Rule.staleness : level
            self.isStale = isStale
            margin = rule.margin + caution
            enough = rule.leadEvidence
            self.seconds = min(max(0, seconds), Rule.longestStep)
        }

        /// Weighs one candidate.
        @inline(__always)
        mutating func weigh(_ claim: inout Claim, of signal: Int, level other: Double, isElsewhere: Bool) {
            // Whoever was heard as loud while the stale one was still heard has nothing new to say.
            if isStale, isElsewhere, !(claim.before.isNaN || other >= claim.before + Rule.staleness) { return }
            let lead = other - level - (isElsewhere ? margin : 0)
            claim.evidence = max(0, claim.evidence + lead * seconds)
            guard claim.evidence >= enough, claim.evidence > winner?.evidence ?? -1 else { return }
            winner = (signal, claim.evidence)
        }
    }
}
