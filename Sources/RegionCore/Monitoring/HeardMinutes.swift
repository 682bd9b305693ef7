// SPDX-License-Identifier: GPL-2.0-or-later

import Time

/// How a beacon was heard over the last minutes in which it was heard at all: what a hint about its settings rests on.
/// What is long past is forgotten by halves. 12 bytes.
struct HeardMinutes: Sendable {
    private var sightings: UInt32 = 0
    /// The longest gap that was no absence, tenths of a second.
    private var longest: UInt16 = 0
    /// Sightings in the best minute.
    private var most: UInt16 = 0
    private(set) var count: UInt8 = 0
    /// Minutes with a gap beyond a third of the exit time.
    private var withGaps: UInt8 = 0
    /// Minutes with a gap beyond the exit time: it was away, or seemed so.
    private var withAbsences: UInt8 = 0

    /// With so many minutes the past is halved.
    static let memory: UInt8 = 60
    /// Fewer say nothing of what is usual.
    static let fewest = 10
    /// As often a long gap must come before it is taken for the beacon's way: people walk out of reach and back.
    static let fewestWithGaps = 3

    /// Adds a minute in which it was heard, under the policy in force.
    mutating func add(_ minute: BeaconMinute, under policy: RegionPolicy) {
        if count == Self.memory { forgetHalf() }
        count += 1
        sightings &+= UInt32(clamping: minute.count)
        most = max(most, UInt16(clamping: minute.count))
        let gap = minute.largestGap.wholeNanoseconds
        if gap > policy.exit {
            withAbsences += 1
            return
        }
        longest = max(longest, UInt16(clamping: gap / 100_000_000))
        if 3 * gap > policy.exit { withGaps += 1 }
    }

    private mutating func forgetHalf() {
        count /= 2
        sightings /= 2
        withGaps /= 2
        withAbsences /= 2
        if withGaps == 0 { longest = 0 }
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
        let gap = hasGaps ? Double(longest) / 10 : 0
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
