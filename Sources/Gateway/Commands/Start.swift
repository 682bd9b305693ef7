// SPDX-License-Identifier: GPL-2.0-or-later

import RegionCore
import RegistryJSON
import StoreSQLite
import Time

/// What a run begins with: the engine as the run before left it, under the registry of now.
struct Start {
    let hearing: Hearing
    let decisions: Decisions
    /// In the order in which they were named; so are the receivers that they are.
    let sources: [any FrameSource]
    let clock: SourceClock
    let settings: Int64
    let receivers: [ReceiverEntry]
    let newestSeqBefore: Int64
    /// The calendar time up to which the run before is stored, where only a synchronised clock can tell how long ago
    /// that was.
    let lastSeen: WallTime?
    /// What a person at the terminal should know of it.
    private(set) var story: [String] = []

    init(
        store: EventStore, sources: SourceList, configuration: Configuration, loaded: LoadedRegistry, seed: UInt64
    ) throws(GatewayError) {
        let now = BoxClock.anchor()
        receivers = try loaded.receivers(of: sources, gateway: store.facts.gateway)
        newestSeqBefore = store.newestSeq
        do throws(StoreError) {
            let boot: String
            if sources.sourceKind == .radio {
                clock = SourceClock(live: now)
                boot = BoxClock.bootId()
            } else {
                clock = SourceClock(
                    start: try Self.sourceStart(of: sources.first, in: store, now: now.wallTime),
                    speed: sources.first.speed, now: now)
                // Played time has no boot: between runs it is placed by its labels, which are exact.
                boot = "\(BoxClock.bootId())-\(now.instant.nanoseconds)"
            }
            let restored = try store.restore(bootId: boot, anchor: clock.anchor, clockTrusted: !clock.isLive)
            try store.beginRun(bootId: boot, anchor: clock.anchor, why: restored == nil ? "first start" : "start")
            if case .unknown? = restored?.away { lastSeen = restored?.lastSeen } else { lastSeen = nil }
            settings = try store.settingsVersion(
                registry: loaded.text, configuration: configuration.text, at: now.wallTime)
            var decisions = Decisions()
            var hearing = Hearing(
                engine: Self.engine(
                    restored, loaded: loaded, configuration: configuration, receivers: receivers,
                    at: clock.anchor.instant, seed: seed, into: &decisions))
            for (place, receiver) in receivers.enumerated().dropFirst() {
                let ear = hearing.listen(as: receiver)
                precondition(ear == place, "an ear of the hearing is not its source")
            }
            self.hearing = hearing
            self.decisions = decisions
            if let restored { story.append(Self.account(of: restored, decisions)) }
        } catch { throw GatewayError(error) }
        var opened: [any FrameSource] = []
        for source in sources.sources { opened.append(try source.open(at: clock.beginning, until: nil)) }
        self.sources = opened
    }

    private static func sourceStart(
        of source: SourceText, in store: EventStore, now: WallTime
    ) throws(StoreError) -> WallTime {
        if source.from == nil, let start = try store.sourceStart(), start <= now { return start }
        let played = Duration.seconds(decimal: (source.from ?? .zero).inSeconds / source.speed)
        let start = WallTime(microseconds: now.microseconds - played.wholeNanoseconds / 1_000)
        try store.setSourceStart(start)
        return start
    }

    /// The state is taken up under the registry it was decided under, then that of now takes effect, as at a reload.
    private static func engine(
        _ restored: RestoredState?, loaded: LoadedRegistry, configuration: Configuration, receivers: [ReceiverEntry],
        at start: Instant, seed: UInt64, into decisions: inout Decisions
    ) -> RegionEngine {
        let before = restored?.registry.flatMap { try? RegistryReader.read(Array($0.utf8)) }
        let old = before.map {
            Registry(venue: configuration.applied(to: $0), seed: seed, defaults: configuration.defaults)
        }
        var engine = RegionEngine(registry: old ?? loaded.registry, receiver: receivers[0], at: start, seed: seed)
        // Before what the run before knew: it names them.
        for receiver in receivers.dropFirst() { _ = engine.receiver(own: receiver) }
        if let restored { engine.restore(restored.snapshot, away: restored.away, at: start, into: &decisions) }
        if old != nil { engine.replaceRegistry(loaded.registry, at: start, into: &decisions) }
        return engine
    }

    private static func account(of restored: RestoredState, _ decisions: Decisions) -> String {
        let away =
            switch restored.away {
            case .known(let span): "away \(Int(span.inSeconds)) s"
            case .unknown: "away for a time the clock cannot tell"
            }
        return "Restored: \(restored.snapshot.presences.count) inside, \(away), "
            + "\(decisions.events.count) events from it; the last run "
            + (restored.snapshot.isClean ? "stopped in order." : "did not stop in order.")
    }
}
