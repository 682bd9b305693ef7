// SPDX-License-Identifier: GPL-2.0-or-later

import RegionCore

/// Loudest first, and calm: a beacon moves only when its level has changed for good, as on the field page.
struct SteadyOrder {
    /// dB that a level must change before its place in the list does: else rows would dance.
    private static let hysteresis = 4.0
    /// Stands for beacons that are heard without an RSSI, dBm: behind all others.
    private static let unknown = -128.0

    /// What each beacon is sorted by: its level as it was when it last changed for good.
    private var levels: [BeaconIdentity: Double] = [:]

    /// The rows in the order they are shown in; equal levels by name, then identity.
    mutating func sort(_ rows: [FieldDocument.Row]) -> [FieldDocument.Row] {
        var kept: [BeaconIdentity: Double] = [:]
        for row in rows {
            let level = row.filteredRSSI ?? row.rssi ?? Self.unknown
            let held = levels[row.identity] ?? level
            kept[row.identity] = abs(held - level) < Self.hysteresis ? held : level
        }
        levels = kept
        let keyed = rows.map { (level: -(kept[$0.identity] ?? 0), title: $0.title, row: $0) }
        return keyed.sorted { ($0.level, $0.title, $0.row.identity) < ($1.level, $1.title, $1.row.identity) }.map(\.row)
    }
}
