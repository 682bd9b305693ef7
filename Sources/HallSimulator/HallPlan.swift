// SPDX-License-Identifier: GPL-2.0-or-later

import RegionCore

/// What a simulated hall is like; the seed says what happens in it.
public struct HallPlan: Equatable, Sendable {
    /// How often a beacon sends, and how common that is.
    public struct Interval: Equatable, Sendable {
        /// Time between two transmissions, without the 0–10 ms that every sender adds; at least 20 ms.
        public var duration: Duration
        /// Its share, against the other entries.
        public var weight: Int

        /// An interval with its share.
        public init(_ duration: Duration, weight: Int) {
            self.duration = duration
            self.weight = weight
        }
    }

    /// Visitors with a badge each, 60,000 at most.
    public var visitors = 30
    /// Fixed beacons, one at each exhibit, 60,000 at most.
    public var exhibits = 20
    /// Advertisers that belong to nobody here: phones, tags, other people's iBeacons, broken devices.
    public var strangers = 8
    /// The share of transmissions that collide or fade away, 0 to 1.
    public var packetLoss = 0.2
    /// The chance, in each half minute of each beacon, that a body stands in the way for 8 s.
    public var bodyBlocks = 0.1
    /// The share of reports that come without RSSI.
    public var missingRSSI = 0.002
    /// The share of events that break off before their end.
    public var brokenEvents = 0.000_5
    /// The intervals there are.
    public var intervals = [Interval(.milliseconds(500), weight: 3), Interval(.seconds(1), weight: 5)]
    /// How long a visit lasts.
    public var visit: ClosedRange<Duration> = .seconds(60)...(.seconds(240))
    /// How long a visitor stays away at least, and by how much that differs.
    public var pause: ClosedRange<Duration> = .seconds(30)...(.seconds(120))
    /// Metres along x; the door is in the middle of the side at x = 0.
    public var width = 32.0
    /// Metres along y.
    public var depth = 20.0
    /// Where the receiver hangs, metres along x.
    public var receiverX = 16.0
    /// Where the receiver hangs, metres along y.
    public var receiverY = 10.0
    /// RSSI at 1 m, dBm: what beacons say of themselves.
    public var measuredPower: Int8 = -59
    /// How far beacons stray from that, dB, one standard deviation.
    public var powerSpread = 2.0
    /// Path loss exponent: 2.0 in the open, 3.0 in a crowd.
    public var pathLoss = 2.2
    /// Settings of the venue.
    public var settings = SettingOverrides()

    /// The ordinary hall.
    public init() {}

    /// About 20 exhibits and 30 visitors at ordinary rates: somebody comes or goes every few seconds.
    public static let hall: HallPlan = {
        var plan = HallPlan()
        plan.intervals = [
            Interval(.milliseconds(100), weight: 1), Interval(.milliseconds(500), weight: 3),
            Interval(.seconds(1), weight: 8), Interval(.seconds(2), weight: 3), Interval(.seconds(10), weight: 1),
        ]
        return plan
    }()

    /// About 500 reports a second, as many as one radio hears in a full hall, from visitors who come and go every
    /// 10 to 30 s: 30 enters and exits a second. Both grow with `visitors`: ten thousand give 500 events a second.
    public static let stress: HallPlan = {
        var plan = HallPlan()
        plan.visitors = 600
        plan.exhibits = 50
        plan.intervals = [Interval(.milliseconds(300), weight: 1), Interval(.milliseconds(700), weight: 3)]
        plan.visit = .seconds(10)...(.seconds(30))
        plan.pause = .seconds(2)...(.seconds(10))
        plan.settings[.exit] = 5
        plan.settings[.cooldown] = 5
        return plan
    }()
}
