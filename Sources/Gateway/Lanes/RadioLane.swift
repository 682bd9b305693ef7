// SPDX-License-Identifier: GPL-2.0-or-later

import RadioCapture
import RadioHCI
import RegionCore
import Time

/// Stops 1 to 4 on one thread: reads the sources, decides, hands over, and sleeps until there is something to do.
struct RadioLane: ~Copyable {
    private var hearing: Hearing
    private var listeners: Listeners
    /// One for each source, in the order of the sources.
    private var receivers: [OwnReceiver]
    private let mailbox: Mailbox
    private let desk: RadioDesk
    private var settings: Int64
    private var recorder: BtsnoopWriter?
    private let marks: MarkBook
    /// Takes what was heard before a fault.
    private let tellFault: (RadioFault) -> Void

    private var decisions = Decisions()
    private var notes: [Note] = []
    private var reportsBefore: UInt64 = 0
    private var checkpoints: Checkpoints
    private var wallClock = WallClockWatch()
    private var absence: Absence

    init(
        _ start: Start, mailbox: Mailbox, desk: RadioDesk, recorder: consuming BtsnoopWriter?,
        marks: MarkBook, tellFault: @escaping (RadioFault) -> Void
    ) {
        hearing = start.hearing
        decisions = start.decisions
        listeners = Listeners(start.sources, clock: start.clock)
        let now = listeners.present
        receivers = OwnReceiver.all(start.receivers.map(\.id), of: desk.sources.sources, from: now)
        settings = start.settings
        self.mailbox = mailbox
        self.desk = desk
        self.recorder = recorder
        self.marks = marks
        self.tellFault = tellFault
        absence = Absence(lastSeen: start.lastSeen, start: now)
        checkpoints = Checkpoints(at: now)
    }

    /// Works until a signal or the end of the sources. Gives what was wrong with one of them, if anything was.
    mutating func run(_ loop: borrowing EventLoop, reload: () -> Void) -> SourceError? {
        notes.append(Note(kind: .start, text: "regiond \(Version.text) listens to \(desk.sources.text)", at: present))
        var trouble: SourceError?
        var isStopping = false
        while true {
            do throws(SourceError) { try drain() } catch {
                trouble = error
                for place in receivers.indices { noteFault("source failed", at: place) }
            }
            hearing.tick(at: present, into: &decisions)
            for place in receivers.indices { noteHearing(of: place, at: present) }
            tendRadios()
            takeNewRegistry()
            watchWallClock()
            answerPage()
            desk.answerRings { receivers[$0].ring.snapshot(at: listeners.present) }
            handOver(isLast: false)
            if listeners.haveEnded || trouble != nil || isStopping { break }
            for signal in listeners.wait(loop, until: listeners.isBusy ? present : nextDeadline()) {
                switch signal {
                case .stop: isStopping = true
                case .reload: reload()
                }
            }
        }
        listeners.leave()
        let why = trouble.map { "the source failed: \($0)" } ?? "stopped in order"
        notes.append(Note(kind: .stop, text: why, at: present))
        handOver(isLast: true)
        mailbox.close()
        do throws(SourceError) { try recorder?.flush() } catch { trouble = trouble ?? error }
        return trouble
    }

    // MARK: Hearing

    private var present: Instant { listeners.present }

    private mutating func drain() throws(SourceError) {
        listeners.catchUp()
        if listeners.areRadios {
            for place in receivers.indices { hearing.arrival(at: present, of: place) }
        }
        while let (place, input, instant) = try listeners.next() {
            let listener = listeners[place]
            if case .frame = input { record(listener.frame, of: place, at: instant) }
            hearing.take(
                input, by: listener.receiver, of: listener.receivers, from: place, frame: listener.frame, at: instant,
                into: &decisions)
            noteHearing(of: place, at: instant)
            if hearing.tally.reports != reportsBefore {
                reportsBefore = hearing.tally.reports
                receivers[place].lastReport = instant
            }
        }
    }

    /// What a receiver can hear goes into the ledger: whoever asks later must know what the box could not know.
    private mutating func noteHearing(of place: Int, at instant: Instant) {
        if hearing.hasChanges {
            for change in hearing.takeChanges() { note(change) }
        }
        let hears = hearing.hears(place)
        guard receivers[place].hearingChanged(to: hears, at: instant) else { return }
        // A radio says itself why.
        guard !listeners.areRadios, !hearing.isSilent(place) else { return }
        let text = hears ? "the receiver hears again" : "the receiver cannot hear"
        notes.append(Note(kind: .radio, text: receivers[place].prefix + text, at: instant))
    }

