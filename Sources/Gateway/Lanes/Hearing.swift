// SPDX-License-Identifier: GPL-2.0-or-later

import RegionCore
import Time

/// Stops 2 to 4 of an advertisement's way in one place: parse, count, look up, decide. `run` and `replay` share it, so
/// that a capture replays to the events that were live.
///
/// It also tells a deaf receiver from an empty hall: a source's own receiver is deaf while the source says so, or while
/// the silence of its reports is taken for deafness.
struct Hearing {
    var engine: RegionEngine
    private(set) var tally = AirTally()
    private var ears: [Ear]
    private var changes: [HearingChange] = []
    /// No more input will come, so that no silence means anything.
    private var hasEnded = false

    /// One source and its own receiver.
    private struct Ear {
        /// The number of its own receiver in the engine.
        let receiver: Int
        /// The numbers of the receivers that its inputs name.
        var named: [Int] = []
        /// Nil while a frame is parsed: then they are out of the way, since what is done with a reading changes the
        /// rest.
        var chains: ReportChains? = ReportChains()
        var watch = SilenceWatch()
        /// Whether the source says that the receiver can hear.
        var sourceHears = true
    }

    /// Hears through one source, whose own receiver is the engine's.
    init(engine: RegionEngine) {
        self.engine = engine
        ears = [Ear(receiver: 0)]
    }

    /// Hears through one more source; gives its number.
    mutating func listen(as receiver: ReceiverEntry) -> Int {
        ears.append(Ear(receiver: engine.receiver(own: receiver)))
        return ears.count - 1
    }

    /// The last report of a source that carried data.
    func lastReport(of ear: Int = 0) -> Instant? { ears[ear].watch.lastReport }
    /// Whether a source's receiver can hear, as far as anybody can tell.
    func hears(_ ear: Int = 0) -> Bool { ears[ear].sourceHears && !ears[ear].watch.isSilent }
    /// Whether a source's receiver is taken for deaf because it fell silent.
    func isSilent(_ ear: Int = 0) -> Bool { ears[ear].watch.isSilent }

    /// Inputs of a source are read at this instant from now on.
    mutating func arrival(at instant: Instant, of ear: Int = 0) {
        engine.arrival(at: instant, of: ears[ear].receiver)
    }

    /// Takes one input of a source; allocates nothing unless something is decided.
    ///
    /// - Parameters:
    ///   - named: the receiver that the input names, a place in `names`; nil: the source's own.
    ///   - ear: the source.
    mutating func take(
        _ input: SourceInput, by named: Int? = nil, of names: @autoclosure () -> [String] = [], from ear: Int = 0,
        frame: borrowing FrameBuffer, at instant: Instant, into decisions: inout Decisions
    ) {
        declareSilences(before: instant, into: &decisions)
        let receiver = named.map { number(of: $0, among: names, at: ear) } ?? ears[ear].receiver
        switch input {
        case .frame: take(frame, from: ear, at: instant, into: &decisions)
        case .sighting(let sighting):
            // It comes decoded, from somebody who listened: no census is taken of these.
            tally.add(sighting)
            if named != nil { engine.heard(by: receiver, at: instant, into: &decisions) }
            engine.observe(sighting, by: receiver, at: instant, into: &decisions)
        case .listening(let on):
            if named == nil {
                sourceListens(on, ear: ear, at: instant, into: &decisions)
            } else {
                if on { engine.heard(by: receiver, at: instant, into: &decisions) }
                engine.listening(on, of: receiver, at: instant, into: &decisions)
            }
        case .window(let open):
            ears[ear].watch.window(open: open, at: instant)
            engine.window(open: open, of: receiver, at: instant, into: &decisions)
        case .tick: engine.tick(at: instant, into: &decisions)
        }
    }

    /// The engine's number of a receiver that inputs name; names come in the order in which they were first used.
    private mutating func number(of place: Int, among names: () -> [String], at ear: Int) -> Int {
        if place >= ears[ear].named.count {
            for name in names().dropFirst(ears[ear].named.count) {
                ears[ear].named.append(engine.receiver(named: name))
            }
        }
        return ears[ear].named[place]
    }

    /// Time passed: lets due deadlines fire, and a silence become deafness.
    mutating func tick(at instant: Instant, into decisions: inout Decisions) {
        declareSilences(before: instant, into: &decisions)
        engine.tick(at: instant, into: &decisions)
    }

    /// When there is next something to decide if nothing comes in before.
    mutating func nextDeadline() -> Instant? {
        var next = engine.nextDeadline()
        for ear in ears.indices {
            guard let silence = silentAt(ear).map({ $0 + .nanoseconds(1) }) else { continue }
            next = next.map { min($0, silence) } ?? silence
        }
        return next
    }

    /// The input is over, and what follows is no silence of the receivers: they are taken to have listened to the end.
    mutating func endOfInput() {
        hasEnded = true
        engine.endOfInput()
    }

    /// Whether anything changed since it was last taken.
    var hasChanges: Bool { !changes.isEmpty }

    /// What changed since the last call, in order.
    mutating func takeChanges() -> [HearingChange] {
        defer { changes.removeAll() }
        return changes
    }

    // MARK: Reports

