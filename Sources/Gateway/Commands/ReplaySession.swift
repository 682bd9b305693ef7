// SPDX-License-Identifier: GPL-2.0-or-later

import Glibc
import JSONText
import RadioCapture
import RegionCore
import StoreSQLite
import Time

/// Where a replay's events get their numbers.
private enum ReplayLedger {
    /// With `--db`.
    case kept(EventStore)
    /// Without.
    case transient(TransientLedger)

    mutating func append(_ batch: LedgerBatch) throws(StoreError) -> [CommittedEvent] {
        switch self {
        case .kept(let store): return try store.append(batch)
        case .transient(var ledger):
            defer { self = .transient(ledger) }
            return ledger.append(batch)
        }
    }
}

/// One replay.
struct ReplaySession: ~Copyable {
    private var hearing: Hearing
    private var source: any FrameSource
    private let capture: CaptureSource?
    private var ledger: ReplayLedger
    private let settings: Int64
    private let options: ReplayOptions
    private var clock: ClockAnchor
    private let epoch: WallTime?
    private var recorder: BtsnoopWriter?

    private var decisions = Decisions()
    private var output = OutputBuffer()
    private var progress = ProgressLine()
    private var events = 0
    private let started = BoxClock.now()

    /// Events written in one transaction: nobody waits for them in virtual time.
    private static let eventsAtOnce = 500
    /// Inputs between two looks at the progress line.
    private static let inputsBetweenLooks = 1 << 16

    private init(
        hearing: Hearing, source: any FrameSource, ledger: ReplayLedger, settings: Int64, options: ReplayOptions,
        clock: ClockAnchor, epoch: WallTime?, recorder: consuming BtsnoopWriter?
    ) {
        self.hearing = hearing
        self.source = source
        capture = source as? CaptureSource
        self.ledger = ledger
        self.settings = settings
        self.options = options
        self.clock = clock
        self.epoch = epoch
        self.recorder = recorder
    }

    static func open(
        source text: SourceText, loaded: LoadedRegistry, configuration: Configuration, options: ReplayOptions,
        beginning: Instant, span: Duration, epoch: WallTime?
    ) throws(GatewayError) -> ReplaySession {
        let source = try text.open(at: beginning, until: beginning + span, skipsBadLines: options.skipsBadLines)
        let receiver = try loaded.receiver(of: text, gateway: configuration.gateway)
        let clock = ClockAnchor(instant: .boot, wallTime: epoch ?? .epoch, synchronised: true)
        var ledger = ReplayLedger.transient(
            TransientLedger(gateway: configuration.gateway, source: text.sourceKind, now: BoxClock.wallNow()))
        var settings: Int64 = 1
        if let path = options.files.database {
            try checkIsNew(path)
            do throws(StoreError) {
                let store = try EventStore(
                    path: path, gateway: configuration.gateway, source: text.sourceKind, now: BoxClock.wallNow())
                try store.beginRun(bootId: "replay", anchor: clock, why: "replay of \(text.text)")
                settings = try store.settingsVersion(
                    registry: loaded.text, configuration: configuration.text, at: clock.wallTime)
                ledger = .kept(store)
            } catch { throw GatewayError(error) }
        }
        return ReplaySession(
            hearing: Hearing(engine: RegionEngine(registry: loaded.registry, receiver: receiver, at: beginning)),
            source: source, ledger: ledger, settings: settings, options: options, clock: clock, epoch: epoch,
            recorder: try BtsnoopWriter.forRecording(options.record))
    }

    /// A store that is there already holds something else.
    private static func checkIsNew(_ path: String) throws(GatewayError) {
        guard unsafe access(path, F_OK) != 0 else {
            throw GatewayError(.failed, "\(path) exists; a replay makes a new store: name another file, or delete it")
        }
    }

    /// Takes every input. What was good before an error stands, and is summed up.
    mutating func play() throws(GatewayError) -> SourceError? {
        var frame = FrameBuffer()
        var inputs = 0
        while true {
            do throws(SourceError) {
                guard let (input, instant) = try source.next(into: &frame) else { return nil }
                if inputs == 0 { anchorToCapture() }
                if case .frame = input { try recorder?.append(frame.bytes, at: clock.wallTime(at: instant)) }
                hearing.take(
                    input, by: source.receiver, of: source.receivers, frame: frame, at: instant, into: &decisions)
            } catch { return error }
            if decisions.events.count >= Self.eventsAtOnce { try store(upTo: hearing.engine.present) }
            inputs += 1
            if inputs % Self.inputsBetweenLooks == 0 { showProgress(inputs) }
        }
    }

    /// Lets every deadline run out.
    mutating func drain() throws(GatewayError) {
        hearing.endOfInput()
        while let deadline = hearing.nextDeadline() {
            hearing.tick(at: deadline, into: &decisions)
            if decisions.events.count >= Self.eventsAtOnce { try store(upTo: deadline) }
        }
    }

    /// A capture says itself when it began.
    private mutating func anchorToCapture() {
        guard epoch == nil, let start = capture?.status.start else { return }
        clock.wallTime = start
    }

    private mutating func showProgress(_ inputs: Int) {
        let share = source.progress.map { " \(Int($0 * 100)) %," } ?? ""
        progress.show("replay:\(share) \(inputs) inputs, \(events + decisions.events.count) events")
    }

    private mutating func store(upTo instant: Instant) throws(GatewayError) {
        var batch = LedgerBatch(upTo: instant, anchor: clock, settings: settings)
        batch.take(decisions)
        decisions = Decisions()
        do throws(StoreError) {
            let form: EventForm = options.json ? .json : .text
            for event in try ledger.append(batch) { output.line(form.line(event)) }
            events += batch.decisions.events.count
        } catch { throw GatewayError(error) }
    }

    /// Stores the rest and sums up: on stderr for people, as the last line for programs.
    mutating func finish() throws(GatewayError) {
        try store(upTo: hearing.engine.present)
        do throws(StoreError) {
            if case .kept(let store) = ledger { try store.endRun(how: EventStore.cleanEnd, at: clock) }
        } catch { throw GatewayError(error) }
        do throws(SourceError) { try recorder?.flush() } catch { throw GatewayError(error) }
        let summary = ReplaySummary(
            tally: hearing.tally, beacons: hearing.engine.heardBeacons, events: events,
            seconds: (BoxClock.now() - started).inSeconds, late: hearing.engine.droppedLate,
            strangers: capture?.receivers.isEmpty == false ? hearing.engine.strangers : [], capture: capture?.status)
        if options.json { output.line(summary.json) }
        output.flush()
        Console.say(summary.text)
    }
}
