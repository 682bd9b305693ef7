// SPDX-License-Identifier: GPL-2.0-or-later

import CMallocCount
import RadioCapture
import RegionCore
import Time

/// No report may allocate once its beacon is known, nor one that says nothing new. Counted here and in no test: code
/// that is not optimised allocates for each loop over a range.
enum Mallocs {
    private static let reports = 100_000

    static func measure(into report: inout Report) {
        let registered = (0..<1_000).map(Population.identity)
        let strangers = (1_000..<1_500).map(Population.identity)
        // More than the list of unregistered beacons holds: each one pushes another out.
        let flood = (1_000..<9_000).map(Population.identity)
        let registry = Population.registry(registered, regions: .three)
        let kinds: [(String, FrameRow)] = [
            ("known", Population.frames(Population.sightings(registered))),
            ("unregistered", Population.frames(Population.sightings(strangers))),
            ("unregistered flood", Population.frames(Population.sightings(flood))),
            ("foreign or malformed", Population.foreignFrames),
        ]
        for (name, frames) in kinds {
            var lane = HotLane(registry, pace: 100_000)
            // A minute and more, so that what is gathered in a minute has its room.
            repeatedly(frames, reports: 700_000) { lane.hear($0) }
            let before = malloc_count_now()
            repeatedly(frames, reports: reports) { lane.hear($0) }
            add(name, malloc_count_now() - before, to: &report)
        }
        var lane = HotLane(registry, pace: 100_000)
        repeatedly(kinds[0].1, reports: 700_000) { lane.listen($0) }
        let before = malloc_count_now()
        repeatedly(kinds[0].1, reports: reports) { lane.listen($0) }
        add("known, with census and horizon", malloc_count_now() - before, to: &report)
        several(into: &report)
        add("idle wake-up", idle(registry, Population.frames(Population.sightings(registered))), to: &report)
        add("parsed and kept", kept(kinds.map(\.1)), to: &report)
        takeIn(strangers, into: &report)
        add("put together from pieces", joined(), to: &report)
        report.add(ring(kinds[0].1))
    }

    /// A region that takes whoever is not listed: those that it knows, and then millions more than it keeps.
    private static func takeIn(_ strangers: [BeaconIdentity], into report: inout Report) {
        let uuid = Population.identity(0).uuid
        let region = RegionDefinition(identifier: "all", scope: RegionScope(uuid: uuid), unregistered: true)
        var lane = HotLane(Registry(venue: Venue(venueId: "hall", beacons: [], regions: [region])), pace: 100_000)
        let frames = Population.frames(Population.sightings(strangers))
        repeatedly(frames, reports: 700_000) { lane.hear($0) }
        var before = malloc_count_now()
        repeatedly(frames, reports: reports) { lane.hear($0) }
        add("taken by a region", malloc_count_now() - before, to: &report)
        precondition(lane.enters == strangers.count, "all of them are inside")

        var number = 100_000
        func flood(_ count: Int) {
            for _ in 0..<count {
                let sighting = Sighting(
                    beacon: Population.identity(number), measuredPower: -59, rssi: -70,
                    advertiser: DeviceAddress(bits: UInt64(number)))
                lane.hear(sighting, at: lane.now + .microseconds(100))
                number += 1
            }
        }
        flood(700_000)
        let live = malloc_live_bytes()
        before = malloc_count_now()
        flood(2_000_000)
        report.add(
            Figure(
                name: "mallocs, flood into a region", value: Double(malloc_count_now() - before), unit: "in 2000000",
                limit: 0))
        report.add(
            Figure(
                name: "growth by that flood", value: Double(malloc_live_bytes()) - Double(live), unit: "bytes",
                limit: 0))
    }

    /// Twelve receivers that hear a hundred beacons. A move is an event and may allocate, as any event may; what
    /// lies between two moves may not.
    private static func several(into report: inout Report) {
        var still = ManyEars(beacons: 100, turn: 0, pace: 100_000)
        still.hear(700_000)
        let before = malloc_count_now()
        still.hear(reports)
        add("known at twelve receivers, at rest", malloc_count_now() - before, to: &report)
        var walking = ManyEars(beacons: 100, turn: 300, pace: 100_000)
        walking.hear(1_400_000)
        let moved = walking.moves
        let start = malloc_count_now()
        walking.hear(10 * reports)
        let moves = walking.moves - moved
        precondition(moves > 100, "they move")
        report.add(
            Figure(
                name: "mallocs, known at twelve receivers, a move",
                value: Double(malloc_count_now() - start) / Double(moves), unit: "each", limit: 60))
    }

    /// Wake-ups of a full and silent hall, shorter than the exit time.
    private static func idle(_ registry: Registry, _ frames: FrameRow) -> UInt64 {
        var lane = HotLane(registry, pace: 100_000)
        repeatedly(frames, reports: 700_000) { lane.hear($0) }
        let before = malloc_count_now()
        for _ in 0..<reports { lane.idle() }
        return malloc_count_now() - before
    }

    private static func kept(_ kinds: [FrameRow]) -> UInt64 {
        var parsed = ParsedFrame()
        for frames in kinds { frames.forEach { AdvertisingParser.parse($0, into: &parsed) } }
        let before = malloc_count_now()
        for frames in kinds { repeatedly(frames, reports: reports) { AdvertisingParser.parse($0, into: &parsed) } }
        return malloc_count_now() - before
    }

    private static func joined() -> UInt64 {
        var chains = ReportChains()
        var now = Instant.boot
        var found = 0
        func take() {
            Population.pieces.forEach { piece in
                now.nanoseconds += 1_000_000
                _ = AdvertisingParser.parse(piece, joining: &chains, at: now) { reading in
                    if case .sighting = reading { found += 1 }
                }
            }
        }
        take()
        let before = malloc_count_now()
        for _ in 0..<reports { take() }
        precondition(found == reports + 1, "pieces make a beacon")
        return malloc_count_now() - before
    }

    /// A frame allocates nothing, and a chunk of more than a thousand once.
    private static func ring(_ frames: FrameRow) -> Figure {
        var frame = FrameBuffer()
        frame.refill { $0 += frames.bytes.prefix(frameBytes) }
        var ring = FrameRing(bytes: 4 * chunkBytes)
        var now = Instant.boot
        func fill() {
            for _ in 0..<reports {
                now.nanoseconds += 1_000_000
                ring.append(frame, at: now, time: WallTime(microseconds: now.nanoseconds / 1_000))
            }
        }
        fill()
        let before = malloc_count_now()
        fill()
        let limit = reports / (chunkBytes / (frameBytes + 6)) + 1
        return Figure(
            name: "mallocs, kept in the ring", value: Double(malloc_count_now() - before), unit: "in \(reports)",
            limit: Double(limit))
    }

    /// Of the event of an iBeacon; the ring puts six bytes before it.
    private static let frameBytes = 45
    /// Of the ring.
    private static let chunkBytes = 65_536

    private static func repeatedly(_ frames: FrameRow, reports: Int, _ body: (Span<UInt8>) -> Void) {
        var done = 0
        while done < reports {
            frames.forEach { frame in
                body(frame)
                done += 1
            }
        }
    }

    private static func add(_ name: String, _ count: UInt64, to report: inout Report) {
        report.add(Figure(name: "mallocs, \(name)", value: Double(count), unit: "in \(reports)", limit: 0))
    }
}
