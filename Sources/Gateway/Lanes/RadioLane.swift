// SPDX-License-Identifier: GPL-2.0-or-later

import HallSimulator
import RadioCapture
import RegionCore
import Time

/// Stops 1 to 4 on one thread: reads the source, decides, hands over, and sleeps until there is something to do.
struct RadioLane: ~Copyable {
    private var hearing: Hearing
    private var source: any FrameSource
    private let clock: SourceClock
    private let mailbox: Mailbox
    private let desk: RadioDesk
    private var settings: Int64
    private var recorder: BtsnoopWriter?

    private var decisions = Decisions()
    private var notes: [Note] = []
    private var spans: ListeningSpans
    private var frame = FrameBuffer()
    private var next: (input: SourceInput, instant: Instant)?
    private var hasEnded = false
    /// Up to here everything was taken that the source had; nothing is decided beyond it.
    private var present: Instant
    private var reportsBefore: UInt64 = 0
    private var lastReport: Instant
    private var checkpoints: Checkpoints
    private var wallClock = WallClockWatch()

    /// How it paces itself.
    private enum Pace {
        /// Inputs that come closer together are taken at once: invisible beside three hits, and 50 wake-ups a second
        /// at most.
        static let drain = Duration.milliseconds(20)
        /// With nothing at all to do it still wakes up now and then.
        static let idle = Duration.seconds(60)
    }

    init(_ start: Start, mailbox: Mailbox, desk: RadioDesk, recorder: consuming BtsnoopWriter?) {
        let now = start.clock.now(boot: BoxClock.now())
        hearing = start.hearing
        decisions = start.decisions
        source = start.source
        clock = start.clock
        settings = start.settings
        self.mailbox = mailbox
        self.desk = desk
        self.recorder = recorder
        spans = ListeningSpans(receiver: start.receiver.id, from: now)
        present = now
        lastReport = now
        checkpoints = Checkpoints(at: now)
    }

    /// Works until a signal or the end of the source. Gives what was wrong with the source, if anything was.
    mutating func run(_ loop: borrowing EventLoop, reload: () -> Void) -> SourceError? {
        notes.append(Note(kind: .start, text: "regiond \(Version.text) listens to \(desk.sourceText)", at: present))
        var trouble: SourceError?
        var isStopping = false
        while !hasEnded {
            do throws(SourceError) { try drain() } catch {
                trouble = error
                hasEnded = true
            }
            hearing.tick(at: present, into: &decisions)
            takeNewRegistry()
            watchWallClock()
            answerPage()
            handOver(isLast: false)
            if hasEnded || isStopping { break }
            for signal in loop.wait(atMost: sleep()) {
                switch signal {
                case .stop: isStopping = true
                case .reload: reload()
                }
            }
        }
        let why = trouble.map { "the source failed: \($0)" } ?? "stopped in order"
        notes.append(Note(kind: .stop, text: why, at: present))
        handOver(isLast: true)
        mailbox.close()
        do throws(SourceError) { try recorder?.flush() } catch { trouble = trouble ?? error }
        return trouble
    }

    // MARK: Hearing

    /// Takes everything the source has up to the present, before any deadline is looked at: what waits to be read was
    /// heard before.
    private mutating func drain() throws(SourceError) {
        present = clock.now(boot: BoxClock.now())
        while !hasEnded {
            if next == nil {
                guard let input = try source.next(into: &frame) else {
                    hasEnded = true
                    return
                }
                next = (input.input, clock.instant(of: input.instant))
            }
            guard let (input, instant) = next, instant <= present else { return }
            next = nil
            if case .frame = input { record(at: instant) }
            if case .listening(let on) = input { hear(on, at: instant) }
            hearing.take(input, frame: frame, at: instant, into: &decisions)
            if hearing.tally.reports != reportsBefore {
                reportsBefore = hearing.tally.reports
                lastReport = instant
            }
        }
    }

    /// A recording that fails ends; listening goes on.
    private mutating func record(at instant: Instant) {
        do throws(SourceError) {
            try recorder?.append(frame.bytes, at: clock.anchor.wallTime(at: instant))
        } catch {
            recorder = nil
            Console.say("The recording has ended: \(error)")
        }
    }

    private mutating func hear(_ on: Bool, at instant: Instant) {
        spans.change(to: on, at: instant)
        notes.append(
            Note(kind: .radio, text: on ? "the receiver hears again" : "the receiver cannot hear", at: instant))
    }

    /// How long nothing will have to be done.
    private mutating func sleep() -> Duration {
        var wake = checkpoints.nextWhole
        if let next { wake = min(wake, next.instant) }
        if let deadline = hearing.nextDeadline() { wake = min(wake, deadline) }
        return min(max(clock.real(wake - clock.now(boot: BoxClock.now())), Pace.drain), Pace.idle)
    }

    /// Nothing is decided on the wall clock, but a step of it is worth knowing of months later.
    private mutating func watchWallClock() {
        guard let step = wallClock.step(to: BoxClock.anchor()) else { return }
        notes.append(
            Note(kind: .clock, text: "the wall clock was stepped by \(step.inSeconds) s", at: present))
    }

    // MARK: Other lanes

    private mutating func takeNewRegistry() {
        guard let (registry, version) = desk.takeRegistry() else { return }
        // What was decided so far was decided under the version before.
        handOver(isLast: false)
        hearing.engine.replaceRegistry(registry, at: present, into: &decisions)
        settings = version
        notes.append(Note(kind: .registry, text: "settings version \(version) is in force", at: present))
    }

    private func answerPage() {
        desk.answer {
            var field = hearing.engine.field(at: present)
            field.discards = hearing.tally.discards
            return RadioDesk.Answer(field: field, anchor: clock.anchor, lastReport: lastReport)
        }
    }

    /// Gives the store lane what there is.
    private mutating func handOver(isLast: Bool) {
        let holdsSomething = !decisions.isEmpty || !notes.isEmpty
        let rows = checkpoints.rows(
            at: present, isLast: isLast, hasEvents: !decisions.events.isEmpty, commits: holdsSomething
        ) { hearing.engine.snapshot(at: present).presences }
        guard holdsSomething || rows.isWhole || !rows.presences.isEmpty else { return }
        var batch = LedgerBatch(upTo: present, anchor: clock.anchor, settings: settings)
        batch.decisions = decisions
        batch.notes = notes
        batch.checkpoint = rows.presences
        if rows.isWhole { batch.listening = spans.take(until: present) }
        decisions = Decisions()
        notes.removeAll()
        mailbox.put(batch) { hearing.engine.snapshot(at: present).presences }
    }
}
