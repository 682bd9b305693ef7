// SPDX-License-Identifier: GPL-2.0-or-later

import JSONText
import RegionCore
import Time

/// Whether an adapter will do, by what it gave.
public struct RadioAcceptance {
    /// What was counted.
    let measured: RadioMeasurement
    /// How long it was listened to.
    let span: Duration
    /// HCI events that the kernel dropped; nil: this source does not count them.
    let lost: UInt64?
    /// What was listened to.
    let source: String

    /// What an adapter must keep to.
    private enum Limit {
        /// Who never says how loud cannot range; now and then one has none.
        static let withRSSI = 0.95
        /// Three hits in ten seconds enter: a longer pause than this loses visitors.
        static let gap = Duration.seconds(3)
        /// From so many advertisers on a pause is the adapter's; fewer may well all be silent at once.
        static let company = 5
        /// Below this little can be told.
        static let advertisers = 3
        static let span = Duration.seconds(10)
    }

    /// The limits, for people.
    public static let limits =
        "95 % of reports with RSSI, no pause over 3 s with 5 advertisers about, nothing lost, nothing filtered"

    /// What is wrong with it; empty: nothing.
    var faults: [String] {
        var faults: [String] = []
        if measured.reports == 0 { return ["it gave no report at all: is it powered, and is a beacon near?"] }
        if Double(measured.withRSSI) < Limit.withRSSI * Double(measured.reports) {
            faults.append("too many reports have no RSSI: nobody can be ranged with it")
        }
        if measured.advertisers >= Limit.company, measured.longestGap > Limit.gap {
            faults.append("it was silent for \(Self.seconds(measured.longestGap)) s: visitors would be missed")
        }
        if let lost, lost > 0 {
            faults.append("\(lost) events were lost: the box is too slow, or its buffers too small")
        }
        if isFiltered == true {
            faults.append("each advertiser comes once: a duplicate filter is on, in the adapter or by another scan")
        }
        if measured.advertisers >= Limit.company, let low = measured.rssi(percentile: 0.1),
            low == measured.rssi(percentile: 0.9)
        {
            faults.append("everybody has the same RSSI: it is made up")
        }
        return faults
    }

    /// Whether a duplicate filter is on; nil: too little was heard to tell.
    var isFiltered: Bool? {
        guard span >= Limit.span, measured.advertisers >= Limit.advertisers else { return nil }
        return (measured.medianReports ?? 0) <= 1
    }

    /// What it comes to.
    var verdict: Verdict {
        if !faults.isEmpty { return .wrong }
        return isFiltered == nil ? .couldNotLook : .fine
    }

    /// For people, a line each.
    var lines: [String] {
        let share = measured.reports > 0 ? Double(measured.withRSSI) / Double(measured.reports) * 100 : 0
        let rssi = [0.1, 0.5, 0.9].map { measured.rssi(percentile: $0).map(String.init) ?? "–" }
        let perSecond = Double(measured.reports) / max(0.001, span.inSeconds)
        let sums = [
            ("source", source), ("listened", "\(Self.seconds(span)) s"),
            ("reports", "\(measured.reports), \(Self.tenths(perSecond)) a second"),
            ("advertisers", "\(measured.advertisers), \(measured.medianReports ?? 0) reports of the middle one"),
            ("iBeacons", "\(measured.beaconCount), in \(measured.sightings) reports"),
            ("with RSSI", "\(Self.tenths(share)) %"),
            ("RSSI", "\(rssi[0]) / \(rssi[1]) / \(rssi[2]) dBm (p10 / p50 / p90)"),
            ("longest gap", "\(Self.seconds(measured.longestGap)) s"),
            ("lost", lost.map(String.init) ?? "not counted by this source"),
            ("filtered", isFiltered.map { $0 ? "yes" : "no" } ?? "too little heard to tell"),
        ]
        var lines = sums.map { "\($0.left(12))\($1.shown)" }
        switch verdict {
        case .fine: lines.append("✓ It will do: \(Self.limits).")
        case .couldNotLook: lines.append("? Too little was heard for a verdict: listen longer, with beacons near.")
        case .wrong: lines += faults.map { "✕ \($0)" }
        }
        return lines
    }

    /// For programs, one object, every key always there.
    var json: [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("type", "radio")
        writer.member("source", source)
        writer.member("seconds", span.inSeconds, decimals: 3)
        writer.member("reports", measured.reports)
        writer.member("advertisers", measured.advertisers)
        writer.member("medianReports", measured.medianReports)
        writer.member("iBeacons", measured.beaconCount)
        writer.member("sightings", measured.sightings)
        writer.member("withRSSI", measured.withRSSI)
        for (name, share) in [("p10", 0.1), ("p50", 0.5), ("p90", 0.9)] {
            writer.member(name, measured.rssi(percentile: share))
        }
        writer.member("longestGapSeconds", measured.longestGap.inSeconds, decimals: 3)
        writer.member("lost", lost)
        writer.member("filtered", isFiltered)
        writer.member("verdict", verdict.rawValue)
        writer.key("faults")
        writer.beginArray()
        for fault in faults { writer.string(fault) }
        writer.endArray()
        writer.endObject()
        return writer.bytes
    }

    private static func seconds(_ span: Duration) -> String { tenths(span.inSeconds) }

    private static func tenths(_ value: Double) -> String { "\((value * 10).rounded() / 10)" }
}
