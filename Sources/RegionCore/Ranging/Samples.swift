// SPDX-License-Identifier: GPL-2.0-or-later

/// The last samples of every signal, a ring of equal size for each: flat, so that a sample costs no allocation.
struct Samples: Sendable {
    /// Samples in a ring: the most that any policy filters over.
    let kept: Int
    private var samples: [Sample] = []

    init(kept: Int) { self.kept = kept }

    /// Adds a ring at the end.
    mutating func append() { samples.append(contentsOf: repeatElement(Sample(0, at: Sample.Stamp(0)), count: kept)) }

    /// Makes room for that many rings at once.
    mutating func reserve(_ count: Int) { samples.reserveCapacity(count * kept) }

    /// A place in a ring.
    subscript(ring: Int, place: UInt8) -> Sample {
        get { samples[ring &* kept &+ Int(place)] }
        set { samples[ring &* kept &+ Int(place)] = newValue }
    }

    /// The lowest and the highest level of the newest so many in a ring. Seldom needed, so not inlined.
    @inline(never)
    func ends(ring: Int, newest: UInt8, count: UInt8) -> (lowest: Int8, highest: Int8) {
        let ring = samples.span.extracting((ring * kept)..<(ring * kept + kept))
        var ends = (lowest: Int8.max, highest: Int8.min)
        func take(_ places: Range<Int>) {
            for place in places {
                ends.lowest = min(ends.lowest, ring[place].level)
                ends.highest = max(ends.highest, ring[place].level)
            }
        }
        let end = Int(newest) + 1
        take(max(0, end - Int(count))..<end)
        take(kept - max(0, Int(count) - end)..<kept)  // What wraps around lies at the end of the ring.
        return ends
    }

    /// The place after one.
    func place(after place: UInt8) -> UInt8 { Int(place) + 1 < kept ? place + 1 : 0 }

    /// The place so many before one; at most `kept`.
    func place(_ count: UInt8, before place: UInt8) -> UInt8 {
        place >= count ? place &- count : UInt8(truncatingIfNeeded: Int(place) &+ kept &- Int(count))
    }
}

/// A level and when it came: milliseconds of the boot clock, wrapped to 24 bits. That tells ages up to 2 h apart, and
/// none that counts is older than the longest filter, 10 min.
struct Sample: Sendable {
    private let bits: UInt32

    init(_ level: Int8, at stamp: Stamp) { bits = stamp.bits | UInt32(UInt8(bitPattern: level)) }

    /// dBm.
    var level: Int8 { Int8(truncatingIfNeeded: bits) }

    /// Milliseconds; negative for one that is stamped later.
    func age(at stamp: Stamp) -> Int32 { Int32(bitPattern: stamp.bits &- (bits & ~0xFF)) >> 8 }

    /// The upper 24 bits of a sample.
    struct Stamp {
        fileprivate let bits: UInt32

        /// Of an instant, nanoseconds.
        init(_ instant: Int64) { bits = UInt32(truncatingIfNeeded: instant / 1_000_000) << 8 }
    }
}
