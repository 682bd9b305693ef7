// SPDX-License-Identifier: GPL-2.0-or-later

import RegionCore
import Time

/// A source listened to in real time: gives what has come up to the present.
struct Listener: ~Copyable {
    private var source: any FrameSource
    /// Places the source's moments on the lane's clock.
    private(set) var clock: SourceClock
    /// The bytes of the last input, where it was a frame.
    private(set) var frame = FrameBuffer()
    /// Read, and later than the present.
    private var waiting: (input: SourceInput, instant: Instant)?
    /// Whether the source will never give anything more.
    private(set) var hasEnded = false
    /// Up to here everything was taken that the source had; nothing is to be decided beyond it.
    private(set) var present: Instant

    /// How it paces itself.
    private enum Pace {
        /// Inputs that come closer together are taken at once: invisible beside three hits, and 50 wake-ups a second
        /// at most.
        static let drain = Duration.milliseconds(20)
        /// With nothing at all to do it still wakes up now and then.
        static let idle = Duration.seconds(60)
    }

    init(_ source: any FrameSource, clock: SourceClock) {
        self.source = source
        self.clock = clock
        present = clock.now(boot: BoxClock.now())
    }

    /// Makes now the present: `next` gives what has come up to here.
    mutating func catchUp() { present = clock.now(boot: BoxClock.now()) }

    /// The next input up to the present, its bytes in `frame`; nil when there is none yet, or none any more. To be
    /// taken to its end before any deadline is looked at: what waits to be read was heard before.
    mutating func next() throws(SourceError) -> (input: SourceInput, instant: Instant)? {
        guard !hasEnded else { return nil }
        if waiting == nil {
            do throws(SourceError) {
                waiting = try source.next(into: &frame).map { ($0.input, clock.instant(of: $0.instant)) }
            } catch {
                hasEnded = true
                throw error
            }
            hasEnded = waiting == nil
        }
        guard let input = waiting, input.instant <= present else { return nil }
        waiting = nil
        return input
    }

    /// Sleeps until the source may have something, the deadline has come, or somebody wakes the loop; gives the
    /// signals that came.
    func wait(_ loop: borrowing EventLoop, until deadline: Instant) -> [EventLoop.Signal] {
        let wake = min(deadline, waiting?.instant ?? deadline)
        let span = clock.real(wake - clock.now(boot: BoxClock.now()))
        return loop.wait(atMost: min(max(span, Pace.drain), Pace.idle))
    }
}
