// SPDX-License-Identifier: GPL-2.0-or-later

/// The key that was probably meant: the fewest letters changed, left out, added or swapped, letter case aside; nil
/// where that would be more than a third of them.
func nearest(to typed: String, in keys: [String]) -> String? {
    let letters = Array(typed.lowercased().utf8)
    guard letters.count <= 40 else { return nil }  // No key is nearly as long.
    let best = keys.map { ($0, distance(letters, Array($0.lowercased().utf8))) }.min { $0.1 < $1.1 }
    guard let (key, changes) = best, changes <= max(1, letters.count / 3) else { return nil }
    return key
}

/// Optimal string alignment: a swap of two neighbours is one change.
private func distance(_ left: [UInt8], _ right: [UInt8]) -> Int {
    var beforeLast = [Int](repeating: 0, count: right.count + 1)
    var last = Array(0...right.count)
    for row in left.indices {
        var current = [row + 1]
        for column in right.indices {
            let isSame = left[row] == right[column]
            var changes = min(last[column + 1] + 1, current[column] + 1, last[column] + (isSame ? 0 : 1))
            if row > 0, column > 0, left[row] == right[column - 1], left[row - 1] == right[column] {
                changes = min(changes, beforeLast[column - 1] + 1)
            }
            current.append(changes)
        }
        (beforeLast, last) = (last, current)
    }
    return last[right.count]
}
