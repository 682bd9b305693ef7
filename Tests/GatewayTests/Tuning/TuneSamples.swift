// SPDX-License-Identifier: GPL-2.0-or-later

import RegionCore
import Time

@testable import Gateway

/// Truth and events as tests want them: seconds since the recording's start, regions and receivers by short names.
enum TuneSamples {
    static let uuid = "A1B2C3D4-E5F6-4708-8910-1112131415AB"
    static let badge = BeaconIdentity(uuid: BeaconUUID(uuid) ?? BeaconUUID(high: 0, low: 0), major: 7, minor: 258)

    static func span(_ from: Double, _ to: Double) -> Span {
        Span(from: .boot + .seconds(decimal: from), to: .boot + .seconds(decimal: to))
    }

    /// Where the badge was, and when.
    static func truth(_ stays: (TruthLine.Place, Double, Double)...) -> Truth {
        var truth = Truth()
        for (place, from, to) in stays { truth.add(span(from, to), of: badge, in: place) }
        return truth
    }

    /// An event of the badge.
    static func event(
        _ kind: RegionEvent.Kind, _ regions: [String] = [], at second: Double, nearest: String? = nil,
        endsVisit: Bool? = nil, beacon: BeaconIdentity = badge
    ) -> RegionEvent {
        let instant = Instant.boot + .seconds(decimal: second)
        return RegionEvent(
            ordinal: 1, kind: kind, reason: kind == .exit ? .silence : .hits, at: instant - .seconds(30),
            detectedAt: instant, beacon: BeaconDescription(identity: beacon),
            regions: regions.map { RegionChange(region: $0, occupancy: 1, edge: true) }, visit: 1, enteredAt: instant,
            endsVisit: endsVisit ?? (kind == .exit), uncertain: false,
            evidence: Evidence(
                hits: 3, rssi: -60, filteredRSSI: -60, tier: .near, distance: nil, receiver: "r", listened: .zero),
            nearest: nearest,
            change: kind == .nearest
                ? NearestChange(from: "?", to: nearest ?? "?", fromScore: nil, toScore: nil) : nil)
    }

    /// What the events are worth, in a recording of so many seconds.
    static func figures(_ truth: Truth, _ events: [RegionEvent], until end: Double = 1_000) -> TuneFigures {
        var score = TuneScore(truth)
        for event in events { score.take(event) }
        return score.figures(until: .boot + .seconds(decimal: end))
    }
}
