// SPDX-License-Identifier: GPL-2.0-or-later

import CMallocCount
import RegionCore
import Testing
import Time

/// Unoptimised code allocates for each loop over a range, so these count in a release build only.
#if DEBUG
    let isOptimised = false
#else
    let isOptimised = true
#endif

@Suite(.enabled(if: isOptimised, "allocations are counted by `swift test -c release`"))
struct AllocationTests {
    @Test func `parsing allocates nothing once its arrays have grown`() {
        var parsed = ParsedFrame()
        let frames = [
            AdvertisingTests.event(), AdvertisingTests.event(extended: true), bytes("04 3e 02 02 00"),
            bytes("04 3e 0f 02 01 03 01 01 00 00 ee ff c0 03 02 01 06 bf"),
        ]
        for frame in frames { AdvertisingParser.parse(frame.span, into: &parsed) }
        let before = malloc_count_now()
        for _ in 0..<1_000 { for frame in frames { AdvertisingParser.parse(frame.span, into: &parsed) } }
        #expect(malloc_count_now() == before)
    }

    @Test func `putting pieces together allocates nothing once a buffer exists`() {
        let whole = AdvertisingTests.event(extended: true)
        var first = Array(whole[..<(whole.count - 10)])
        var last = Array(whole[..<29] + whole.suffix(10))
        for (frame, status) in [(0, UInt8(0x20)), (1, 0)] {
            var piece = frame == 0 ? first : last
            piece[2] = UInt8(piece.count - 3)
            piece[5] |= status
            piece[28] = UInt8(piece.count - 29)
            if frame == 0 { first = piece } else { last = piece }
        }
        var chains = ReportChains()
        var found = 0
        var now = Instant.boot
        func take(_ frame: [UInt8]) {
            now.nanoseconds += 1_000_000
            _ = AdvertisingParser.parse(frame.span, joining: &chains, at: now) { reading in
                if case .sighting = reading { found += 1 }
            }
        }
        for frame in [first, last] { take(frame) }
        let before = malloc_count_now()
        for _ in 0..<1_000 {
            take(first)
            take(first)
            take(last)
        }
        #expect(malloc_count_now() == before)
        #expect(found == 1_001)
    }

    /// What the radio lane does with each report, beside parsing it.
    @Test func `census, watch and horizon allocate nothing`() {
        let badges = BeaconEntry(uuid: Bench.uuid, major: 7, minors: 0...99, isRange: true)
        let canary = BeaconEntry(uuid: Bench.uuid, major: 8, minors: 1...1, kind: .fixed, canary: true)
        let registry = Registry(venue: Venue(venueId: "hall", beacons: [badges, canary]))
        var engine = RegionEngine(registry: registry, receiver: ReceiverEntry(id: "gate"), at: .boot)
        var watch = SilenceWatch()
        var decisions = Decisions()
        var now = Instant.boot
        func minute() {
            for report in 0..<60_000 {
                now.nanoseconds += 1_000_000
                let minor = UInt16(report % 100)
                let sighting = Sighting(
                    beacon: BeaconIdentity(uuid: Bench.uuid, major: 7, minor: minor), measuredPower: -59, rssi: -65,
                    advertiser: DeviceAddress(bits: UInt64(minor)))
                _ = watch.declare(before: now)
                engine.heard(at: now, into: &decisions)
                watch.heard(
                    DeviceAddress(bits: UInt64(minor)), isCanary: engine.isCanary(sighting.beacon), at: now)
                engine.observe(sighting, at: now, into: &decisions)
                engine.bound(horizon: watch.horizon)
                _ = engine.nextDeadline()
            }
            decisions.removeAll()
        }
        for _ in 0..<3 { minute() }
        let before = malloc_count_now()
        minute()
        #expect(malloc_count_now() == before)
    }

    /// Which of the identities it hears the registry lists: all, or none, or none of more than the list holds.
    @Test(arguments: [(0..<100, 0..<100), (0..<100, 100..<200), (0..<100, 100..<4_100)])
    func `a sighting allocates nothing once its beacon is known`(registered: Range<UInt16>, heard: Range<UInt16>) {
        let uuid = BeaconUUID(high: 1, low: 2)
        let badges = BeaconEntry(
            uuid: uuid, major: 1, minors: registered.lowerBound...registered.upperBound - 1, isRange: true)
        let registry = Registry(venue: Venue(venueId: "hall", beacons: [badges]))
        var engine = RegionEngine(registry: registry, receiver: ReceiverEntry(id: "gate"), at: .boot)
        var decisions = Decisions()
        var now = Instant.boot
        func minute() {
            for _ in 0..<(60_000 / heard.count) {
                for minor in heard {
                    now.nanoseconds += 1_000_000
                    let beacon = BeaconIdentity(uuid: uuid, major: 1, minor: minor)
                    let sighting = Sighting(beacon: beacon, measuredPower: -59, rssi: -65, advertiser: nil)
                    engine.observe(sighting, at: now, into: &decisions)
                    _ = engine.nextDeadline()
                }
                decisions.removeAll()
            }
        }
        for _ in 0..<3 { minute() }
        let before = malloc_count_now()
        minute()
        #expect(malloc_count_now() == before)
    }

    @Test func `an idle wake-up allocates nothing`() {
        var engine = RegionEngine(
            registry: Registry(venue: Venue(venueId: "hall", beacons: [])), receiver: ReceiverEntry(id: "gate"),
            at: .boot)
        var decisions = Decisions()
        let before = malloc_count_now()
        for second in 1...1_000 {
            engine.tick(at: Instant.boot + .seconds(second), into: &decisions)
            _ = engine.nextDeadline()
        }
        #expect(malloc_count_now() == before)
    }
}
