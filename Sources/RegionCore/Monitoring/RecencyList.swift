// SPDX-License-Identifier: GPL-2.0-or-later

/// Which of some rows was touched longest ago. Linked through an array, so that a touch costs no allocation.
///
/// The caller keeps the rows; a row may be out of the list.
struct RecencyList: Sendable {
    private struct Link: Sendable {
        var older = RecencyList.out
        var newer = RecencyList.none
    }

    private var links: [Link] = []
    private var first = Self.none
    private var last = Self.none
    /// Stands for no neighbour.
    private static let none: Int32 = -1
    /// In the place of a neighbour: the row is out of the list.
    private static let out: Int32 = -2

    /// The row that was touched longest ago; nil: none is in the list.
    var oldest: Int? { first >= 0 ? Int(first) : nil }

    /// All in the list, the longest untouched first.
    var inOrder: [Int] {
        var rows: [Int] = []
        var row = first
        while row >= 0 {
            rows.append(Int(row))
            row = links[Int(row)].newer
        }
        return rows
    }

    /// Whether a row is in the list.
    @inline(__always)
    func contains(_ row: Int) -> Bool { row < links.count && links[row].older != Self.out }

    /// Makes a row the newest, wherever it was.
    mutating func touch(_ row: Int) {
        guard last != Int32(row) else { return }
        remove(row)
        while links.count <= row { links.append(Link()) }
        links[row] = Link(older: last, newer: Self.none)
        if last >= 0 { links[Int(last)].newer = Int32(row) } else { first = Int32(row) }
        last = Int32(row)
    }

    /// Takes a row out, if it is in.
    mutating func remove(_ row: Int) {
        guard contains(row) else { return }
        let link = links[row]
        if link.older >= 0 { links[Int(link.older)].newer = link.newer } else { first = link.newer }
        if link.newer >= 0 { links[Int(link.newer)].older = link.older } else { last = link.older }
        links[row] = Link()
    }
}
