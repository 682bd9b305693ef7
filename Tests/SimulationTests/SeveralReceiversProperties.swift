// SPDX-License-Identifier: GPL-2.0-or-later

import EngineProperties
import HallSimulator
import RegionCore
import Testing
import Time

/// The properties of the engine's rules, and what several receivers add to them, over walked corridors with faults.
struct SeveralReceiversProperties {
    @Test(arguments: seeds)
    func `alternation, occupancy, order, telling and membership hold whatever receivers do`(seed: UInt64) {
        let hall = WalkedHall(seed: seed, faults: .all)
        let run = WalkedRun(hall)
        #expect(run.checker.violations == [])
        #expect(run.misplaced == [])
        let field = run.engine.field(at: hall.end + .seconds(160))
        for region in field.regions {
            let inside = (run.checker.inside[region.region] ?? []).filter { $0.major == 7 }
            #expect(region.occupancy == inside.count, "\(region.region)")
            #expect(region.verified <= region.occupancy)
        }
        for row in field.beacons where run.checker.inside["hall"]?.contains(row.beacon.identity) == true {
            #expect(row.nearest == run.checker.nearest[row.beacon.identity])
        }
    }

    @Test(arguments: seeds)
    func `extra ticks and questions change nothing in any event`(seed: UInt64) {
        let hall = WalkedHall(seed: seed, faults: WalkedHall.Faults.all.subtracting(.lateness))
        // In instant order, whatever the clocks say.
        var steps = hall.steps.enumerated().sorted {
            ($0.element.instant, $0.offset) < ($1.element.instant, $1.offset)
        }.map(\.element)
        let whole = WalkedRun(hall, steps: steps)
        let draws = SplitMix64(seed: seed)
        var place = 1
        while place < steps.count {
            let isAway = if case .start = steps[place].input { true } else { false }
            if !isAway, draws.unit(at: Int64(place)) < 0.2 {
                let before = steps[place - 1].instant
                let gap = (steps[place].instant - before).wholeNanoseconds
                let tick = before + .nanoseconds(draws.whole(at: -Int64(place), below: gap + 1))
                steps.insert(WalkedHall.Step(arrival: tick, instant: tick, input: .tick), at: place)
                place += 1
            }
            place += 1
        }
        #expect(WalkedRun(hall, steps: steps).events == whole.events)
    }

    @Test(arguments: seeds)
    func `the time since the boot changes nothing`(seed: UInt64) {
        let hall = WalkedHall(seed: seed, faults: WalkedHall.Faults.all)
        let shift: Duration = seed % 2 == 0 ? .seconds(31_536_000) : .seconds(-86_400)
        #expect(WalkedRun(hall, shifted: shift).events == WalkedRun(hall).events.map { $0.shifted(by: shift) })
    }

    @Test(arguments: seeds)
    func `a dead receiver holds its own beacons and nobody else's, and is told within half a minute`(seed: UInt64) {
        let hall = WalkedHall(seed: seed, faults: [.death, .clocks, .air, .deafness, .silence])
        let run = WalkedRun(hall)
        let dead = hall.receivers.filter { $0.death != nil }
        let alive = Set(hall.receivers.filter { $0.death == nil }.map(\.entry.station))
        for beacon in run.checker.inside["hall"] ?? [] {
            // Everybody left long ago: who is still in is held by a receiver that may hear it yet.
            let nearest = run.checker.nearest[beacon] ?? ""
            #expect(dead.contains { $0.entry.station == nearest }, "\(beacon.minor) is held by \(nearest)")
        }
        for exit in run.events where exit.kind == .exit && exit.reason == .silence {
            guard let nearest = exit.nearest, !alive.contains(nearest),
                let death = dead.first(where: { $0.entry.station == nearest })?.death
            else { continue }
            #expect(exit.at + hall.exit <= death + .seconds(2), "\(exit.summary)")
        }
        for receiver in dead where receiver.sendsMessages {
            guard let death = receiver.death else { continue }
            let notes = run.decisions.receivers.filter { $0.receiver == receiver.entry.id && !$0.isBack }
            let last = notes.last
            let isTold = last.map { $0.since <= death + .seconds(2) && $0.at <= $0.since + .seconds(33) } == true
            #expect(isTold, "\(receiver.entry.id) died at \(death.seconds): \(notes.map { ($0.since.seconds, $0.at.seconds) })")
        }
    }

    @Test(arguments: seeds)
    func `nothing is lost when a receiver is late, and nothing made up`(seed: UInt64) {
        let late = WalkedHall(seed: seed, faults: [.lateness, .air])
        let inTime = WalkedRun(WalkedHall(seed: seed, faults: .air)).checker.visits.filter { $0.region == "hall" }
        let visits = WalkedRun(late).checker.visits.filter { $0.region == "hall" }
        for visit in inTime {
            #expect(visits.contains { overlap($0, visit) }, "lost: \(text(visit)) of \(visits.map(text))")
        }
        for visit in visits { #expect(inTime.contains { overlap($0, visit) }, "made up: \(text(visit))") }
    }

    @Test(arguments: seeds)
    func `a run that is split anywhere has the visits of the whole run`(seed: UInt64) {
        let hall = WalkedHall(seed: seed, faults: [.air, .guides])
        let split = WalkedHall.moment(300 * SplitMix64(seed: seed).unit(at: 3))
        let whole = WalkedRun(hall).checker.visits.filter { $0.region == "hall" }
        let parted = WalkedRun(hall, steps: hall.split(at: split))
        #expect(parted.checker.violations == [])
        #expect(parted.misplaced == [])
        let after = parted.checker.visits.filter { $0.region == "hall" }
        for visit in after { #expect(whole.contains { overlap($0, visit) }, "made up: \(text(visit))") }
        for visit in whole {
            let matches = after.filter { overlap($0, visit) }
            #expect(matches.count < 2, "cut: \(text(visit)) into \(matches.map(text)) at \(split.seconds)")
            let spansSplit = visit.enteredAt <= split && split <= visit.enterDetectedAt
            guard let match = matches.first else {
                #expect(spansSplit, "lost: \(text(visit)); split at \(split.seconds)")
                continue
            }
            #expect(spansSplit || match.enteredAt <= visit.enteredAt, "late: \(text(match)), split at \(split.seconds)")
            guard let expected = visit.exitDetectedAt, let at = visit.exitedAt else { continue }
            // Silence is proved by a message of the nearest receiver, and these are ten seconds apart.
            let latest = expected + hall.exit + .seconds(12)
            let isHeardAgain = hall.steps.contains { step in
                guard case .sighting(let sighting) = step.input else { return false }
                return sighting.beacon == visit.beacon && step.instant > at && step.instant <= latest
            }
            guard !isHeardAgain else { continue }
            #expect(
                match.exitDetectedAt.map { $0 <= latest } == true, "\(text(match)) for \(text(visit)) at \(split.seconds)")
        }
    }

    private func overlap(_ left: PropertyChecker.Visit, _ right: PropertyChecker.Visit) -> Bool {
        left.beacon == right.beacon && left.enteredAt <= right.exitedAt ?? .never
            && right.enteredAt <= left.exitedAt ?? .never
    }

    private func text(_ visit: PropertyChecker.Visit) -> String {
        let end = visit.exitedAt.map { "\($0.seconds), seen \(visit.exitDetectedAt?.seconds ?? 0)" } ?? "…"
        return "\(visit.beacon.major)/\(visit.beacon.minor) \(visit.enteredAt.seconds) to \(end)"
    }
}
