// SPDX-License-Identifier: GPL-2.0-or-later

import Foundation
import RegionCore
import Time

@testable import StoreSQLite

/// A folder that goes with its owner.
final class Folder {
    let path: String

    init() {
        path = NSTemporaryDirectory() + "store-\(UUID().uuidString)"
        try? FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    var store: String { path + "/regiond.db" }
}

/// Nine in the morning, ten seconds after the boot.
let morning = ClockAnchor(
    instant: .boot + .seconds(10), wallTime: WallTime(microseconds: 1_796_000_400_000_000), synchronised: true)

/// A clock that long after `morning`, in the same boot.
func later(_ span: Duration) -> ClockAnchor {
    ClockAnchor(instant: morning.instant + span, wallTime: morning.wallTime + span, synchronised: true)
}

func badge(_ minor: UInt16) -> BeaconIdentity {
    BeaconIdentity(uuid: BeaconUUID(high: 0xE2C5_6DB5_DFFB_48D2, low: 0xB060_D0F5_A710_96E0), major: 1001, minor: minor)
}

/// Makes events as the engine would, with ordinals and visits that go on.
struct Script {
    var ordinal: UInt64 = 1

    mutating func event(
        _ kind: RegionEvent.Kind, _ beacon: BeaconIdentity, at seconds: Double, visit: UInt64,
        reason: RegionEvent.Reason? = nil, enteredAt: Double = 10,
        regions: [RegionChange] = [
            RegionChange(region: "hall", occupancy: 1, edge: true, wake: .told)
        ], of: UInt64? = nil, endsVisit: Bool? = nil, nearest: String? = nil, change: NearestChange? = nil
    ) -> RegionEvent {
        defer { ordinal += 1 }
        let at = Instant.boot + .seconds(decimal: seconds)
        return RegionEvent(
            ordinal: ordinal, kind: kind, reason: reason ?? (kind == .enter ? .hits : .silence), at: at,
            detectedAt: at + .milliseconds(2_160), beacon: BeaconDescription(identity: beacon, name: "Badge"),
            regions: regions, visit: visit,
            enteredAt: kind == .enter && reason == nil ? at : .boot + .seconds(decimal: enteredAt),
            endsVisit: endsVisit ?? (kind == .exit), uncertain: false,
            evidence: Evidence(
                hits: 3, rssi: -67, filteredRSSI: -66.4, tier: .mid, distance: .from2to5, receiver: "gate",
                listened: .milliseconds(2_160)),
            of: of, nearest: nearest, change: change)
    }
}

/// A batch of these events, complete up to a second of the boot clock.
func batch(
    _ events: [RegionEvent], upTo seconds: Double, settings: Int64 = 1, anchor: ClockAnchor = morning
) -> LedgerBatch {
    var batch = LedgerBatch(
        upTo: .boot + .seconds(decimal: seconds), anchor: anchor, settings: settings)
    batch.decisions.events = events
    return batch
}

/// A store with a run and a settings version, ready for batches.
func openStore(_ folder: Folder, boot: String = "boot-1", anchor: ClockAnchor = morning) throws -> EventStore {
    let store = try EventStore(path: folder.store, gateway: "box", source: .radio, now: anchor.wallTime)
    try store.beginRun(bootId: boot, anchor: anchor, why: "test")
    _ = try store.settingsVersion(registry: "{}", configuration: "", at: anchor.wallTime)
    return store
}

/// The first column of the first row, read beside the store.
func number(_ sql: String, in folder: Folder) throws -> Int64? {
    try Database(path: folder.store, mode: .readOnly, lock: nil).integer(sql, doing: "test")
}

extension Folder {
    /// The store's files as they are now, in another folder: what a crash at this moment leaves.
    func copy() throws -> Folder {
        let other = Folder()
        for suffix in ["", "-wal"] where FileManager.default.fileExists(atPath: store + suffix) {
            try FileManager.default.copyItem(atPath: store + suffix, toPath: other.store + suffix)
        }
        return other
    }
}
