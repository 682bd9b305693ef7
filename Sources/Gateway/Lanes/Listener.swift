// SPDX-License-Identifier: GPL-2.0-or-later

import RadioHCI
import RegionCore
import Time

/// A source listened to in real time: gives what has come up to the present.
struct Listener: ~Copyable {
    private var source: any FrameSource
    /// The same, where it is a live radio.
    let radio: HCIRadio?
    /// Places the source's moments on the lane's clock.
    var clock: SourceClock
    /// The bytes of the last input, where it was a frame.
    private(set) var frame = FrameBuffer()
    /// Read, and later than the present.
    private var waiting: (input: SourceInput, instant: Instant)?
    /// Whether the source will never give anything more.
    private(set) var hasEnded = false
    /// Up to here everything was taken that the source had; nothing is to be decided beyond it.
    private(set) var present: Instant
    /// Inputs taken since then.
    private var rate: (from: Instant, count: Int)
    /// Whether a radio gives so much that it is taken in turns, whatever is due meanwhile.
    private(set) var isBusy = false
    /// Which of the radio's sockets the loop wakes for.
    private var watchedOpening: UInt64 = 0

    /// How it paces itself.
    private enum Pace {
        /// Inputs that come closer together are taken at once: invisible beside three hits, and 50 wake-ups a second
        /// at most.
        static let drain = Duration.milliseconds(20)
        /// A radio that gives fewer than this is read as it hears: so few wake-ups cost nothing.
        static let busyInputs = 200
        /// With nothing at all to do it still wakes up now and then.
        static let idle = Duration.seconds(60)
    }

    init(_ source: any FrameSource, clock: SourceClock) {
        self.source = source
        radio = source as? HCIRadio
        self.clock = clock
        present = clock.now(boot: BoxClock.now())
        rate = (present, 0)
    }

    /// Listens to a source that no store goes with.
    init(directly source: SourceText) throws(GatewayError) {
        let now = BoxClock.anchor()
        let clock: SourceClock
        if source.sourceKind == .radio {
            clock = SourceClock(live: now)
        } else {
            let played = Duration.seconds(decimal: (source.from ?? .zero).inSeconds / source.speed)
            clock = SourceClock(start: now.wallTime + (.zero - played), speed: source.speed, now: now)
        }
        self.init(try source.open(at: clock.beginning, until: nil), clock: clock)
    }

    /// Makes now the present: `next` gives what has come up to here.
    mutating func catchUp() {
        present = clock.now(boot: BoxClock.now())
        if present - rate.from >= .seconds(1) {
            isBusy = radio != nil && rate.count > Pace.busyInputs
            rate = (present, 0)
        }
    }

    /// The next input up to the present, its bytes in `frame`; nil when there is none yet, or none any more. To be
    /// taken to its end before any deadline is looked at: what waits to be read was heard before.
    mutating func next() throws(SourceError) -> (input: SourceInput, instant: Instant)? {
        guard !hasEnded else { return nil }
        if let radio {
            guard let input = radio.next(into: &frame) else { return nil }
            // It has happened, even if only while this was draining.
            present = max(present, input.instant)
            rate.count += 1
            return input
        }
        if waiting == nil {
            do throws(SourceError) {
                waiting = try source.next(into: &frame).map { ($0.input, clock.instant(of: $0.instant)) }
            } catch {
                hasEnded = true
                throw error
            }
            if waiting == nil {
                hasEnded = true
                return nil
            }
        }
        guard let input = waiting, input.instant <= present else { return nil }
        waiting = nil
        rate.count += 1
        return input
    }

    /// Lets a live radio know what came of it: when it was last heard, and that its silence is taken for deafness.
    func tell(_ hearing: borrowing Hearing) {
        guard let radio else { return }
        if let lastReport = hearing.lastReport() { radio.heard(at: lastReport) }
        if hearing.isSilent() { radio.silent(at: present) }
    }

    /// Whose the last input was, a place in `receivers`; nil: the source's own.
    var receiver: Int? { source.receiver }
    /// The receivers that inputs name.
    var receivers: [String] { source.receivers }

    /// Sleeps until the source may have something, the deadline has come, or somebody wakes the loop; gives the
    /// signals that came.
    mutating func wait(_ loop: borrowing EventLoop, until deadline: Instant) -> [EventLoop.Signal] {
        guard let radio else {
            let wake = min(deadline, waiting?.instant ?? deadline)
            let span = clock.real(wake - clock.now(boot: BoxClock.now()))
            return loop.wait(atMost: min(max(span, Pace.drain), Pace.idle))
        }
        if isBusy {
            // Deadlines can wait so long; reports are worth more when they are taken many at a time.
            BoxClock.pause(Pace.drain)
            return loop.wait(atMost: .zero)
        }
        if let descriptor = radio.descriptor, radio.openings != watchedOpening {
            loop.watchToo(descriptor)
            watchedOpening = radio.openings
        }
        let span = min(deadline, radio.wakeAt) - BoxClock.now()
        return loop.wait(atMost: min(max(span, .zero), Pace.idle))
    }
}
