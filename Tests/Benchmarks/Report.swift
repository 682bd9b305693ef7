// SPDX-License-Identifier: GPL-2.0-or-later

import JSONText

/// One measured number.
struct Figure {
    var name: String
    var value: Double
    var unit: String
    /// What it must not exceed; nil: printed, and people judge it. Times have none: these machines are noisy.
    var limit: Double?
    /// What it is compared with, and the like.
    var note = ""

    var isBroken: Bool { limit.map { value > $0 } ?? false }
}

/// Prints figures as they come, and remembers whether a gate is broken.
struct Report {
    /// One object a line, for `gates`.
    let isJSON: Bool
    private(set) var isBroken = false

    init(isJSON: Bool) { self.isJSON = isJSON }

    mutating func add(_ figure: Figure) {
        isBroken = isBroken || figure.isBroken
        print(isJSON ? json(figure) : line(figure))
    }

    private func json(_ figure: Figure) -> String {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("figure", figure.name)
        writer.member("value", figure.value, decimals: 3)
        writer.member("unit", figure.unit)
        writer.member("limit", figure.limit, decimals: 3)
        writer.member("note", figure.note)
        writer.endObject()
        return writer.text
    }

    private func line(_ figure: Figure) -> String {
        let name = figure.name + String(repeating: " ", count: max(1, 44 - figure.name.count))
        let limit = figure.limit.map { "  (at most \(shown($0)): \(figure.isBroken ? "FAIL" : "pass"))" } ?? ""
        let note = figure.note.isEmpty ? "" : "  \(figure.note)"
        return "\(name)\(shown(figure.value)) \(figure.unit)\(limit)\(note)"
    }
}

/// A number with at most two decimals.
func shown(_ value: Double) -> String {
    var writer = JSONWriter()
    writer.number(value, decimals: 2)
    return writer.text
}
