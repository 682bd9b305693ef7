// SPDX-License-Identifier: GPL-2.0-or-later

import HallSimulator
import RegionCore
import Time

/// An engine that is fed steps, and all that it decided.
struct EngineRun {
    private(set) var engine: RegionEngine
    private(set) var decisions = Decisions()
    private var registry: Registry
    private let receiver: ReceiverEntry
    private var kept = EngineSnapshot()

    init(registry: Registry, receiver: ReceiverEntry, at start: Instant = .boot) {
        self.registry = registry
        self.receiver = receiver
        engine = RegionEngine(registry: registry, receiver: receiver, at: start)
    }

    /// A run of a whole hall.
    init(_ hall: FaultyHall, steps: [FaultyHall.Step]? = nil) {
        let steps = steps ?? hall.steps
        self.init(
            registry: hall.registry, receiver: hall.hall.receiver, at: min(.boot, steps.first?.instant ?? .boot))
        for step in steps { take(step) }
    }

    var events: [RegionEvent] { decisions.events }

    mutating func take(_ step: FaultyHall.Step) {
        let instant = step.instant
        switch step.input {
        case .sighting(let sighting): engine.observe(sighting, at: instant, into: &decisions)
        case .listening(let on): engine.listening(on, at: instant, into: &decisions)
        case .window(let open): engine.window(open: open, at: instant, into: &decisions)
        case .tick: engine.tick(at: instant, into: &decisions)
        case .heard: engine.heard(at: instant, into: &decisions)
        case .horizon(let horizon): engine.bound(horizon: horizon)
        case .reload(let next):
            registry = next
            engine.replaceRegistry(next, at: instant, into: &decisions)
        case .stop:
            engine.tick(at: instant, into: &decisions)
            kept = engine.snapshot(at: instant)
        case .start(let away):
            engine = RegionEngine(registry: registry, receiver: receiver, at: instant)
            // Where the absence is unknown, the store places what it kept as if there had been none.
            let placed = away == .unknown ? kept.shifted(by: instant - kept.takenAt) : kept
            engine.restore(placed, away: away, at: instant, into: &decisions)
        case .awayKnown(let away): engine.awayKnown(away, at: instant, into: &decisions)
        }
    }
}
