// SPDX-License-Identifier: GPL-2.0-or-later

import RadioHCI
import RegionCore
import Time

/// Sources listened to in real time: gives what has come up to the present, in the order in which it happened.
struct Listeners {
    /// The sources, in the order in which they were named; live radios all, or none of them.
    private let listeners: [Listener]
    private let radios: [HCIRadio]
    /// Places the sources' moments on the lane's clock.
    var clock: SourceClock
    /// Up to here everything was taken that the sources had; nothing is to be decided beyond it.
    private(set) var present: Instant
    /// Inputs taken since then.
    private var rate: (from: Instant, count: Int)
    /// Whether radios give so much that it is taken in turns, whatever is due meanwhile.
    private(set) var isBusy = false
    /// How many sockets had been opened when the radios last told each other which adapters are whose.
    private var sharedOpenings: UInt64 = 0

    /// How they pace themselves.
    private enum Pace {
        /// Inputs that come closer together are taken at once: invisible beside three hits, and 50 wake-ups a second
        /// at most.
        static let drain = Duration.milliseconds(20)
        /// Radios that give fewer than this a second are read as they hear: so few wake-ups cost nothing.
        static let busyInputs = 200
        /// With nothing at all to do it still wakes up now and then.
        static let idle = Duration.seconds(60)
    }

    init(_ sources: [any FrameSource], clock: SourceClock) {
        listeners = sources.map(Listener.init)
        radios = listeners.compactMap(\.radio)
        self.clock = clock
        present = clock.now(boot: BoxClock.now())
        rate = (present, 0)
        shareAdapters()
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
        self.init([try source.open(at: clock.beginning, until: nil)], clock: clock)
    }

    var indices: Range<Int> { listeners.indices }

    subscript(source: Int) -> Listener { listeners[source] }

    /// Whether there is any live radio.
    var areRadios: Bool { !radios.isEmpty }
    /// Whether nothing more will ever come.
    var haveEnded: Bool { listeners.allSatisfy { $0.hasEnded && $0.waiting == nil } }

    /// Makes now the present: `next` gives what has come up to here.
    mutating func catchUp() {
        present = clock.now(boot: BoxClock.now())
        for listener in listeners { listener.beginTurn() }
        if present - rate.from >= .seconds(1) {
            isBusy = areRadios && rate.count > Pace.busyInputs
            rate = (present, 0)
        }
    }

    /// The next input up to the present, the earliest of what all sources have: what one of them left waiting is not
    /// to be overtaken by what another heard later. Nil when there is none yet, or none any more. To be taken to its
    /// end before any deadline is looked at: what waits to be read was heard before.
    mutating func next() throws(SourceError) -> (source: Int, input: SourceInput, instant: Instant)? {
        var earliest: (source: Int, instant: Instant)?
        for source in listeners.indices {
            guard let instant = try listeners[source].look(by: clock, others: listeners.count > 1) else { continue }
            if earliest.map({ instant < $0.instant }) ?? true { earliest = (source, instant) }
        }
        guard let (source, instant) = earliest else { return nil }
        // What a radio gives has happened, even if only while this was draining.
        if areRadios { present = max(present, instant) }
        guard instant <= present, let input = listeners[source].take() else { return nil }
        rate.count += 1
        return (source, input, instant)
    }

    /// Lets live radios know what came of them: when they were last heard, and that a silence is taken for deafness.
    /// The sources are the hearing's, in its order.
    mutating func tell(_ hearing: borrowing Hearing) {
        guard areRadios else { return }
        for source in listeners.indices {
            guard let radio = listeners[source].radio else { continue }
            if let lastReport = hearing.lastReport(of: source) { radio.heard(at: lastReport) }
            if hearing.isSilent(source) { radio.silent(at: present) }
        }
        if radios.count > 1, radios.reduce(0, { $0 + $1.openings }) != sharedOpenings { shareAdapters() }
    }

    /// No radio takes an adapter that is another's, whatever number it has after plugging in again.
    private mutating func shareAdapters() {
        sharedOpenings = radios.reduce(0) { $0 + $1.openings }
        guard radios.count > 1 else { return }
        for radio in radios { radio.leave(toOthers: radios.filter { $0 !== radio }.compactMap(\.ownAdapter)) }
    }

    /// Somebody looks at everything that is heard.
    func watched() {
        for radio in radios { radio.watched(at: present) }
    }

    /// Leaves adapters as they were found.
    func leave() {
        for radio in radios { radio.leave() }
    }

    /// Sleeps until a source may have something, the deadline has come, or somebody wakes the loop; gives the signals
    /// that came.
    func wait(_ loop: borrowing EventLoop, until deadline: Instant) -> [EventLoop.Signal] {
        guard areRadios else {
            let wake = listeners.reduce(deadline) { min($0, $1.waiting?.instant ?? $0) }
            let span = clock.real(wake - clock.now(boot: BoxClock.now()))
            return loop.wait(atMost: min(max(span, Pace.drain), Pace.idle))
        }
        if isBusy {
            // Deadlines can wait so long; reports are worth more when they are taken many at a time.
            BoxClock.pause(Pace.drain)
            return loop.wait(atMost: .zero)
        }
        for listener in listeners { listener.watch(by: loop) }
        let span = radios.reduce(deadline) { min($0, $1.wakeAt) } - BoxClock.now()
        return loop.wait(atMost: min(max(span, .zero), Pace.idle))
    }
}