    /// One frame. A report that carries data moves the horizon before its beacon is observed.
    private mutating func take(
        _ frame: borrowing FrameBuffer, from ear: Int, at instant: Instant, into decisions: inout Decisions
    ) {
        let receiver = ears[ear].receiver
        var chains = ears[ear].chains.take() ?? ReportChains()
        var carriesData = false
        let reports = AdvertisingParser.parse(frame, joining: &chains, at: instant) { reading in
            tally.add(reading)
            switch reading {
            case .sighting(let sighting):
                hear(
                    sighting.advertiser, ear: ear, isCanary: engine.isCanary(sighting.beacon), isFirst: !carriesData,
                    at: instant, into: &decisions)
                carriesData = true
                engine.observe(sighting, by: receiver, at: instant, into: &decisions)
            case .discard(.empty, _), .discard(_, from: nil): break
            case .discard(_, let advertiser):
                hear(advertiser, ear: ear, isCanary: false, isFirst: !carriesData, at: instant, into: &decisions)
                carriesData = true
            }
        }
        ears[ear].chains = consume chains
        tally.add(reports: reports)
        // While the source is deaf its clock stands still anyway.
        if carriesData, ears[ear].sourceHears {
            engine.bound(horizon: ears[ear].watch.horizon, of: receiver)
        }
    }

    /// Somebody was heard who sends data.
    private mutating func hear(
        _ advertiser: DeviceAddress?, ear: Int, isCanary: Bool, isFirst: Bool, at instant: Instant,
        into decisions: inout Decisions
    ) {
        if isFirst {
            if ears[ear].watch.isSilent { endSilence(of: ear, at: instant, into: &decisions) }
            engine.heard(by: ears[ear].receiver, at: instant, into: &decisions)
        }
        guard let advertiser else { return }
        ears[ear].watch.heard(advertiser, isCanary: isCanary, at: instant)
    }

    // MARK: Deafness

    private func silentAt(_ ear: Int) -> Instant? {
        ears[ear].sourceHears && !hasEnded ? ears[ear].watch.silentAt : nil
    }

    private mutating func declareSilences(before instant: Instant, into decisions: inout Decisions) {
        for ear in ears.indices {
            guard ears[ear].sourceHears, !hasEnded, let silence = ears[ear].watch.declare(before: instant)
            else { continue }
            engine.listening(false, of: ears[ear].receiver, at: silence.at, into: &decisions)
            changes.append(
                HearingChange(ear: ear, kind: .silent(since: silence.since, canary: silence.canary), at: silence.at))
        }
    }

    private mutating func endSilence(of ear: Int, at instant: Instant, into decisions: inout Decisions) {
        if ears[ear].sourceHears {
            engine.listening(true, of: ears[ear].receiver, at: instant, into: &decisions)
        }
        changes.append(HearingChange(ear: ear, kind: .heard, at: instant))
    }

    /// The source lost its receiver, or has it back. Then nothing is known of what follows until a report comes, if
    /// there was company before; a receiver that fell silent is deaf until then anyway.
    private mutating func sourceListens(
        _ on: Bool, ear: Int, at instant: Instant, into decisions: inout Decisions
    ) {
        guard on != ears[ear].sourceHears else { return }
        ears[ear].sourceHears = on
        if on { ears[ear].watch.resume(at: instant) }
        guard !ears[ear].watch.isSilent else { return }
        engine.listening(on, of: ears[ear].receiver, at: instant, into: &decisions)
        if on, ears[ear].watch.isBounded { engine.bound(horizon: instant, of: ears[ear].receiver) }
    }
}

/// A source's receiver fell silent, or was heard again.
struct HearingChange: Equatable {
    /// What happened.
    enum Kind: Equatable {
        /// Taken for deaf, for want of a report since then; `canary`: a canary is among what fell silent.
        case silent(since: Instant, canary: Bool)
        /// A report that carries data came after that.
        case heard
    }

    /// The source.
    var ear = 0
    /// What happened.
    var kind: Kind
    /// When.
    var at: Instant
}

/// What came out of the air: counts and check sums that any other decoder of the same bytes must reach.
struct AirTally {
    /// Whole reports.
    private(set) var reports: UInt64 = 0
    /// Sightings of iBeacons.
    private(set) var count: UInt64 = 0
    private(set) var sumMajor: UInt64 = 0
    private(set) var sumMinor: UInt64 = 0
    private(set) var sumPower: Int64 = 0
    private(set) var sumRSSI: Int64 = 0
    /// Of those sightings, how many the adapter gave no RSSI.
    private(set) var withoutRSSI: UInt64 = 0
    private(set) var xorHigh: UInt64 = 0
    private(set) var xorLow: UInt64 = 0
    /// Refused reports by reason.
    private(set) var discards = DiscardCounts()

    mutating func add(reports count: Int) { reports += UInt64(count) }

    mutating func add(_ reading: Reading) {
        switch reading {
        case .sighting(let sighting): count(sighting)
        case .discard(let reason, _): discards[reason] += 1
        }
    }

    mutating func add(_ sighting: Sighting) {
        reports += 1
        count(sighting)
    }

    private mutating func count(_ sighting: Sighting) {
        count += 1
        sumMajor += UInt64(sighting.beacon.major)
        sumMinor += UInt64(sighting.beacon.minor)
        sumPower += Int64(sighting.measuredPower ?? 0)
        sumRSSI += Int64(sighting.rssi)
        if sighting.rssi == Sighting.noRSSI { withoutRSSI += 1 }
        xorHigh ^= sighting.beacon.uuid.high
        xorLow ^= sighting.beacon.uuid.low
    }

    /// The XOR of all UUIDs as 32 hex digits.
    var xorUUID: String {
        [xorHigh, xorLow].map { word in
            let digits = String(word, radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }.joined()
    }
}
