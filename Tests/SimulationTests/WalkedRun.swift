// SPDX-License-Identifier: GPL-2.0-or-later

import EngineProperties
import RegionCore
import Time

/// An engine that is fed the steps of a walked hall, held to the properties at each of them.
struct WalkedRun {
    private(set) var engine: RegionEngine
    private(set) var decisions = Decisions()
    private(set) var checker: PropertyChecker
    /// Members of rooms that are not near them, and the other way round; empty is what every test wants.
    private(set) var misplaced: [String] = []
    private let hall: WalkedHall
    private var venue: Venue
    private var kept = EngineSnapshot()
    /// The engine's number of each of the hall's receivers.
    private var numbers: [Int] = []
    private var checked = 0
    private var ahead = Duration.zero

    /// A run of a whole hall; all instants that much later.
    init(_ hall: WalkedHall, steps: [WalkedHall.Step]? = nil, shifted shift: Duration = .zero) {
        self.hall = hall
        venue = hall.venue
        let steps = steps ?? hall.steps
        checker = PropertyChecker(each: WalkedHall.each, allowsLateWakes: true)
        engine = RegionEngine(
            registry: Registry(venue: venue), receiver: hall.receivers[0].entry,
            at: .boot - .seconds(3) + shift)
        connect()
        for step in steps { take(step, shift) }
        checker.finish(at: hall.end + .seconds(160))
    }

    var events: [RegionEvent] { decisions.events }

    private mutating func connect() {
        numbers = hall.receivers.map {
            $0.sendsMessages ? engine.receiver(named: $0.entry.id) : engine.receiver(own: $0.entry)
        }
    }

    private mutating func take(_ step: WalkedHall.Step, _ shift: Duration) {
        let instant = moment(of: step, shift)
        let receiver = numbers[step.receiver]
        switch step.input {
        case .sighting(let sighting):
            engine.heard(by: receiver, at: instant, into: &decisions)
            engine.observe(sighting, by: receiver, at: instant, into: &decisions)
        case .heartbeat: engine.heard(by: receiver, at: instant, into: &decisions)
        case .listening(let on):
            if on, hall.receivers[step.receiver].sendsMessages {
                engine.heard(by: receiver, at: instant, into: &decisions)
            }
            engine.listening(on, of: receiver, at: instant, into: &decisions)
        case .window(let open): engine.window(open: open, of: receiver, at: instant, into: &decisions)
        case .tick:
            engine.tick(at: instant, into: &decisions)
            // To ask changes nothing.
            _ = engine.nextDeadline()
        case .reload(let next):
            venue = next
            engine.replaceRegistry(Registry(venue: next), at: instant, into: &decisions)
            checker.noteReload(at: engine.present)
        case .stop:
            engine.tick(at: instant, into: &decisions)
            kept = engine.snapshot(at: instant)
        case .start(let away):
            engine = RegionEngine(
                registry: Registry(venue: venue), receiver: hall.receivers[0].entry, at: instant)
            connect()
            let placed = away == .unknown ? kept.shifted(by: instant - kept.takenAt) : kept
            engine.restore(placed, away: away, at: instant, into: &decisions)
        case .awayKnown(let away): engine.awayKnown(away, at: instant, into: &decisions)
        }
        check(step)
    }

    /// The box's own clock may lag behind that of a receiver, and a restart does not change that.
    private mutating func moment(of step: WalkedHall.Step, _ shift: Duration) -> Instant {
        let instant = step.instant + shift
        if case .stop = step.input { ahead = max(.zero, engine.present - instant) }
        return switch step.input {
        case .stop, .start, .awayKnown: instant + ahead
        case .sighting, .heartbeat, .listening, .window, .tick, .reload: instant
        }
    }

    private mutating func check(_ step: WalkedHall.Step) {
        guard decisions.events.count > checked else { return }
        checker.take(decisions.events[checked...])
        checked = decisions.events.count
        for region in venue.regions ?? [] {
            guard let receivers = region.receivers else { continue }
            let stations = Set(
                venue.receivers.filter { receivers.contains($0.id) || receivers.contains($0.station) }
                    .map(\.station))
            let expected = (checker.inside["hall"] ?? []).filter { beacon in
                region.scope.contains(beacon) && checker.nearest[beacon].map { stations.contains($0) } ?? false
            }
            if expected != checker.inside[region.identifier] ?? [] {
                misplaced.append(
                    "\(region.identifier) at \(step.arrival.seconds): \(expected.map(\.minor)) are near, "
                        + "\((checker.inside[region.identifier] ?? []).map(\.minor)) in it")
            }
        }
    }
}
