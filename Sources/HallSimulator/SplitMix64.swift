// SPDX-License-Identifier: GPL-2.0-or-later

/// Random numbers that are a function of a key and an index, never of how many were drawn before: SplitMix64
/// (Steele, Lea and Flood 2014) with its counter given from outside.
///
/// This is what lets a hall be entered at any instant: transmission number 10,000,000 of a badge is drawn directly.
public struct SplitMix64: Sendable {
    private static let golden: UInt64 = 0x9E37_79B9_7F4A_7C15
    private let key: UInt64

    /// The numbers of one seed.
    public init(seed: UInt64) { key = Self.mix(seed &+ Self.golden) }

    private init(key: UInt64) { self.key = key }

    /// Numbers of their own for one thing or purpose.
    public func stream(_ number: UInt64) -> SplitMix64 {
        SplitMix64(key: Self.mix(key ^ Self.mix(number &+ Self.golden)))
    }

    /// 64 even bits.
    public func bits(at index: Int64) -> UInt64 {
        Self.mix(key &+ UInt64(bitPattern: index) &* Self.golden)
    }

    /// Evenly from 0 to below 1.
    public func unit(at index: Int64) -> Double { Double(bits(at: index) >> 11) * 0x1p-53 }

    /// Evenly from 0 to below `bound`, which is above 0.
    public func whole(at index: Int64, below bound: Int64) -> Int64 {
        Int64(bits(at: index).multipliedFullWidth(by: UInt64(bound)).high)
    }

    /// Bell-shaped about 0 with standard deviation 1, never beyond ±3.5.
    public func normal(at index: Int64) -> Double { Self.normal(of: bits(at: index)) }

    /// The sum of four even numbers of 16 bits each: its variance is 4/12 before scaling. Close enough to a bell for
    /// fading, and free of the logarithm that exact methods need.
    static func normal(of bits: UInt64) -> Double {
        let sum = (bits & 0xFFFF) &+ (bits >> 16 & 0xFFFF) &+ (bits >> 32 & 0xFFFF) &+ bits >> 48
        return (Double(sum) * 0x1p-16 - 2) * 1.732_050_8
    }

    private static func mix(_ word: UInt64) -> UInt64 {
        var mixed = (word ^ word >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return mixed ^ mixed >> 31
    }
}
