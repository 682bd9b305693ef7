// SPDX-License-Identifier: GPL-2.0-or-later

import Time

/// Places a source in real time: where it is now, and what its moments are called.
///
/// A live radio is on the box's own clocks. A hall or a capture that is played has a start kept in the store, so that a gateway started again finds the hall where it would be by then.
/// Its moments are labelled start + moment, whatever the speed.
struct SourceClock: Equatable {
    /// Ties the lane's instants to labels.
    private(set) var anchor: ClockAnchor
    /// The source's moment at the start of the run.
    let beginning: Instant
    /// The boot clock at the start of the run.
    private let boot: Instant
    private let speed: Double
    /// Whether the source is heard as it happens.
    let isLive: Bool

    /// The clock of a live radio.
    init(live now: ClockAnchor) {
        anchor = now
        beginning = now.instant
        boot = now.instant
        speed = 1
        isLive = true
    }

    /// A clock for a source that began at `start` and runs at `speed` times real time.
    init(start: WallTime, speed: Double, now: ClockAnchor) {
        let elapsed = Duration.seconds(decimal: max(0, (now.wallTime - start).inSeconds) * speed)
        beginning = .boot + elapsed
        boot = now.instant
        self.speed = speed
        isLive = false
        anchor = ClockAnchor(instant: now.instant, wallTime: start + elapsed, synchronised: now.synchronised)
    }

    /// What happens from now on is labelled by the box's clocks as they are now.
    mutating func follow(_ now: ClockAnchor) { if isLive { anchor = now } }

    /// The lane's present.
    func now(boot: Instant) -> Instant {
        speed == 1 ? boot : anchor.instant + .seconds(decimal: (boot - self.boot).inSeconds * speed)
    }

    /// The lane's instant of a source's moment.
    func instant(of moment: Instant) -> Instant { isLive ? moment : anchor.instant + (moment - beginning) }

    /// How long the boot clock takes for a span of the lane's.
    func real(_ span: Duration) -> Duration { speed == 1 ? span : .seconds(decimal: span.inSeconds / speed) }
}
