// SPDX-License-Identifier: GPL-2.0-or-later

import Glibc
import RegionCore
import Time

/// A venue, a recording and the truth about it: what every combination of settings is tried on.
struct TuneBench: Sendable {
    let venue: Venue
    /// Settings that hold where the venue sets none.
    let defaults: SettingOverrides
    let receiver: ReceiverEntry
    let recording: Recording
    let beginning: Instant
    let truth: Truth

    /// Replays the recording under the venue's settings changed by these.
    func figures(with settings: SettingOverrides) -> TuneFigures {
        var venue = venue
        venue.settings = venue.settings.overridden(by: settings)
        let registry = Registry(venue: venue, defaults: defaults)
        var hearing = Hearing(engine: RegionEngine(registry: registry, receiver: receiver, at: beginning))
        var score = TuneScore(truth)
        var decisions = Decisions()
        var source = recording.source()
        var frame = FrameBuffer()
        while let (input, instant) = source.next(into: &frame) {
            hearing.take(
                input, by: source.receiver, of: source.receivers, frame: frame, at: instant, into: &decisions)
            guard !decisions.isEmpty else { continue }
            for event in decisions.events { score.take(event) }
            decisions.removeAll()
        }
        return score.figures(until: recording.end)
    }
}

/// What one combination came to.
struct TuneResult: Equatable {
    /// Its place among the combinations.
    let combination: Int
    let settings: SettingOverrides
    let figures: TuneFigures
}

/// Tries every combination, several at a time.
enum TuneSession {
    private struct Work {
        var next = 0
        var results: [TuneResult] = []
    }

    /// Between two looks at how far it has come.
    private static let lookEvery = Duration.milliseconds(250)

    /// The results, the best first; equals in the order of the sweep. `jobs` replays run at a time.
    static func run(
        _ bench: TuneBench, _ sweep: Sweep, jobs: Int, progress: (_ done: Int) -> Void
    ) -> [TuneResult] {
        let work = Monitor(Work())
        let lanes = (0..<min(jobs, sweep.count)).map { _ in Worker { Self.work(work, bench, sweep) } }
        while work.wait(atMost: lookEvery, until: { $0.results.count == sweep.count ? true : nil }) == nil {
            progress(work.with { $0.results.count })
        }
        for lane in lanes { lane.join() }
        return work.with { $0.results }.sorted {
            if $0.figures.isBetter(than: $1.figures) { return true }
            return !$1.figures.isBetter(than: $0.figures) && $0.combination < $1.combination
        }
    }

    /// How many replays run at a time when nobody says: one for each core.
    static func usualJobs() -> Int { max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))) }

    /// What each thread does: takes the next combination until there is none left.
    private static func work(_ work: Monitor<Work>, _ bench: TuneBench, _ sweep: Sweep) {
        while true {
            let combination = work.with { work -> Int in
                defer { work.next += 1 }
                return work.next
            }
            guard combination < sweep.count else { return }
            let settings = sweep.settings(of: combination)
            let result = TuneResult(
                combination: combination, settings: settings, figures: bench.figures(with: settings))
            work.change { $0.results.append(result) }
        }
    }

    /// A lane that can stand in an array.
    private final class Worker {
        private var lane: Lane?

        init(_ body: @escaping @Sendable () -> Void) { lane = Lane("tune", body) }

        func join() { if let lane = lane.take() { lane.join() } }
    }
}
