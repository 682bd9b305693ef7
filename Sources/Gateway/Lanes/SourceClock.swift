// SPDX-License-Identifier: GPL-2.0-or-later

import Time

/// Places a hall or a capture that is played in real time: where it is now, and what its moments are called.
///
/// A source has a start kept in the store, so that a gateway started again finds the hall where it would be by then.
/// Its moments are labelled start + moment, whatever the speed.
struct SourceClock: Equatable {
    /// Ties the lane's instants to labels.
    let anchor: ClockAnchor
    /// The source's moment at the start of the run.
    let beginning: Instant
    /// The boot clock at the start of the run.
    private let boot: Instant
    private let speed: Double

    /// A clock for a source that began at `start` and runs at `speed` times real time.
    init(start: WallTime, speed: Double, now: ClockAnchor) {
        let elapsed = Duration.seconds(decimal: max(0, (now.wallTime - start).inSeconds) * speed)
        beginning = .boot + elapsed
        boot = now.instant
        self.speed = speed
        anchor = ClockAnchor(instant: now.instant, wallTime: start + elapsed, synchronised: now.synchronised)
    }

    /// The lane's present.
    func now(boot: Instant) -> Instant {
        speed == 1 ? boot : anchor.instant + .seconds(decimal: (boot - self.boot).inSeconds * speed)
    }

    /// The lane's instant of a source's moment.
    func instant(of moment: Instant) -> Instant { anchor.instant + (moment - beginning) }

    /// How long the boot clock takes for a span of the lane's.
    func real(_ span: Duration) -> Duration { speed == 1 ? span : .seconds(decimal: span.inSeconds / speed) }
}
