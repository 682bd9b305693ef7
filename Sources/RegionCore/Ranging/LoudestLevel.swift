// SPDX-License-Identifier: GPL-2.0-or-later

/// The loudest that a receiver hears visitors: what limits can be told below, where nobody knows how strong the beacons
/// are. It falls slowly, and only while something is heard: a quiet night does not change what loud means.
struct LoudestLevel: Sendable {
    /// dBm; nil: nothing was heard yet.
    private(set) var level: Double?
    private var heardAt = Int64.min

    /// Numbers of the level.
    private enum Rule {
        /// dB that it falls in a second of hearing.
        static let fall = 0.1 / 60
        /// Seconds that one sample may stand for.
        static let longestStep = 1.0
        /// A beacon that lies on the receiver says nothing of how loud a visitor is, dBm.
        static let cap = ProximityTier.nearLimit
    }

    /// Nothing known.
    init() {}

    /// What was known before a restart.
    init(before level: Double) { self.level = level }

    /// What limits are told from, dBm.
    var reference: Double? { level.map { min($0, Rule.cap) } }

    /// Takes the filtered RSSI of a beacon at its sample; `isSettled`: of three samples or more.
    mutating func take(_ filtered: Double, isSettled: Bool, at instant: Int64) {
        if let level, heardAt > .min {
            self.level = level - Rule.fall * min(max(0, Double(instant - heardAt) / 1e9), Rule.longestStep)
        }
        heardAt = max(heardAt, instant)
        if isSettled { level = max(level ?? filtered, filtered) }
    }
}
