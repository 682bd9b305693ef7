// SPDX-License-Identifier: GPL-2.0-or-later

import CMallocCount
import RegionCore

/// No report may allocate once its beacon is known, nor one that says nothing new.
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
        add("idle wake-up", idle(registry, Population.frames(Population.sightings(registered))), to: &report)
    }

    /// Wake-ups of a full and silent hall, shorter than the exit time.
    private static func idle(_ registry: Registry, _ frames: FrameRow) -> UInt64 {
        var lane = HotLane(registry, pace: 100_000)
        repeatedly(frames, reports: 700_000) { lane.hear($0) }
        let before = malloc_count_now()
        for _ in 0..<reports { lane.idle() }
        return malloc_count_now() - before
    }

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
