// SPDX-License-Identifier: GPL-2.0-or-later

import Time

/// The RSSI of one beacon as one receiver hears it from one device address: filtered value and tier. Its samples lie
/// in `Samples`. 64 bytes, in an order that leaves no gaps.
struct Signal: Sendable {
    /// The last sighting, with an RSSI or without, nanoseconds.
    private(set) var lastHeard = Int64.min
    /// When the last sample came, or `Int64.min`.
    private(set) var lastSampleAt = Int64.min
    /// Who hears it, from which address.
    let origin: Origin
    /// What it is compared with others by; only where there are several receivers.
    var steady = SteadyRSSI()
    /// Which beacon it is of: a place in the engine's list of tracks.
    var track: Int32
    /// The next signal of the same beacon; −1: none.
    var next: Int32 = -1
    /// Milliseconds of the boot clock, wrapped, since when its level lies beyond its tier; 0: it does not.
    private var leavingTierSince: UInt32 = 0
    /// How far apart its sightings are; only where there are several receivers.
    var gap = MeanGap()
    private var latestTier = ProximityTier.far
    /// Sum and ends of the samples that count, carried along: going through them at each sighting costs more than all
    /// else that it does.
    private var sum: Int16 = 0
    private var lowest = Int8.max
    private var highest = Int8.min
    /// Where the newest lies in the ring.
    private var newest: UInt8 = 0
    /// How many count.
    private var count: UInt8 = 0
    private var last: Int8 = 0

    /// A receiver and a device address in one word, so that finding a signal is one comparison.
    struct Origin: Equatable, Sendable {
        private let word: UInt64

        /// The receiver's place in the engine's list, and the address where the input has one.
        @inline(__always)
        init(receiver: Int, advertiser: DeviceAddress?) {
            word = UInt64(truncatingIfNeeded: receiver) << 56 | (advertiser?.bits ?? Self.noAddress)
        }

        /// A place in the engine's list of receivers.
        var receiver: UInt8 { UInt8(truncatingIfNeeded: word >> 56) }
        /// The device address, where the input has one.
        var advertiser: DeviceAddress? {
            word & Self.noAddress == 0 ? DeviceAddress(bits: word) : nil
        }

        /// Beyond the 48 bits of an address.
        private static let noAddress: UInt64 = 1 << 48
    }

    /// A signal without samples.
    init(of track: Int, from origin: Origin) {
        self.track = Int32(track)
        self.origin = origin
    }

    /// Who hears it: a place in the engine's list of receivers.
    var receiver: UInt8 { origin.receiver }

    /// What it is compared by; without samples nothing is weaker.
    var level: Double { steady.isEmpty ? -.infinity : steady.mean }

    /// It was heard.
    @inline(__always)
    mutating func note(heardAt instant: Int64) { lastHeard = max(lastHeard, instant) }

    /// What is not a sample: 127 and everything from 0 up, and −128 (Core Spec Vol 4 Part E 7.7.65.2).
    static let sampleRange: ClosedRange<Int8> = -127...(-1)

    /// After this long without a sample it has no filtered value and no tier, in nanoseconds.
    static let lifetime: Int64 = 10_000_000_000

    /// No filter reaches back further, in nanoseconds.
    private static let longestFilter: Int64 = 600_000_000_000

    /// Adds a sample, and works out filtered value and tier anew. Inlined, as what it calls, for `observe`'s sake.
    ///
    /// - Parameters:
    ///   - level: dBm, within `sampleRange`.
    ///   - offset: dB added to it.
    ///   - ring: whose samples are kept where.
    @inline(__always)
    mutating func add(
        _ level: Int8, offset: Double, at instant: Int64, filter: RegionPolicy.Filter, ring: Int,
        of samples: inout Samples
    ) {
        // One that comes so late that it was too old before it came changes no answer given since.
        if instant < lastSampleAt, lastSampleAt - instant > Int64(filter.milliseconds) * 1_000_000 { return }
        let isStale = count == 0 || instant - lastSampleAt > Self.lifetime
        if isStale { forgetWhatWraps(at: instant) }
        let stamp = Sample.Stamp(instant)
        makeRoom(for: level, at: stamp, filter: filter, ring: ring, of: samples)
        newest = samples.place(after: newest)
        samples[ring, newest] = Sample(level, at: stamp)
        count &+= 1
        sum &+= Int16(level)  // At most 100 samples of 8 bits.
        lowest = min(lowest, level)
        highest = max(highest, level)
        last = level
        lastSampleAt = max(instant, lastSampleAt)
        updateTier(filtered: trimmedMean + offset, at: instant, isStale: isStale)
    }

