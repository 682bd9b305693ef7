// SPDX-License-Identifier: GPL-2.0-or-later

import Time

/// The one owner of the scan state: decides what is done with the adapter, and when.
///
/// It asks for one thing at a time (`next`) and is told how that went. What the engine must know of it comes out as
/// inputs, what the ledger must know as notes. It begins deaf, and is deaf whenever nothing says that the scan is on.
///
/// Recovery climbs a ladder, each step with a longer pause than the one before: the scan off and on, the parameters
/// anew, a reset of the adapter, another adapter (where the source leaves the choice) or the same one opened anew.
public struct ScanControl: Sendable {
    /// What the owner of the socket does for it.
    public enum Request: Equatable, Sendable {
        /// See which adapters there are; answered by `looked` or `failed`.
        case look
        /// Open a socket to this adapter; nil: to the socket of the choice. Answered by `opened` or `failed`.
        case open(Adapter?)
        /// Send it; answered by an event, or by `failed` at once.
        case send(HCICommand)
        /// Close the socket.
        case close
    }

    /// Why a request could not be carried out.
    public enum Fault: Equatable, Sendable {
        /// The kernel or the sandbox knows no Bluetooth sockets.
        case unsupported(String)
        /// The right is missing.
        case notPermitted
        /// The adapter is powered off.
        case down
        /// The adapter is held off by rfkill.
        case blocked
        /// The adapter is not there.
        case gone
        /// Anything else, in words.
        case other(String)
    }

    /// A step of recovery.
    enum Step: String {
        case toggle, parameters, reset
        case nextAdapter = "next adapter"
    }

    /// How long it waits for what.
    enum Pace {
        /// Power and presence of the adapter in use are looked at so often: an ioctl.
        static let look = Duration.seconds(1)
        /// A missing adapter is looked for after this, later after twice as long …
        static let firstSearch = Duration.milliseconds(500)
        /// … up to this: an adapter is in use within 5 s of its being there.
        static let longestSearch = Duration.seconds(4)
        /// A missing right or system does not come back by itself.
        static let longestWait = Duration.seconds(60)
        /// The kernel gives a command up after 2 s; reports may go on meanwhile, so this limits the whole wait.
        static let answer = Duration.milliseconds(2_500)
        /// After a failed step the next one follows after this, later ones after twice as long …
        static let firstRetry = Duration.seconds(1)
        /// A silent radio is given so long to be heard after a step, later twice as long …
        static let firstHearing = Duration.seconds(5)
        /// … both up to this.
        static let longestRetry = Duration.seconds(300)
        /// In a hall where silence is no fault the scan is begun anew after this, later after twice as long: just
        /// beyond the 30 s after which it would have been called a fault elsewhere …
        static let firstQuiet = Duration.seconds(31)
        /// … up to this.
        static let longestQuiet = Duration.seconds(600)
        /// Somebody else's use of the radio is left alone so long, later twice as long: putting the scan back ends a
        /// connect that is under way …
        static let firstPutBack = Duration.seconds(2)
        /// … up to this.
        static let longestPutBack = Duration.seconds(30)
        /// Changes further apart than this begin with the short pause again.
        static let takenMemory = Duration.seconds(60)
        /// What a reset by the kernel takes, with room.
        static let kernelReset = Duration.seconds(2)
    }

    /// What a row of commands is for.
    private enum Purpose { case begin, toggle, reset, rest, resume }

    private enum Phase {
        /// No socket; looks for an adapter when it is due.
        case searching
        /// Found one; the socket is being opened.
        case opening(Adapter?)
        /// Commands are on their way.
        case commanding(Purpose)
        /// The scan is on.
        case listening
        /// The scan is off by plan.
        case resting
        /// Until it is due; then this.
        case waiting(Step)
    }

    private static let never = Instant(nanoseconds: .max)

