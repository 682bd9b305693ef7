// SPDX-License-Identifier: GPL-2.0-or-later

import Time

/// How a beacon was heard over the minutes in which it was heard at all: what a hint about its settings rests on.
/// 16 bytes.
struct HeardMinutes: Sendable {
    private var sightings: UInt32 = 0
    /// The longest gap that was no absence, milliseconds.
    private var longest: UInt32 = 0
    private(set) var count: UInt16 = 0
    /// Minutes with a gap beyond a third of the exit time.
    private var withGaps: UInt16 = 0
    /// Minutes with a gap beyond the exit time: it was away, or seemed so.
    private var withAbsences: UInt16 = 0
    /// Sightings in the best minute.
    private var most: UInt16 = 0

    /// Fewer say nothing of what is usual.
    static let fewest = 10
    /// As often a long gap must come before it is taken for the beacon's way: people walk out of reach and back.
    static let fewestWithGaps = 3

    /// Adds a minute in which it was heard, under the policy in force.
    mutating func add(_ minute: BeaconMinute, under policy: RegionPolicy) {
        guard count < .max else { return }
        count += 1
        sightings &+= UInt32(clamping: minute.count)
        most = max(most, UInt16(clamping: minute.count))
        let gap = minute.largestGap.wholeNanoseconds
        if gap > policy.exit {
            withAbsences += 1
            return
        }
        longest = max(longest, UInt32(clamping: gap / 1_000_000))
        if 3 * gap > policy.exit { withGaps += 1 }
    }

    /// The minutes of both.
    static func + (left: Self, right: Self) -> Self {
        var sum = left
        sum.sightings &+= right.sightings
        sum.longest = max(left.longest, right.longest)
        sum.count = UInt16(clamping: Int(left.count) + Int(right.count))
        sum.withGaps = UInt16(clamping: Int(left.withGaps) + Int(right.withGaps))
        sum.withAbsences = UInt16(clamping: Int(left.withAbsences) + Int(right.withAbsences))
        sum.most = max(left.most, right.most)
        return sum
    }

    /// The settings that would suit the beacon better, in words; nil where those in force do, or too little is known.
    ///
    /// - A third of the exit time must outlast its gaps, so that one lost packet is no exit.
    /// - `enterHits` intervals must fit into `enterWindow`, else it never enters; twice as long makes its exit time
    ///   (rule 2). What decides that it is slow is its best minute: a quick one far away has a good one now and then.
    func hint(under policy: RegionPolicy) -> String? {
        // One that is away every few minutes is at the edge of reach, and no setting helps.
        guard count >= Self.fewest, withAbsences * 4 <= count, sightings > 0 else { return nil }
        let (exit, enterWindow) = (Double(policy.exit) / 1e9, Double(policy.enterWindow) / 1e9)
        let hasGaps = withGaps >= Self.fewestWithGaps && Int(withGaps) * 10 >= Int(count)
        let gap = hasGaps ? Double(longest) / 1_000 : 0
        let exitForGaps = 3 * gap > exit ? Self.fives(3 * gap) : 0
        let interval = Double(count) * 60 / Double(sightings)
        let hits = Double(policy.enterHits)
        guard policy.enterHits > 1, 60 / Double(most) * hits > enterWindow else {
            guard exitForGaps > 0 else { return nil }
            return "heard every \(Int(gap.rounded())) s at worst: set exit \(exitForGaps)"
        }
        let changes = [
            (Setting.enterWindow, Self.fives(hits * interval), enterWindow),
            (Setting.exit, max(exitForGaps, Self.fives(2 * hits * interval)), exit),
        ].compactMap { setting, wanted, present in
            let value = min(Double(wanted), setting.row.range.upperBound)
            return value > present ? "\(setting.rawValue) \(Int(value))" : nil
        }
        guard !changes.isEmpty else { return nil }
        return "heard every \(Int(interval.rounded())) s: set \(changes.joined(separator: " and "))"
    }

    /// Seconds rounded up to the next five; the tenth allows for the jitter of every advertiser.
    private static func fives(_ seconds: Double) -> Int { Int(((seconds - 0.1) / 5).rounded(.up)) * 5 }
}

/// The last half hour to hour in which a beacon was heard, in two parts, so that what is long past is forgotten.
struct RecentMinutes: Sendable {
    private var before = HeardMinutes()
    private var latest = HeardMinutes()

    /// Heard minutes in a part.
    private static let part: UInt16 = 30

    /// Adds the minute that ended.
    mutating func add(_ minute: BeaconMinute, under policy: RegionPolicy) {
        if latest.count == Self.part {
            before = latest
            latest = HeardMinutes()
        }
        latest.add(minute, under: policy)
    }

    /// What would suit the beacon better.
    func hint(under policy: RegionPolicy) -> String? { (before + latest).hint(under: policy) }
}
