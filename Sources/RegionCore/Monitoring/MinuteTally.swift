// SPDX-License-Identifier: GPL-2.0-or-later

import Time

/// What is counted of one beacon in the running minute.
struct MinuteTally: Sendable {
    /// The length of a minute, nanoseconds.
    static let length: Int64 = 60_000_000_000

    private var largestGap: Int64 = 0
    /// Samples by level, 4 dB a step from −110 dBm up; the ends take what lies beyond. 16 bits hold the 500 reports
    /// a second that a radio can deliver.
    private var levels: [20 of UInt16] = .init(repeating: 0)
    private(set) var count: UInt32 = 0

    private static let lowest = -110
    private static let step = 4

    /// Counts a sighting that came so long after the one before it, and its sample where it has one.
    @inline(__always)
    mutating func add(gap: Int64, level: Int8?) {
        count &+= 1
        largestGap = max(largestGap, gap)
        guard let level else { return }
        let bin = min(max(Int(level) - Self.lowest, 0) / Self.step, 19)
        if levels[bin] < .max { levels[bin] += 1 }
    }

    /// The row of this minute.
    func row(of beacon: BeaconIdentity, start: Int64) -> BeaconMinute {
        var total = 0
        for bin in 0..<20 { total += Int(levels[bin]) }
        return BeaconMinute(
            beacon: beacon, start: Instant(nanoseconds: start), count: Int(count), p10: quantile(0.1, of: total),
            p50: quantile(0.5, of: total), p90: quantile(0.9, of: total), largestGap: .nanoseconds(largestGap))
    }

    /// The middle of the step that holds the quantile of that many samples; nil: there are none.
    private func quantile(_ share: Double, of total: Int) -> Double? {
        guard total > 0 else { return nil }
        let limit = share * Double(total)
        var below = 0
        for bin in 0..<20 {
            below += Int(levels[bin])
            if Double(below) >= limit { return Double(Self.lowest + bin * Self.step) + Double(Self.step) / 2 }
        }
        return nil
    }
}