    private let choice: AdapterChoice
    private let duty: Duty
    /// How the radio stands.
    public private(set) var status: RadioStatus
    private var phase = Phase.searching
    private var due: Instant
    private var isOpen = false
    private var wasInUse = false
    private var known: Adapter?
    /// Adapters that other scans of this box own: two scans on one end each other.
    public var othersAdapters: [DeviceAddress] = []
    private var avoided: DeviceAddress?
    private var supportsExtended: Bool?
    private var queue: [HCICommand] = []
    private var pending: HCICommand?
    private var answerBy: Instant
    private var nextLook: Instant
    private var lookedAt: Instant
    private var wasDisturbed = false

    private var isHearing = true
    private var isWindowOpen = false
    private var searchPause = Pace.firstSearch
    private var retryPause = Pace.firstRetry
    private var hearingPause = Pace.firstHearing
    private var quietPause = Pace.firstQuiet
    private var putBackPause = Pace.firstPutBack
    private var takenAt: Instant?
    /// When a silent radio is helped further, and how.
    private var help: (at: Instant, step: Step)?
    private var quietDue: Instant
    private var heardAt: Instant

    /// When the planned window ends, or the pause.
    private var dutyChange: Instant?

    private var inputs: [(SourceInput, Instant)] = []
    private var notes: [String] = []

    /// The owner of a scan that has not begun.
    public init(_ choice: AdapterChoice, duty: Duty, at start: Instant) {
        self.choice = choice
        self.duty = duty
        status = RadioStatus(state: .resetting, since: start, duty: duty)
        (due, answerBy, nextLook, lookedAt, heardAt) = (start, start, start, start, start)
        quietDue = start + Pace.firstQuiet
        hear(false, at: start)
    }

    // MARK: What to do

    /// What is to be done now; nil: nothing before `wakeAt` or the next answer.
    public mutating func next(at now: Instant) -> Request? {
        while true {
            switch phase {
            case .searching:
                if isOpen {
                    isOpen = false
                    return .close
                }
                guard now >= due else { return nil }
                if case .socket = choice { phase = .opening(nil) } else { return .look }
            case .opening(let adapter): return .open(adapter)
            case .commanding(let purpose):
                if let pending {
                    guard now >= answerBy else { return look(at: now) }
                    fail("\(pending.opcode.name) was not answered.", at: now)
                } else if queue.isEmpty {
                    finish(purpose, at: now)
                } else {
                    let command = queue.removeFirst()
                    pending = command
                    answerBy = now + Pace.answer
                    return .send(command)
                }
            case .waiting(let step):
                guard now >= due else { return look(at: now) }
                begin(step, at: now)
            case .listening, .resting:
                guard let (purpose, step) = nextPurpose(at: now) else { return look(at: now) }
                if let step { begin(step, at: now) } else { command(purpose) }
            }
        }
    }

    /// When `next` has to be asked again, if nothing happens before.
    public var wakeAt: Instant {
        var wake = isLookedAt ? nextLook : Self.never
        switch phase {
        case .searching, .waiting: wake = min(wake, due)
        case .opening: wake = due
        case .commanding: wake = min(wake, answerBy)
        case .listening: wake = min(wake, help?.at ?? quietDue, dutyChange ?? Self.never)
        case .resting: wake = min(wake, dutyChange ?? Self.never)
        }
        return wake
    }

    /// A socket of our own has no adapter of the kernel's behind it.
    private var isLookedAt: Bool {
        if case .socket = choice { return false }
        return isOpen
    }

    private mutating func look(at now: Instant) -> Request? {
        guard isLookedAt, now >= nextLook else { return nil }
        nextLook = now + Pace.look
        return .look
    }

    /// What is due while the scan is on, or off by plan.
    private mutating func nextPurpose(at now: Instant) -> (Purpose, Step?)? {
        if let change = dutyChange, now >= change {
            if case .listening = phase { return (.rest, nil) }
            return (.resume, nil)
        }
        guard case .listening = phase else { return nil }
        if let help {
            guard now >= help.at else { return nil }
            return (.begin, help.step)
        }
        guard now >= quietDue else { return nil }
        quietPause = min(quietPause * 2, Pace.longestQuiet)
        note("recovery: toggle: nothing was heard; a working radio in an empty hall is not harmed by it")
        return (.toggle, nil)
    }

