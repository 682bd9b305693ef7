// SPDX-License-Identifier: GPL-2.0-or-later

import Time

/// What one combination of settings got right and wrong.
struct TuneFigures: Equatable {
    /// Whether truth speaks of regions; else there is no F1.
    let hasRegions: Bool
    /// Whether truth speaks of what beacons are nearest to.
    let hasNearest: Bool

    // Whole seconds of a beacon and a region.

    /// Shown inside, and it was.
    var rightlyInside: Int64 = 0
    /// Shown inside, and it was elsewhere.
    var wronglyInside: Int64 = 0
    /// Not shown inside, and it was.
    var wronglyOutside: Int64 = 0

    /// Stays in regions.
    var stays = 0
    /// Of them, those never noticed.
    var missed = 0
    /// Enters with no stay, and second and later ones in one stay.
    var extra = 0
    /// Stays without an enter of their own, because the state of an earlier one ran on.
    var merged = 0

    /// Whole seconds of a beacon for which it is known what it is nearest to.
    var nearestKnown: Int64 = 0
    /// Of them, those with the right answer.
    var nearestRight: Int64 = 0
    /// Stays beside a receiver that never became nearest in them.
    var nearestMissed = 0
    /// Whole seconds at which another answer stands than at the one before.
    var nearestChanges = 0

    /// From the beginning of stays to their enters, in order.
    var enterDelays: [Duration] = []
    /// From the end of stays to their exits, in order.
    var exitDelays: [Duration] = []
    /// From the arrival beside a receiver until it became nearest, in order.
    var moveDelays: [Duration] = []

    /// Exits decided while it was inside.
    var falseExits = 0
    /// How long beacons were inside, all together.
    var inside = Duration.zero

    /// Nothing counted yet.
    init(hasRegions: Bool, hasNearest: Bool) {
        self.hasRegions = hasRegions
        self.hasNearest = hasNearest
    }

    /// The harmonic mean of precision and recall of being inside; nil: nothing is known of regions.
    var f1: Double? {
        let counted = 2 * rightlyInside + wronglyInside + wronglyOutside
        return hasRegions && counted > 0 ? Double(2 * rightlyInside) / Double(counted) : nil
    }

    /// How much of what was shown inside was; nil: nothing was shown.
    var precision: Double? { share(rightlyInside, of: rightlyInside + wronglyInside) }

    /// How much of what was inside was shown; nil: nothing was.
    var recall: Double? { share(rightlyInside, of: rightlyInside + wronglyOutside) }

    /// The share of seconds with the right nearest; nil: nothing is known of that.
    var nearestAccuracy: Double? { hasNearest ? share(nearestRight, of: nearestKnown) : nil }

    /// False exits in an hour inside; nil: nobody was.
    var falseExitsPerHour: Double? {
        inside > .zero ? Double(falseExits) / (inside.inSeconds / 3_600) : nil
    }

    /// The delay that this share of them does not exceed; nil: there is none.
    static func quantile(_ share: Double, of sorted: [Duration]) -> Duration? {
        sorted.isEmpty ? nil : sorted[min(sorted.count - 1, Int(Double(sorted.count) * share))]
    }

    /// Puts the delays in order.
    mutating func sortLatencies() {
        enterDelays.sort()
        exitDelays.sort()
        moveDelays.sort()
    }

    private func share(_ part: Int64, of whole: Int64) -> Double? {
        whole > 0 ? Double(part) / Double(whole) : nil
    }
}

extension TuneFigures {
    /// Whether these are better than others: the larger F1 (where truth speaks of regions), the larger nearest accuracy
    /// (where it speaks of that), both to three decimals; then fewer extra enters; then fewer changes of the nearest;
    /// then the smaller latency, of enters, exits and moves together, at the 95th of a hundred, one without any (as where
    /// nobody's exit comes within the recording) counted as a day.
    func isBetter(than other: TuneFigures) -> Bool {
        let order = zip(rank, other.rank).first { $0 != $1 }
        return order.map { $0 < $1 } ?? false
    }

    /// Smaller is better, the first difference decides.
    private var rank: [Double] {
        let latency = [enterDelays, exitDelays, moveDelays]
            .map { Self.quantile(0.95, of: $0)?.inSeconds ?? 86_400 }.reduce(0, +)
        return [
            -((f1 ?? 0) * 1_000).rounded(), -((nearestAccuracy ?? 0) * 1_000).rounded(), Double(extra),
            Double(nearestChanges), latency,
        ]
    }
}