    /// Beyond the longest filter the wrapped times of samples would be mistaken for young ones sooner or later.
    private mutating func forgetWhatWraps(at instant: Int64) {
        guard count > 0, instant - lastSampleAt > Self.longestFilter else { return }
        (count, sum, lowest, highest) = (0, 0, .max, .min)
    }

    /// Forgets the samples that are too old for the filter, and one more where it would take too many. An end that the
    /// new level reaches needs no looking for.
    @inline(__always)
    private mutating func makeRoom(
        for level: Int8, at now: Sample.Stamp, filter: RegionPolicy.Filter, ring: Int, of samples: Samples
    ) {
        while count > 0 {
            let oldest = samples[ring, samples.place(count - 1, before: newest)]
            let isOld = oldest.age(at: now) > filter.milliseconds
            guard isOld || count >= filter.samples else { return }
            count -= 1
            sum &-= Int16(oldest.level)
            if oldest.level == lowest && level > lowest || oldest.level == highest && level < highest {
                (lowest, highest) = samples.ends(ring: ring, newest: newest, count: count)
            }
            if !isOld { return }  // Nor is any after it.
        }
    }

    /// Mean of the samples, without one highest and one lowest from three up, dBm; as last worked out, whatever its age.
    @inline(__always)
    var trimmedMean: Double {
        count < 3
            ? Double(sum) / Double(count) : Double(Int(sum) - Int(lowest) - Int(highest)) / Double(Int(count) - 2)
    }

    /// A tier is left once the filtered value has lain 4 dB beyond its limit for 3 s.
    @inline(__always)
    private mutating func updateTier(filtered: Double, at instant: Int64, isStale: Bool) {
        guard !isStale, latestTier.isLeft(by: filtered) else {
            if isStale { latestTier = ProximityTier(rssi: filtered) }
            leavingTierSince = 0
            return
        }
        let now = max(1, UInt32(truncatingIfNeeded: instant / 1_000_000))
        if leavingTierSince == 0 { leavingTierSince = now }
        if Int32(bitPattern: now &- leavingTierSince) >= ProximityTier.leavingMilliseconds {
            latestTier = ProximityTier(rssi: filtered)
            leavingTierSince = 0
        }
    }

    /// The last sample and that many dB, dBm; nil: there never was one.
    func lastRSSI(offset: Double) -> Double? { count == 0 ? nil : Double(last) + offset }

    /// Whether its filtered value is of three samples or more.
    var isSettled: Bool { count >= 3 }

    /// The filtered RSSI and that many dB, in dBm, for ten seconds after the last sample.
    func filteredRSSI(at instant: Int64, offset: Double) -> Double? {
        isAlive(at: instant) ? trimmedMean + offset : nil
    }

    /// The tier, for ten seconds after the last sample.
    func tier(at instant: Int64) -> ProximityTier? { isAlive(at: instant) ? latestTier : nil }

    private func isAlive(at instant: Int64) -> Bool { count > 0 && instant - lastSampleAt <= Self.lifetime }

    /// Moves its samples into a ring of another table: a change of settings clears no window.
    mutating func move(from ring: Int, of others: Samples, to target: Int, of samples: inout Samples) {
        count = UInt8(min(Int(count), samples.kept))
        sum = 0
        for age in 0..<count {
            let sample = others[ring, others.place(age, before: newest)]
            samples[target, count - 1 - age] = sample
            sum &+= Int16(sample.level)
        }
        newest = max(count, 1) - 1
        (lowest, highest) = samples.ends(ring: target, newest: newest, count: count)
    }
}

extension ProximityTier {
    /// dBm from which a signal is near.
    static let nearLimit = -60.0
    /// dBm from which a signal is mid.
    static let midLimit = -80.0
    /// dB beyond a limit that leaving takes: less is noise at rest.
    static let leavingMargin = 4.0
    /// How long it must lie there.
    static let leavingMilliseconds: Int32 = 3_000

    /// The tier of a level nothing was known of before.
    init(rssi: Double) {
        if rssi >= Self.nearLimit {
            self = .near
        } else {
            self = rssi >= Self.midLimit ? .mid : .far
        }
    }

    /// Whether a level lies far enough outside this tier to leave it.
    func isLeft(by rssi: Double) -> Bool {
        switch self {
        case .near: rssi < Self.nearLimit - Self.leavingMargin
        case .mid: rssi >= Self.nearLimit + Self.leavingMargin || rssi < Self.midLimit - Self.leavingMargin
        case .far: rssi >= Self.midLimit + Self.leavingMargin
        }
    }
}