    // MARK: Answers

    /// These adapters are there.
    public mutating func looked(_ adapters: [Adapter], at now: Instant) {
        guard isOpen else { return choose(from: adapters, at: now) }
        guard let known else { return }
        let ours = adapters.first { $0.address == known.address }
        if ours == known {
            lookedAt = now
            return
        }
        // It was as it should be at the last look; since when not, nobody knows.
        hear(false, at: lookedAt)
        if ours?.isBlocked == true {
            drop(.blocked, "It is \(known.name).", at: now)
        } else if ours?.isUp == false {
            drop(.poweredOff, "It is \(known.name).", at: now)
        } else {
            drop(.lost, ours.map { "\(known.name) is \($0.name) now." } ?? gone, at: now)
        }
    }

    /// The adapter that is this scan's: the one it was found with, or was told by address; nil: none yet.
    public var ownAdapter: DeviceAddress? {
        if case .address(let address) = choice { address } else { known?.address }
    }

    private mutating func choose(from adapters: [Adapter], at now: Instant) {
        searchAgain(at: now)
        let free = adapters.filter { !othersAdapters.contains($0.address) }
        guard let adapter = choice.pick(from: free, known: known?.address, avoided: avoided) else {
            let others = adapters.map(\.name).joined(separator: ", ")
            let detail = others.isEmpty ? nil : "There are others: \(others)."
            return wasInUse ? set(.lost, gone, at: now) : set(.noAdapter, detail, at: now)
        }
        status.adapter = adapter.name
        if adapter.isBlocked { return set(.blocked, "It is \(adapter.name).", at: now) }
        if !adapter.isUp { return set(.poweredOff, "It is \(adapter.name).", at: now) }
        phase = .opening(adapter)
    }

    /// A socket to the adapter is open.
    public mutating func opened(at now: Instant) {
        guard case .opening(let adapter) = phase else { return }
        isOpen = true
        wasInUse = true
        lookedAt = now
        if adapter?.address != known?.address { supportsExtended = nil }
        known = adapter ?? known
        if case .socket(let path) = choice { status.adapter = path }
        nextLook = now + Pace.look
        command(.begin)
    }

    /// A request could not be carried out.
    public mutating func failed(_ fault: Fault, at now: Instant) {
        let it = known.map { "It is \($0.name)." }
        switch fault {
        case .unsupported(let detail): dropSlowly(.unsupported, detail, at: now)
        case .notPermitted: dropSlowly(.unauthorised, nil, at: now)
        case .down: drop(.poweredOff, it, at: now)
        case .blocked: drop(.blocked, it, at: now)
        case .gone: drop(wasInUse ? .lost : .noAdapter, wasInUse ? gone : nil, at: now)
        case .other(let detail):
            if case .commanding = phase { fail(detail, at: now) } else { drop(.lost, detail, at: now) }
        }
    }

    /// The controller, or the kernel for it, said something; other events are passed over.
    public mutating func event(_ frame: Span<UInt8>, at now: Instant) {
        guard let answer = HCIAnswer(frame) else { return }
        switch answer {
        case .hardwareError(let code):
            status.resets += 1
            drop(.resetting, "It reported a hardware error, \(HCIStatus.number(code)).", at: now)
            due = now + Pace.kernelReset
        case .done(let opcode, let status, let supportsExtendedScan):
            if let pending, pending.opcode.rawValue == opcode {
                answered(pending, status: status, supportsExtendedScan: supportsExtendedScan, at: now)
            } else if status == 0, let other = HCIOpcode(rawValue: opcode), other.changesScan {
                disturbed(by: other, at: now)
            }
        }
    }

