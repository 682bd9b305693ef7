// SPDX-License-Identifier: GPL-2.0-or-later

import RegionCore
import Time

/// Stops 2 to 4 of an advertisement's way in one place: parse, count, look up, decide. `run` and `replay` share it, so
/// that a capture replays to the events that were live.
///
/// It also tells a deaf receiver from an empty hall: the engine is deaf while the source says so, or while the silence
/// of its reports is taken for deafness.
struct Hearing {
    var engine: RegionEngine
    private(set) var tally = AirTally()
    /// Nil while a frame is parsed: then they are out of the way, since what is done with a reading changes the rest.
    private var chains: ReportChains? = ReportChains()
    private var watch = SilenceWatch()
    private var changes: [HearingChange] = []
    /// Whether the source says that the receiver can hear.
    private var sourceHears = true
    /// No more input will come, so that no silence means anything.
    private var hasEnded = false

    init(engine: RegionEngine) { self.engine = engine }

    /// The last report that carried data.
    var lastReport: Instant? { watch.lastReport }
    /// Whether the receiver can hear, as far as anybody can tell.
    var hears: Bool { sourceHears && !watch.isSilent }
    /// Whether the receiver is taken for deaf because it fell silent.
    var isSilent: Bool { watch.isSilent }

    /// Takes one input of a source; allocates nothing unless something is decided.
    mutating func take(
        _ input: SourceInput, frame: borrowing FrameBuffer, at instant: Instant, into decisions: inout Decisions
    ) {
        declareSilence(before: instant, into: &decisions)
        switch input {
        case .frame: take(frame, at: instant, into: &decisions)
        case .sighting(let sighting):
            // It comes decoded, from somebody who listened: no census is taken of these, and the horizon stays the
            // present.
            tally.add(sighting)
            engine.observe(sighting, at: instant, into: &decisions)
        case .listening(let on): sourceListens(on, at: instant, into: &decisions)
        case .window(let open):
            watch.window(open: open, at: instant)
            engine.window(open: open, at: instant, into: &decisions)
        case .tick: engine.tick(at: instant, into: &decisions)
        }
    }

    /// Time passed: lets due deadlines fire, and a silence become deafness.
    mutating func tick(at instant: Instant, into decisions: inout Decisions) {
        declareSilence(before: instant, into: &decisions)
        engine.tick(at: instant, into: &decisions)
    }

    /// When there is next something to decide if nothing comes in before.
    mutating func nextDeadline() -> Instant? {
        let deadline = engine.nextDeadline()
        guard let silence = silentAt.map({ $0 + .nanoseconds(1) }) else { return deadline }
        return deadline.map { min($0, silence) } ?? silence
    }

    /// The input is over, and what follows is no silence of the receiver: it is taken to have listened to the end.
    mutating func endOfInput() {
        hasEnded = true
        engine.bound(horizon: nil)
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
        _ frame: borrowing FrameBuffer, at instant: Instant, into decisions: inout Decisions
    ) {
        var chains = self.chains.take() ?? ReportChains()
        var carriesData = false
        let reports = AdvertisingParser.parse(frame, joining: &chains, at: instant) { reading in
            tally.add(reading)
            switch reading {
            case .sighting(let sighting):
                hear(
                    sighting.advertiser, isCanary: engine.isCanary(sighting.beacon), isFirst: !carriesData,
                    at: instant, into: &decisions)
                carriesData = true
                engine.observe(sighting, at: instant, into: &decisions)
            case .discard(.empty, _), .discard(_, from: nil): break
            case .discard(_, let advertiser):
                hear(advertiser, isCanary: false, isFirst: !carriesData, at: instant, into: &decisions)
                carriesData = true
            }
        }
        self.chains = consume chains
        tally.add(reports: reports)
        // While the source is deaf its clock stands still anyway.
        if carriesData, sourceHears { engine.bound(horizon: watch.horizon) }
    }

    /// Somebody was heard who sends data.
    private mutating func hear(
        _ advertiser: DeviceAddress?, isCanary: Bool, isFirst: Bool, at instant: Instant,
        into decisions: inout Decisions
    ) {
        if isFirst {
            if watch.isSilent { endSilence(at: instant, into: &decisions) }
            engine.heard(at: instant, into: &decisions)
        }
        guard let advertiser else { return }
        watch.heard(advertiser, isCanary: isCanary, at: instant)
    }

    // MARK: Deafness

    private var silentAt: Instant? { sourceHears && !hasEnded ? watch.silentAt : nil }

    private mutating func declareSilence(before instant: Instant, into decisions: inout Decisions) {
        guard sourceHears, !hasEnded, let silence = watch.declare(before: instant) else { return }
        engine.listening(false, at: silence.at, into: &decisions)
        changes.append(.silent(since: silence.since, at: silence.at, canary: silence.canary))
    }

    private mutating func endSilence(at instant: Instant, into decisions: inout Decisions) {
        if sourceHears { engine.listening(true, at: instant, into: &decisions) }
        changes.append(.heard(at: instant))
    }

    /// The source lost the receiver, or has it back. Then nothing is known of what follows until a report comes, if
    /// there was company before; a receiver that fell silent is deaf until then anyway.
    private mutating func sourceListens(_ on: Bool, at instant: Instant, into decisions: inout Decisions) {
        guard on != sourceHears else { return }
        sourceHears = on
        if on { watch.resume(at: instant) }
        guard !watch.isSilent else { return }
        engine.listening(on, at: instant, into: &decisions)
        if on, watch.isBounded { engine.bound(horizon: instant) }
    }
}

/// The receiver fell silent, or was heard again.
enum HearingChange: Equatable {
    /// Taken for deaf since `at`, for want of a report since `since`; `canary`: a canary is among what fell silent.
    case silent(since: Instant, at: Instant, canary: Bool)
    /// A report that carries data came after that.
    case heard(at: Instant)
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
