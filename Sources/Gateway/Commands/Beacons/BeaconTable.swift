// SPDX-License-Identifier: GPL-2.0-or-later

import RegionCore

/// The field as lines of text: what is wrong, who listens, and every beacon with what it lacks to enter.
struct BeaconTable {
    /// What it is drawn for.
    struct Paper {
        /// Columns; nil: as many as it takes.
        var columns: Int?
        /// Lines; nil: as many as it takes.
        var rows: Int?
        var ink: Ink
    }

    /// What is shown.
    var document: FieldDocument
    /// Its beacons in the order they are shown in.
    var beacons: [FieldDocument.Row]
    /// Who was asked, in a few words.
    var origin: String
    /// How old the document is, seconds.
    var late = 0.0
    /// What is wrong beside what the document says.
    var trouble: [String] = []

    /// A sentence with its remedy seldom needs more lines, and the beacons want to be seen too.
    private static let linesOfTrouble = 4

    /// The lines, each of which fits the paper.
    func lines(on paper: Paper) -> [String] {
        let widths = ColumnWidths(paper.columns, rows: beacons)
        var lines = banner(paper) + top(paper)
        if beacons.isEmpty {
            return lines + [paper.cut("Nothing heard yet.")]
        }
        lines.append(paper.ink(.heading, paper.cut(widths.heading)))
        let room = paper.rows.map { max(0, $0 - 1 - lines.count) } ?? beacons.count
        let others = beacons.count - (beacons.count > room ? max(0, room - 1) : beacons.count)
        for row in beacons.prefix(beacons.count - others) { lines.append(line(row, widths, paper)) }
        let beyond = others + document.omitted
        if beyond > 0 { lines.append(paper.ink(.quiet, paper.cut("… and \(beyond) more"))) }
        return lines
    }

    // MARK: The top

    private func banner(_ paper: Paper) -> [String] {
        switch document.source {
        case .radio: []
        case .simulated: [paper.ink(.loud, paper.cut("SIMULATED: no radio is heard, nobody is here"))]
        case .capture: [paper.ink(.loud, paper.cut("CAPTURE: this was recorded"))]
        case nil: [paper.ink(.loud, paper.cut("The source is of a kind that this version does not know."))]
        }
    }

    private func top(_ paper: Paper) -> [String] {
        let who = [
            document.gateway, "receiver \(document.receiver)", document.sourceText.shown, origin,
            "up \(Self.age(document.uptimeSeconds + late))", "regiond \(document.version)",
        ]
        var lines = [paper.cut(who.joined(separator: " · "))]
        for radio in document.radios {
            let whose = document.radios.count > 1 ? "\(radio.receiver.shown): " : ""
            let words = "\(whose)radio \(radio.adapter.map { "\($0) " } ?? "")\(radio.state): \(radio.message)"
            let isCalm = radio.state == RadioState.scanning.rawValue
            lines += isCalm ? [paper.cut(words)] : wrong("\(words) \(radio.remedy)", paper)
        }
        if document.radios.isEmpty, !document.listening {
            lines += wrong("The receiver cannot hear.", paper)
        }
        lines.append(paper.cut(document.listening ? "listening · \(heard)" : heard))
        if document.receivers.count > 1 {
            let deaf = document.receivers.filter { !$0.listening }.map(\.name)
            if !deaf.isEmpty { lines += wrong("Receivers not heard: \(deaf.joined(separator: ", ")).", paper) }
        }
        for sentence in trouble + document.trouble { lines += wrong(sentence, paper) }
        return lines
    }

    private func wrong(_ sentence: String, _ paper: Paper) -> [String] {
        let text = "✕ \(sentence)"
        guard let columns = paper.columns else { return [paper.ink(.wrong, text)] }
        return text.lines(of: columns).prefix(Self.linesOfTrouble).map { paper.ink(.wrong, $0) }
    }

    private var heard: String {
        guard document.registered > 0 else { return "Nothing registered" }
        let heard = "\(document.registeredHeard) of \(document.registered) heard"
        guard !document.neverHeard.isEmpty else { return heard }
        let others = document.registered - document.registeredHeard - document.neverHeard.count
        return "\(heard), never: \(document.neverHeard.joined(separator: ", "))"
            + (others > 0 ? " and \(others) others" : "")
    }

    // MARK: A beacon

    private func line(_ row: FieldDocument.Row, _ widths: ColumnWidths, _ paper: Paper) -> String {
        let isNarrow = paper.columns.map { $0 < ColumnWidths.narrowest } ?? false
        let ink = isNarrow ? Ink(isOn: false) : paper.ink
        var cells = [Self.level(row.rssi, decimals: false).right(ColumnWidths.rssi)]
        if widths.showsFiltered {
            cells.append(Self.level(row.filteredRSSI, decimals: true).right(ColumnWidths.filtered))
        }
        cells.append(tier(row, ink))
        if widths.showsDistance { cells.append((row.distance ?? "").left(ColumnWidths.distance)) }
        if widths.showsAge { cells.append(Self.age(row.lastHeardSeconds + late).right(ColumnWidths.age)) }
        cells.append(Self.who(row).left(widths.beacon))
        let state = state(row)
        cells.append(ink(Self.kind(row), widths.state.map { state.cut(to: $0) } ?? state))
        let line = cells.joined(separator: ColumnWidths.gap)
        return isNarrow ? paper.cut(line) : line  // A cut would not see what are signs of colour.
    }

