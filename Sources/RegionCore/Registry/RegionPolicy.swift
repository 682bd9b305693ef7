// SPDX-License-Identifier: GPL-2.0-or-later

import Time

/// The settings in force for a beacon, in the units the rules work in.
struct RegionPolicy: Hashable, Sendable {
    /// Hits that make an enter.
    let enterHits: Int
    /// Within this many nanoseconds.
    let enterWindow: Int64
    /// dBm; nil: any strength is a hit.
    let enterRSSI: Double?
    /// Nanoseconds without a sighting that make an exit.
    let exit: Int64
    /// dBm; nil: weakness never makes an exit.
    let exitRSSI: Double?
    /// dB·s of weakness that make an exit.
    let exitDeficit: Double
    /// What the two limits are told from.
    let reference: Reference
    /// When another receiver becomes nearest.
    let nearest: NearestRule
    /// What the filtered RSSI is the mean of.
    let filter: Filter
    /// Exponent of the distance shown.
    let pathLoss: Double

    /// What limits can be told from.
    enum Reference: Hashable, Sendable {
        /// They are dBm.
        case none
        /// dB above the beacon's power at 1 m.
        case power
        /// dB above the loudest level that the receiver hears.
        case loudest
    }

    /// Which samples count.
    struct Filter: Hashable, Sendable {
        /// How many at most.
        let samples: UInt8
        /// How far it reaches back.
        let milliseconds: Int32
    }

    /// The gap between the two limits where only `enterRSSI` is set: the hysteresis, in dB.
    static let defaultHysteresis = 4.0

    init(_ settings: SettingOverrides) {
        func value(_ setting: Setting) -> Double? { settings[setting] ?? setting.row.defaultValue }
        func number(_ setting: Setting) -> Double { value(setting) ?? 0 }
        enterHits = Int(number(.enterHits))
        enterWindow = Self.nanoseconds(number(.enterWindow))
        enterRSSI = value(.enterRSSI)
        exit = Self.nanoseconds(number(.exit))
        let limit = value(.exitRSSI) ?? value(.enterRSSI).map { $0 - Self.defaultHysteresis }
        // Two regions may set one limit each; the one to leave is never above the one to enter.
        exitRSSI = limit.map { min($0, value(.enterRSSI) ?? $0) }
        exitDeficit = number(.exitDeficit)
        reference =
            number(.relativeRSSI) == 1 ? .power : number(.belowLoudest) == 1 ? .loudest : .none
        nearest = NearestRule(margin: number(.margin), leadEvidence: number(.leadEvidence))
        filter = Filter(
            samples: UInt8(number(.filterSamples)), milliseconds: Int32(number(.filterSeconds) * 1_000))
        pathLoss = number(.pathLoss)
    }

    /// Seconds as people set them, in nanoseconds.
    static func nanoseconds(_ seconds: Double) -> Int64 { Duration.seconds(decimal: seconds).wholeNanoseconds }
}
