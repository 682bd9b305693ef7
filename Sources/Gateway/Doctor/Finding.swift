// SPDX-License-Identifier: GPL-2.0-or-later

import JSONText

/// What doctor looks at, each apart from the others, in the order in which one needs the one before.
enum DoctorLayer: String, CaseIterable {
    case kernel, adapter, rfkill, power, rights, scanners, reports, clock, disk, store, registry, port
}

/// What one look gave.
enum Verdict: String, CaseIterable {
    case fine
    case wrong
    /// Neither fine nor wrong: it is not known.
    case couldNotLook = "could not look"

    /// For a table.
    var sign: String {
        switch self {
        case .fine: "✓"
        case .wrong: "✕"
        case .couldNotLook: "?"
        }
    }
}

/// What is so in one layer, in a sentence; and unless it is fine one remedy.
struct Finding: Equatable {
    let layer: DoctorLayer
    let verdict: Verdict
    let message: String
    let remedy: String?

    static func fine(_ layer: DoctorLayer, _ message: String) -> Finding {
        Finding(layer: layer, verdict: .fine, message: message, remedy: nil)
    }

    static func wrong(_ layer: DoctorLayer, _ message: String, remedy: String) -> Finding {
        Finding(layer: layer, verdict: .wrong, message: message, remedy: remedy)
    }

    static func couldNotLook(_ layer: DoctorLayer, _ message: String, remedy: String) -> Finding {
        Finding(layer: layer, verdict: .couldNotLook, message: message, remedy: remedy)
    }

    /// One object, every key always there.
    var json: [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("layer", layer.rawValue)
        writer.member("verdict", verdict.rawValue)
        writer.member("message", message)
        writer.member("remedy", remedy)
        writer.endObject()
        return writer.bytes
    }

    /// Rows of a table, at most `width` columns wide; nil: as wide as they are.
    func lines(width: Int?, ink: Ink) -> [String] {
        let margin = 12
        func broken(_ text: String) -> [String] {
            width.map { text.shown.lines(of: max(20, $0 - margin - 2)) } ?? [text.shown]
        }
        let kind: Ink.Kind =
            switch verdict {
            case .fine: .good
            case .wrong: .wrong
            case .couldNotLook: .middling
            }
        let blank = String(repeating: " ", count: margin)
        let message = broken(message)
        var lines = ["\(ink(kind, verdict.sign)) \(layer.rawValue.left(margin - 2))\(message[0])"]
        lines += message.dropFirst().map { blank + $0 }
        guard let remedy else { return lines }
        let rows = broken("→ \(remedy)")
        return lines + [blank + rows[0]] + rows.dropFirst().map { "\(blank)  \($0)" }
    }
}