    private func tier(_ row: FieldDocument.Row, _ ink: Ink) -> String {
        let (shape, kind): (String, Ink.Kind) =
            switch row.tier {
            case ProximityTier.near.rawValue: ("●", .good)
            case ProximityTier.mid.rawValue: ("◆", .middling)
            case ProximityTier.far.rawValue: ("▲", .quiet)
            default: ("–", .quiet)
            }
        return ink(kind, "\(shape) \(row.tier ?? "")".left(ColumnWidths.tier))
    }

    private static func kind(_ row: FieldDocument.Row) -> Ink.Kind {
        switch row.state {
        case "inside", "healthy": row.isVerified == false ? .middling : .good
        case "entering": .middling
        case "missing": .wrong
        default: .quiet
        }
    }

    /// The name and which beacon it is, as on the page.
    fileprivate static func who(_ row: FieldDocument.Row) -> String {
        let tail = "…\(row.identity.uuid.description.suffix(4))"
        let numbers = "\(row.identity.major)/\(row.identity.minor)"
        return [row.name, numbers, tail].compactMap(\.self).joined(separator: " ")
    }

    private func state(_ row: FieldDocument.Row) -> String {
        if !row.isRegistered { return [row.state, row.address].compactMap(\.self).joined(separator: " ") }
        var parts = [row.state == "inside" && row.isVerified == false ? "inside, unverified" : row.state]
        if let inside = row.insideSeconds { parts.append("for \(Self.age(inside + late))") }
        // One receiver is always the nearest.
        if document.receivers.count > 1, let nearest = row.nearest { parts.append("near \(nearest)") }
        if let missing = row.missing { parts.append(missing) } else if row.rssi == nil { parts.append("no RSSI") }
        if row.implausiblePower {
            parts.append("implausible power \(row.measuredPower.map { "\($0) dBm" } ?? "")")
        }
        if row.severalAdvertisers { parts.append("several advertisers") }
        return parts.joined(separator: " · ")
    }

    /// With the sign for minus.
    private static func level(_ dBm: Double?, decimals: Bool) -> String {
        guard let dBm, abs(dBm) < 1_000 else { return "–" }
        let tenths = Int((dBm.magnitude * 10).rounded())
        let number = decimals ? "\(tenths / 10).\(tenths % 10)" : "\(Int(dBm.magnitude.rounded()))"
        return dBm < 0 ? "−\(number)" : number
    }

    /// A span in one unit, as on the page.
    static func age(_ seconds: Double) -> String {
        guard seconds < 1e9 else { return "?" }
        let whole = Int(max(0, seconds))
        return switch whole {
        case 0: "< 1 s"
        case ..<60: "\(whole) s"
        case ..<3_600: "\(whole / 60) min"
        case ..<172_800: "\(whole / 3_600) h"
        default: "\(whole / 86_400) days"
        }
    }
}

extension BeaconTable.Paper {
    /// A line that fits.
    fileprivate func cut(_ line: String) -> String { columns.map { line.cut(to: $0) } ?? line }
}

/// Which columns a terminal of some width has room for, and how wide they are.
private struct ColumnWidths {
    /// Where not even level, tier and a letter of the rest fit.
    static let narrowest = 20
    static let gap = "  "
    static let rssi = 4
    static let filtered = 8
    static let tier = 6
    static let distance = 8
    static let age = 7

    let showsFiltered: Bool
    let showsDistance: Bool
    let showsAge: Bool
    let beacon: Int
    /// nil: as wide as it takes.
    let state: Int?

    /// A beacon's name and what it lacks are worth more than its distance, its age and its filtered level, in this
    /// order.
    init(_ columns: Int?, rows: [FieldDocument.Row]) {
        showsDistance = columns.map { $0 >= 90 } ?? true
        showsAge = columns.map { $0 >= 64 } ?? true
        showsFiltered = columns.map { $0 >= 76 } ?? true
        let widest = min(max(rows.map { BeaconTable.who($0).columns }.max() ?? 0, 6), 60)
        guard let columns else {
            (beacon, state) = (widest, nil)
            return
        }
        var rest = columns - Self.rssi - Self.tier - 3 * Self.gap.count
        for (isShown, width) in [
            (showsFiltered, Self.filtered), (showsDistance, Self.distance), (showsAge, Self.age),
        ] where isShown { rest -= width + Self.gap.count }
        // No wider than it takes, and never more than half: what is missing wants to be read, too.
        beacon = max(0, min(widest, rest / 2))
        state = max(0, rest - beacon)
    }

    /// The columns' names.
    var heading: String {
        var cells = ["RSSI".right(Self.rssi)]
        if showsFiltered { cells.append("filtered".right(Self.filtered)) }
        cells.append("tier".left(Self.tier))
        if showsDistance { cells.append("distance".left(Self.distance)) }
        if showsAge { cells.append("heard".right(Self.age)) }
        cells.append("beacon".left(beacon))
        cells.append("state, and what is missing")
        return cells.joined(separator: Self.gap)
    }
}
