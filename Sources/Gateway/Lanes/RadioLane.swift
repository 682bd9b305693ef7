// SPDX-License-Identifier: GPL-2.0-or-later

import RadioCapture
import RadioHCI
import RegionCore
import Time

/// Stops 1 to 4 on one thread: reads the source, decides, hands over, and sleeps until there is something to do.
struct RadioLane: ~Copyable {
    private var hearing: Hearing
    private var listener: Listener
    private let mailbox: Mailbox
    private let desk: RadioDesk
    private var settings: Int64
    private var recorder: BtsnoopWriter?
    private let marks: MarkBook
    private var ring = FrameRing()
    /// Takes what was heard before a fault.
    private let tellFault: (RadioFault) -> Void

    private var decisions = Decisions()
    private var notes: [Note] = []
    private var spans: ListeningSpans
    private var reportsBefore: UInt64 = 0
    private var lastReport: Instant
    private var checkpoints: Checkpoints
    private var wallClock = WallClockWatch()
    private var absence: Absence
    private var radioState = RadioState.resetting
    private var hears = true

    init(
        _ start: Start, mailbox: Mailbox, desk: RadioDesk, recorder: consuming BtsnoopWriter?,
        marks: MarkBook, tellFault: @escaping (RadioFault) -> Void
    ) {
        hearing = start.hearing
        decisions = start.decisions
        listener = Listener(start.source, clock: start.clock)
        let now = listener.present
        settings = start.settings
        self.mailbox = mailbox
        self.desk = desk
        self.recorder = recorder
        self.marks = marks
        self.tellFault = tellFault
        spans = ListeningSpans(receiver: start.receiver.id, from: now)
        lastReport = now
        absence = Absence(lastSeen: start.lastSeen, start: now)
        checkpoints = Checkpoints(at: now)
    }

    /// Works until a signal or the end of the source. Gives what was wrong with the source, if anything was.
    mutating func run(_ loop: borrowing EventLoop, reload: () -> Void) -> SourceError? {
        notes.append(Note(kind: .start, text: "regiond \(Version.text) listens to \(desk.sourceText)", at: present))
        var trouble: SourceError?
        var isStopping = false
        while true {
            do throws(SourceError) { try drain() } catch {
                trouble = error
                noteFault("source failed")
            }
            hearing.tick(at: present, into: &decisions)
            noteHearing(at: present)
            tendRadio()
            takeNewRegistry()
            watchWallClock()
            answerPage()
            desk.answerRing { ring.snapshot(at: listener.present) }
            handOver(isLast: false)
            if listener.hasEnded || isStopping { break }
            for signal in listener.wait(loop, until: listener.isBusy ? present : nextDeadline()) {
                switch signal {
                case .stop: isStopping = true
                case .reload: reload()
                }
            }
        }
        listener.radio?.leave()
        let why = trouble.map { "the source failed: \($0)" } ?? "stopped in order"
        notes.append(Note(kind: .stop, text: why, at: present))
        handOver(isLast: true)
        mailbox.close()
        do throws(SourceError) { try recorder?.flush() } catch { trouble = trouble ?? error }
        return trouble
    }

    // MARK: Hearing

    private var present: Instant { listener.present }

    private mutating func drain() throws(SourceError) {
        listener.catchUp()
        if listener.radio != nil { hearing.arrival(at: present) }
        while let (input, instant) = try listener.next() {
            if case .frame = input { record(at: instant) }
            hearing.take(
                input, by: listener.receiver, of: listener.receivers, frame: listener.frame, at: instant,
                into: &decisions)
            noteHearing(at: instant)
            if hearing.tally.reports != reportsBefore {
                reportsBefore = hearing.tally.reports
                lastReport = instant
            }
        }
    }