    /// Any receiver may have fallen silent by what another one heard.
    private mutating func note(_ change: HearingChange) {
        switch change.kind {
        case .silent(let since, let canary):
            _ = receivers[change.ear].hearingChanged(to: false, at: since)
            let text = "nothing is heard any more where \(canary ? "a canary was" : "many were") heard"
            notes.append(Note(kind: .radio, text: receivers[change.ear].prefix + text, at: change.at))
        case .heard: noteHearing(of: change.ear, at: change.at)
        }
    }

    /// Lets live radios know what comes of them, and takes down what they did.
    private mutating func tendRadios() {
        listeners.tell(hearing)
        for place in receivers.indices {
            guard let radio = listeners[place].radio else { continue }
            for text in radio.takeNotes() {
                notes.append(Note(kind: .radio, text: receivers[place].prefix + text, at: present))
            }
            let status = radio.status
            // On its way to scanning it is on for some milliseconds: nothing to tell a person.
            guard status.state != receivers[place].radioState, status.state != .poweredOn else { continue }
            receivers[place].radioState = status.state
            if status.state == .silent || status.state == .lost { noteFault(status.state.rawValue, at: place) }
            let remedy = status.state.isListening ? "" : " \(status.state.remedy)"
            Console.say("Radio: \(receivers[place].prefix)\(status.message)\(remedy)")
        }
    }

    /// Keeps a frame in the ring, and in the recording if there is one. A recording that fails ends; listening goes
    /// on.
    private mutating func record(_ frame: borrowing FrameBuffer, of place: Int, at instant: Instant) {
        let time = listeners.clock.anchor.wallTime(at: instant)
        receivers[place].ring.append(frame, at: instant, time: time)
        do throws(SourceError) {
            try recorder?.append(frame.bytes, at: time)
        } catch {
            recorder = nil
            marks.recordingEnded()
            Console.say("The recording has ended: \(error)")
        }
    }

    /// Something is wrong with a receiver: what it heard before is kept.
    private func noteFault(_ why: String, at place: Int) {
        let time = listeners.clock.anchor.wallTime(at: present)
        tellFault(
            RadioFault(
                why: why, receiver: receivers.count > 1 ? receivers[place].id : nil, time: time,
                ring: receivers[place].ring.snapshot(at: present)))
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
        listeners.clock.follow(now)
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
            listeners.watched()
            var field = hearing.engine.field(at: present)
            let ears = receivers.indices.map { place in
                RadioDesk.Ear(
                    receiver: receivers[place].id,
                    // The only source may name receivers: then it hears while any of them does.
                    listening: receivers.count > 1 ? hearing.hears(place) : field.listening,
                    lastReport: receivers[place].lastReport, radio: listeners[place].radio?.status)
            }
            field.radios = receivers.indices.compactMap { place in
                ears[place].radio.map {
                    FieldState.ReceiverRadio(
                        receiver: ears[place].receiver, sourceText: receivers[place].sourceText, status: $0)
                }
            }
            field.reports = hearing.tally.reports
            field.withoutRSSI = hearing.tally.withoutRSSI
            field.discards = hearing.tally.discards
            return RadioDesk.Answer(field: field, anchor: listeners.clock.anchor, ears: ears)
        }
    }

    /// Gives the store lane what there is.
    private mutating func handOver(isLast: Bool) {
        let holdsSomething = !decisions.isEmpty || !notes.isEmpty
        let present = listeners.present
        let rows = checkpoints.rows(
            at: present, isLast: isLast, hasEvents: !decisions.events.isEmpty, commits: holdsSomething
        ) { hearing.engine.snapshot(at: present).presences }
        guard holdsSomething || rows.isWhole || !rows.presences.isEmpty else { return }
        var batch = LedgerBatch(upTo: present, anchor: listeners.clock.anchor, settings: settings)
        batch.notes = notes
        batch.take(decisions)
        batch.checkpoint = rows.presences
        if rows.isWhole {
            for place in receivers.indices { batch.listening += receivers[place].spans.take(until: present) }
            batch.loudest = hearing.engine.loudest
        }
        decisions = Decisions()
        notes.removeAll()
        mailbox.put(batch) { hearing.engine.snapshot(at: present).presences }
    }
}
