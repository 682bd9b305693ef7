// SPDX-License-Identifier: GPL-2.0-or-later

/// The level that receivers are compared by: a running mean in which a sample fades within about two seconds, so that
/// many packets make it quick and few do not make it wild. Found on recorded walks; kept in 8 bytes, for each beacon
/// at each receiver.
struct SteadyRSSI: Sendable {
    private var meanLevel: Float = 0
    private var samples: Float = 0

    /// dBm, offset included.
    var mean: Double { Double(meanLevel) }
    /// Whether no sample came since it began.
    var isEmpty: Bool { samples == 0 }

    /// Numbers of the mean.
    private enum Rule {
        /// Seconds in which a sample fades.
        static let fading = 1.75
        /// dB by which one wild packet may differ from a mean that stands for at least one sample.
        static let step = 12.0
    }

    /// A level that was known before, and that the first sample replaces.
    init(before level: Double) { meanLevel = Float(level) }

    /// No level.
    init() {}

    /// Takes a sample that came so many seconds after the one before it.
    ///
    /// The fading is 1 / (1 + u + u²/2) and no exponential: the same bits on every machine.
    @inline(__always)
    mutating func add(_ level: Double, after seconds: Double) {
        let age = max(0, seconds) / Rule.fading
        let kept = Double(samples) / (1 + age + age * age / 2)
        let held = kept >= 1 ? min(max(level, mean - Rule.step), mean + Rule.step) : level
        meanLevel = Float(isEmpty ? level : mean + (held - mean) / (kept + 1))
        samples = Float(kept + 1)
    }
}

/// How far apart the sightings of one beacon at one receiver are: a running mean over about eight of them.
struct MeanGap: Sendable {
    private var seconds: Float = 0
    private var sightings: UInt8 = 0

    /// Numbers of the mean.
    private enum Rule {
        static let memory: UInt8 = 8
        /// Seconds that are taken while fewer than three sightings tell.
        static let unknown = 10.0
        /// Seconds from which a gap is an absence, and the mean begins anew.
        static let absence = 60.0
    }

    /// Takes a sighting that came so many seconds after the one before it.
    @inline(__always)
    mutating func add(after gap: Double) {
        if gap > Rule.absence { self = MeanGap() }
        if sightings > 0 { seconds += (Float(max(0, gap)) - seconds) / Float(min(sightings, Rule.memory)) }
        if sightings < .max { sightings += 1 }
    }

    /// Seconds from one to the next.
    var mean: Double { sightings < 3 ? Rule.unknown : Double(seconds) }
}