    private mutating func answered(
        _ command: HCICommand, status code: UInt8, supportsExtendedScan: Bool, at now: Instant
    ) {
        pending = nil
        guard code == 0 || command.endsScan else {
            return fail("\(command.opcode.name) was answered with \(HCIStatus.text(code)).", at: now)
        }
        if command.opcode == .readLocalSupportedCommands {
            supportsExtended = supportsExtendedScan
            queue += scanCommands
            // It answers, so that the right is there too: opening the socket alone would not show that.
            if status.state != .silent { set(.poweredOn, nil, at: now) }
        }
    }

    /// Somebody else changed the scan, or reset the adapter. Several commands in a row are one change.
    private mutating func disturbed(by opcode: HCIOpcode, at now: Instant) {
        switch phase {
        case .searching, .opening, .waiting: return
        case .commanding: wasDisturbed = true
        case .listening, .resting: putBack(after: opcode, at: now)
        }
    }

    private mutating func putBack(after opcode: HCIOpcode?, at now: Instant) {
        let isNew = takenAt.map { now - $0 > Pace.takenMemory } ?? true
        if isNew { putBackPause = Pace.firstPutBack }
        takenAt = now
        status.taken += 1
        hear(false, at: now)
        note("taken: another program changed the scan" + (opcode.map { " (\($0.name))" } ?? ""))
        set(opcode == .reset ? .resetting : .paused, nil, at: now)
        phase = .waiting(.parameters)
        due = now + putBackPause
        putBackPause = min(putBackPause * 2, Pace.longestPutBack)
    }

    private var gone: String { "\(status.adapter ?? "The adapter") is gone." }

    /// The socket broke: the adapter was unplugged, at some time after the given one. What came after that was no
    /// silence that anybody heard.
    public mutating func broke(at now: Instant, workedUntil: Instant) {
        hear(false, at: workedUntil)
        failed(.gone, at: now)
    }

    // MARK: Hearing

    /// The last report that carried data came at this instant.
    public mutating func heard(at instant: Instant) {
        guard instant > heardAt else { return }
        heardAt = instant
        quietPause = Pace.firstQuiet
        quietDue = instant + quietPause
        guard case .listening = phase else { return }
        help = nil
        avoided = nil
        retryPause = Pace.firstRetry
        hearingPause = Pace.firstHearing
        if status.state == .silent { set(.scanning, "It is heard again.", at: instant) }
    }

    /// The silence is taken for deafness.
    public mutating func silent(at now: Instant) {
        guard status.state == .scanning else { return }
        set(.silent, nil, at: now)
        help = (now, .toggle)
    }

    // MARK: Steps

    private mutating func begin(_ step: Step, at now: Instant) {
        help = nil
        note("recovery: \(step.rawValue)")
        switch step {
        case .toggle: command(.toggle)
        case .parameters: command(.begin)
        case .reset: command(.reset)
        case .nextAdapter:
            avoided = known?.address
            phase = .searching
            due = now
        }
    }

    private mutating func command(_ purpose: Purpose) {
        phase = .commanding(purpose)
        pending = nil
        wasDisturbed = false
        let extended = supportsExtended ?? false
        switch purpose {
        case .begin:
            queue =
                supportsExtended == nil ? [HCICommand(opcode: .readLocalSupportedCommands)] : scanCommands
        case .toggle: queue = [.scan(false, extended: extended), .scan(true, extended: extended)]
        case .reset: queue = HCICommand.reset(extended: extended) + scanCommands
        case .rest: queue = [.scan(false, extended: extended)]
        case .resume: queue = [.scan(true, extended: extended)]
        }
    }

    /// Off first, whatever a program before us left on: parameters are refused while the scan is on.
    private var scanCommands: [HCICommand] {
        let extended = supportsExtended ?? false
        return [.scan(false, extended: extended), .scanParameters(extended: extended), .scan(true, extended: extended)]
    }

