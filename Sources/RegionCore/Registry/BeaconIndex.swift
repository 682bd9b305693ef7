// SPDX-License-Identifier: GPL-2.0-or-later

/// Finds a number by beacon identity in one probe on average: open addressing, at most half full.
///
/// The caller keeps the rows that the numbers stand for, in an array of its own.
/// The hash is seeded, because anyone's radio chooses the keys. Nothing ever walks the table, so runs are equal
/// whatever the seed.
struct BeaconIndex: Sendable {
    private var slots: [UInt32]
    private let mask: Int
    /// How far a hash is moved down: the high bits of a product are its good ones.
    private let shift: UInt64
    /// How many numbers it has room for.
    private(set) var capacity: Int
    private let seed: UInt64
    /// A slot that holds no number.
    private static let free = UInt32.max

    /// Room for that many numbers.
    init(capacity: Int, seed: UInt64) {
        var size = 4
        while size < 2 * capacity { size *= 2 }
        slots = Array(repeating: Self.free, count: size)
        mask = size - 1
        shift = UInt64(UInt64.bitWidth - size.trailingZeroBitCount)
        self.capacity = size / 2
        self.seed = seed
    }

    /// The number of an identity, or nil.
    @inline(__always)
    func find(_ identity: BeaconIdentity, in rows: [some Identified]) -> Int? {
        var slot = home(of: identity)
        while slots[slot] != Self.free {
            let number = Int(slots[slot])
            if rows[number].identity == identity { return number }
            slot = (slot + 1) & mask
        }
        return nil
    }

    /// Adds a number whose identity is not in the table yet.
    mutating func insert(_ number: Int, identity: BeaconIdentity) {
        var slot = home(of: identity)
        while slots[slot] != Self.free { slot = (slot + 1) & mask }
        slots[slot] = UInt32(number)
    }

    /// Makes room for twice as many.
    mutating func grow(_ rows: [some Identified]) {
        let numbers = slots.filter { $0 != Self.free }
        self = BeaconIndex(capacity: 2 * capacity, seed: seed)
        for number in numbers { insert(Int(number), identity: rows[Int(number)].identity) }
    }

    /// Takes a number out and closes the gap, so that no tombstones pile up.
    mutating func remove(_ number: Int, in rows: [some Identified]) {
        var gap = home(of: rows[number].identity)
        while slots[gap] != UInt32(number) { gap = (gap + 1) & mask }
        var slot = (gap + 1) & mask
        while slots[slot] != Self.free {
            let wanted = home(of: rows[Int(slots[slot])].identity)
            // Move it up unless its home lies behind the gap.
            if (slot - wanted) & mask >= (slot - gap) & mask {
                slots[gap] = slots[slot]
                gap = slot
            }
            slot = (slot + 1) & mask
        }
        slots[gap] = Self.free
    }

    private func home(of identity: BeaconIdentity) -> Int {
        let numbers = UInt64(identity.major) << 16 | UInt64(identity.minor)
        var hash = (identity.uuid.high ^ seed) &* 0x9E37_79B9_7F4A_7C15
        hash = (hash ^ hash >> 32 ^ identity.uuid.low) &* 0xBF58_476D_1CE4_E5B9
        hash = (hash ^ hash >> 29 ^ numbers) &* 0x94D0_49BB_1331_11EB
        return Int(truncatingIfNeeded: hash &>> shift)
    }
}

/// A row that a `BeaconIndex` can find.
protocol Identified {
    /// Who it is about.
    var identity: BeaconIdentity { get }
}