    /// What the receiver can hear goes into the ledger: whoever asks later must know what the box could not know.
    private mutating func noteHearing(at instant: Instant) {
        guard hearing.hasChanges || hearing.hears() != hears else { return }
        for change in hearing.takeChanges() {
            if case .silent(let since, let canary) = change.kind {
                spans.change(to: false, at: since)
                let who = canary ? "a canary was" : "many were"
                notes.append(Note(kind: .radio, text: "nothing is heard any more where \(who) heard", at: change.at))
            }
        }
        guard hearing.hears() != hears else { return }
        hears = hearing.hears()
        spans.change(to: hears, at: instant)
        // A radio says itself why.
        guard listener.radio == nil, !hearing.isSilent() else { return }
        notes.append(
            Note(kind: .radio, text: hears ? "the receiver hears again" : "the receiver cannot hear", at: instant))
    }

    /// Lets a live radio know what comes of it, and takes down what it did.
    private mutating func tendRadio() {
        guard let radio = listener.radio else { return }
        listener.tell(hearing)
        for text in radio.takeNotes() { notes.append(Note(kind: .radio, text: text, at: present)) }
        let status = radio.status
        // On its way to scanning it is on for some milliseconds: nothing to tell a person.
        guard status.state != radioState, status.state != .poweredOn else { return }
        radioState = status.state
        if radioState == .silent || radioState == .lost { noteFault(radioState.rawValue) }
        Console.say("Radio: \(status.message)" + (status.state.isListening ? "" : " \(status.state.remedy)"))
    }

    /// Keeps a frame in the ring, and in the recording if there is one. A recording that fails ends; listening goes
    /// on.
    private mutating func record(at instant: Instant) {
        let time = listener.clock.anchor.wallTime(at: instant)
        ring.append(listener.frame, at: instant, time: time)
        do throws(SourceError) {
            try recorder?.append(listener.frame.bytes, at: time)
        } catch {
            recorder = nil
            marks.recordingEnded()
            Console.say("The recording has ended: \(error)")
        }
    }

    /// Something is wrong with the radio: what was heard before it is kept.
    private func noteFault(_ why: String) {
        let time = listener.clock.anchor.wallTime(at: present)
        tellFault(RadioFault(why: why, time: time, ring: ring.snapshot(at: present)))
    }

    /// Until when nothing will have to be done.
    private mutating func nextDeadline() -> Instant {
        min(checkpoints.nextWhole, hearing.nextDeadline() ?? checkpoints.nextWhole)
    }

    /// Nothing is decided on the wall clock, but a step of it is worth knowing of months later; and once it is
    /// synchronised it can tell how long the box was away.
    private mutating func watchWallClock() {
        guard wallClock.isDue(at: present) else { return }
        let now = BoxClock.anchor()
        listener.clock.follow(now)
        if let step = wallClock.step(to: now) {
            notes.append(Note(kind: .clock, text: "the wall clock was stepped by \(step.inSeconds) s", at: present))
        }
        if let away = absence.known(by: now) {
            hearing.engine.awayKnown(away, at: present, into: &decisions)
            notes.append(
                Note(kind: .clock, text: "the clock can tell now: away for \(Int(away.inSeconds)) s", at: present))
        }
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
            listener.radio?.watched(at: present)
            field.radio = listener.radio?.status
            field.reports = hearing.tally.reports
            field.withoutRSSI = hearing.tally.withoutRSSI
            field.discards = hearing.tally.discards
            return RadioDesk.Answer(field: field, anchor: listener.clock.anchor, lastReport: lastReport)
        }
    }

    /// Gives the store lane what there is.
    private mutating func handOver(isLast: Bool) {
        let holdsSomething = !decisions.isEmpty || !notes.isEmpty
        let present = listener.present
        let rows = checkpoints.rows(
            at: present, isLast: isLast, hasEvents: !decisions.events.isEmpty, commits: holdsSomething
        ) { hearing.engine.snapshot(at: present).presences }
        guard holdsSomething || rows.isWhole || !rows.presences.isEmpty else { return }
        var batch = LedgerBatch(upTo: present, anchor: listener.clock.anchor, settings: settings)
        batch.notes = notes
        batch.take(decisions)
        batch.checkpoint = rows.presences
        if rows.isWhole {
            batch.listening = spans.take(until: present)
            batch.loudest = hearing.engine.loudest
        }
        decisions = Decisions()
        notes.removeAll()
        mailbox.put(batch) { hearing.engine.snapshot(at: present).presences }
    }
}