    /// All commands of a row were carried out.
    private mutating func finish(_ purpose: Purpose, at now: Instant) {
        phase = purpose == .rest ? .resting : .listening
        searchPause = Pace.firstSearch
        if wasDisturbed { return putBack(after: nil, at: now) }
        switch purpose {
        case .rest: window(open: false, at: now)
        case .resume: window(open: true, at: now)
        case .begin, .toggle, .reset:
            status.restarts += 1
            if purpose == .reset { status.resets += 1 }
            began(by: purpose, at: now)
        }
        dutyChange = duty.nextChange(after: now)?.moment
    }

    /// The scan is on again.
    private mutating func began(by purpose: Purpose, at now: Instant) {
        quietDue = now + quietPause
        if status.state == .silent {
            // It is on, and nothing shows yet that it hears.
            help = (now + hearingPause, Self.step(after: purpose))
            hearingPause = min(hearingPause * 2, Pace.longestRetry)
            return
        }
        let kind = supportsExtended == true ? "extended" : "legacy"
        set(.scanning, "\(status.adapter ?? "It"): \(kind) scan, \(duty.rawValue).", at: now)
        hear(true, at: now)
        window(open: true, at: now)
    }

    /// A scan that was begun anew within a window goes on with it.
    private mutating func window(open: Bool, at now: Instant) {
        guard duty.cycleLength != nil, open != isWindowOpen else { return }
        isWindowOpen = open
        inputs.append((.window(open: open), now))
    }

    /// What is tried when this did not help.
    private static func step(after purpose: Purpose) -> Step {
        switch purpose {
        case .toggle, .rest, .resume: .parameters
        case .begin: .reset
        case .reset: .nextAdapter
        }
    }

    /// A step did not work.
    private mutating func fail(_ detail: String, at now: Instant) {
        guard case .commanding(let purpose) = phase else { return }
        pending = nil
        queue = []
        hear(false, at: now)
        set(.lost, detail, at: now)
        phase = .waiting(Self.step(after: purpose))
        due = now + retryPause
        retryPause = min(retryPause * 2, Pace.longestRetry)
    }

    /// The adapter cannot be used as it is: the socket is closed, and it is looked for again.
    private mutating func drop(_ state: RadioState, _ detail: String?, at now: Instant) {
        hear(false, at: now)
        set(state, detail, at: now)
        pending = nil
        queue = []
        help = nil
        phase = .searching
        searchAgain(at: now)
    }

    /// The same, where time alone mends nothing.
    private mutating func dropSlowly(_ state: RadioState, _ detail: String?, at now: Instant) {
        let pause = max(searchPause, Pace.firstRetry)
        drop(state, detail, at: now)
        due = now + pause
        searchPause = min(pause * 2, Pace.longestWait)
    }

    private mutating func searchAgain(at now: Instant) {
        due = now + searchPause
        searchPause = min(searchPause * 2, max(Pace.longestSearch, searchPause))
    }

    private mutating func hear(_ on: Bool, at now: Instant) {
        guard on != isHearing else { return }
        isHearing = on
        if !on { isWindowOpen = false }  // It was no whole one.
        inputs.append((.listening(on), now))
    }

    private mutating func set(_ state: RadioState, _ detail: String?, at now: Instant) {
        guard state != status.state || detail != status.detail else { return }
        if state != status.state { status.since = now }
        status.state = state
        status.detail = detail
        note("\(state.rawValue): \(detail ?? state.sentence)")
    }

    private mutating func note(_ text: String) { notes.append(text) }

    // MARK: Outcomes

    /// The oldest input that was not taken yet.
    public mutating func takeInput() -> (input: SourceInput, instant: Instant)? {
        inputs.isEmpty ? nil : inputs.removeFirst()
    }

    /// What happened since the last call, one sentence each, oldest first.
    public mutating func takeNotes() -> [String] {
        defer { notes = [] }
        return notes
    }

    /// What leaves the adapter as it was found: nothing where the scan is not on by us.
    public var farewell: HCICommand? {
        guard isOpen, case .listening = phase else { return nil }
        return .scan(false, extended: supportsExtended ?? false)
    }
}
