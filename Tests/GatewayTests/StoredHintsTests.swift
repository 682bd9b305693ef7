// SPDX-License-Identifier: GPL-2.0-or-later

import Foundation
import RegionCore
import StoreSQLite
import Testing
import Time

@testable import Gateway

struct StoredHintsTests {
    /// A store in which so many badges fell silent for 24 s in each of twelve minutes.
    private func hints(badges: UInt16) throws -> StoredHints {
        let path = NSTemporaryDirectory() + "hints-\(UUID().uuidString).db"
        defer {
            for suffix in ["", "-wal", "-shm", ".lock"] { try? FileManager.default.removeItem(atPath: path + suffix) }
        }
        let uuid = BeaconUUID(high: 1, low: 2)
        let anchor = ClockAnchor(
            instant: .boot, wallTime: WallTime(microseconds: 1_796_000_400_000_000), synchronised: true)
        do {
            let store = try EventStore(path: path, gateway: "box", source: .radio, now: anchor.wallTime)
            try store.beginRun(bootId: "boot", anchor: anchor, why: "test")
            let settings = try store.settingsVersion(registry: "", configuration: "", at: anchor.wallTime)
            var batch = LedgerBatch(upTo: .boot + .seconds(720), anchor: anchor, settings: settings)
            for minute in 0..<12 {
                for badge in 1...badges {
                    batch.decisions.minutes.append(
                        BeaconMinute(
                            beacon: BeaconIdentity(uuid: uuid, major: 1, minor: badge),
                            start: .boot + .seconds(60 * minute), count: 60, p10: nil, p50: nil, p90: nil,
                            largestGap: .seconds(24)))
                }
            }
            _ = try store.append(batch)
        }
        var configuration = Configuration()
        configuration.database = path
        let entry = BeaconEntry(uuid: uuid, major: 1, minors: 1...999, isRange: true)
        return StoredHints(configuration, source: nil, registry: Registry(venue: Venue(venueId: "h", beacons: [entry])))
    }

    @Test(
        arguments: [(1, 1, nil), (20, 20, nil), (21, 20, "and 2 more beacons"), (300, 20, "and 281 more beacons")]
            as [(UInt16, Int, String?)])
    func `twenty lines at most, and the last one counts the rest`(badges: UInt16, lines: Int, last: String?) throws {
        let hints = try hints(badges: badges)
        #expect(hints.trouble == nil)
        #expect(hints.lines.count == lines)
        #expect(hints.lines.first?.hasSuffix("/1/1: heard every 24 s at worst: set exit 75") == true)
        if let last { #expect(hints.lines.last == last) }
    }

    @Test func `without a store there are none`() {
        var configuration = Configuration()
        configuration.database = "/nonexistent/regiond.db"
        let hints = StoredHints(
            configuration, source: nil, registry: Registry(venue: Venue(venueId: "h", beacons: [])))
        #expect(hints.text.isEmpty)
    }
}
