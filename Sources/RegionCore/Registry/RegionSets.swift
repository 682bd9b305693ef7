// SPDX-License-Identifier: GPL-2.0-or-later

/// Which regions hold a beacon, each distinct set once and by number. Flat: an array for each would cost 60 bytes.
struct RegionSets: Sendable {
    private var regions: [Int32] = []
    /// Where each set ends; it begins where the one before it ends.
    private var ends: [UInt32] = []

    /// How many sets there are.
    var count: Int { ends.count }

    /// The regions of a set, narrowest first.
    subscript(number: Int) -> [Int32] {
        Array(regions[(number == 0 ? 0 : Int(ends[number - 1]))..<Int(ends[number])])
    }

    /// Adds a set at the end.
    mutating func append(_ set: [Int32]) {
        regions.append(contentsOf: set)
        ends.append(UInt32(regions.count))
    }

    /// Gives back the room that growing left over.
    mutating func trim() {
        regions = regions.map(\.self)
        ends = ends.map(\.self)
    }
}
