// SPDX-License-Identifier: GPL-2.0-or-later

import RegionCore
import Time

/// An event as one line for people at a terminal.
public enum EventLine {
    /// `09:00:03  → enter  Badge 17 (…/1001/2003)  hall-a.1001 5 · hall-a 31 told   3 hits, −67 dBm mid 2–5 m`:
    /// when it was decided (UTC), what, who, the regions with their occupancy afterwards and what became of the wake,
    /// and why. A beacon that moved names what it is nearest to now. Control characters of outside text are left out.
    public static func text(_ committed: CommittedEvent) -> String {
        let event = committed.event
        let line = [
            timeOfDay(committed.detectedAt), sign(event.kind), who(event.beacon),
            event.change.map { text($0, of: event) } ?? "\(regions(of: event))   \(why(committed))",
        ].joined(separator: "  ")
        return (event.uncertain ? "\(line), uncertain" : line).printable
    }

    private static func sign(_ kind: RegionEvent.Kind) -> String {
        switch kind {
        case .enter: "→ enter"
        case .exit: "← exit "
        case .wake: "! wake "
        case .nearest: "~ near "
        }
    }

    private static func who(_ beacon: BeaconDescription) -> String {
        guard let name = beacon.name ?? beacon.exhibit else { return beacon.identity.description }
        return "\(name) (…/\(beacon.identity.major)/\(beacon.identity.minor))"
    }

    /// What became nearest: the station to a beacon, or the beacon to a station that is carried.
    private static func text(_ change: NearestChange, of event: RegionEvent) -> String {
        var was = "was \(change.from)"
        if let from = change.fromScore, let to = change.toScore {
            was += ", \(lead(to - from)) dB"
        } else if change.fromScore == nil {
            was += ", not heard any more"
        }
        return "is nearest to \(event.nearest ?? change.to) now (\(was))"
    }

    private static func regions(of event: RegionEvent) -> String {
        event.regions.map { text($0, occupancy: event.kind != .wake) }.joined(separator: " · ")
    }

    private static func text(_ change: RegionChange, occupancy: Bool) -> String {
        var words = [change.region]
        if occupancy { words.append("\(change.occupancy)") }
        if let wake = change.wake { words.append(wake.rawValue) }
        return words.joined(separator: " ")
    }

    private static func why(_ committed: CommittedEvent) -> String {
        let event = committed.event
        let evidence = event.evidence
        if event.kind == .wake { return "\(committed.of.map { "of \($0)" } ?? "of a lost exit"), \(event.reason)" }
        var parts = [cause(event)]
        if let dwell = event.dwell { parts.append("after \(words(dwell))") }
        let level = [
            evidence.rssi.map { "\(signed($0)) dBm" } ?? "no RSSI", evidence.tier?.rawValue,
            evidence.distance?.rawValue,
        ]
        parts.append(level.compactMap(\.self).joined(separator: " "))
        return parts.joined(separator: ", ")
    }

    private static func cause(_ event: RegionEvent) -> String {
        switch event.reason {
        case .hits: "\(event.evidence.hits) hits"
        case .moved: event.nearest.map { "moved to \($0)" } ?? "moved"
        case .silence, .weak, .gap, .expired, .added, .removed, .redefined: event.reason.rawValue
        }
    }

    /// A difference with its sign and one decimal.
    private static func lead(_ difference: Double) -> String {
        let tenths = Int((difference * 10).rounded())
        return "\(tenths < 0 ? "−" : "+")\(tenths.magnitude / 10).\(tenths.magnitude % 10)"
    }

    /// With the sign for minus, and without decimals: they would say more than the radio knows.
    private static func signed(_ number: Double) -> String {
        let whole = Int(number.rounded())
        return whole < 0 ? "−\(whole.magnitude)" : "\(whole)"
    }

    private static func words(_ span: Duration) -> String {
        let seconds = span.wholeNanoseconds / 1_000_000_000
        return switch seconds {
        case ..<60: "\(seconds) s"
        case ..<3_600: "\(seconds / 60) min \(seconds % 60) s"
        default: "\(seconds / 3_600) h \(seconds / 60 % 60) min"
        }
    }

    private static func timeOfDay(_ time: WallTime) -> String { String(time.rfc3339.dropFirst(11).prefix(8)) }
}

extension String {
    /// The text without what a terminal obeys instead of showing: control characters (C1 too), line and paragraph
    /// separators, and the marks that turn the direction of writing. Joiners, which scripts need, stay.
    public var printable: String {
        var scalars = UnicodeScalarView()
        for scalar in unicodeScalars {
            switch scalar {
            case "\u{202A}"..."\u{202E}", "\u{2066}"..."\u{2069}": continue
            default: break
            }
            switch scalar.properties.generalCategory {
            case .control, .lineSeparator, .paragraphSeparator: continue
            default: scalars.append(scalar)
            }
        }
        return String(scalars)
    }
}
