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
    func `a dead receiver holds its own beacons and nobody else's, and its death is told`(seed: UInt64) {
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
        for (number, receiver) in hall.receivers.enumerated() where receiver.sendsMessages {
            guard let death = receiver.death else { continue }
            let note = run.decisions.receivers.last { $0.receiver == receiver.entry.id && !$0.isBack }
            guard let note else {
                Issue.record("nobody is told that \(receiver.entry.id) died at \(death.seconds)")
                continue
            }
            // That is noticed as soon as another is heard, and their messages are ten seconds apart.
            let noticed = hall.steps.first { step in
                guard step.receiver != number, step.instant > note.since + .seconds(20) else { return false }
                if case .listening = step.input { return false }
                return true
            }
            #expect(note.since <= death + .seconds(2))
            #expect(noticed.map { note.at <= $0.instant + .seconds(4) } == true, "\(note) for \(death.seconds)")
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
        let split = WalkedHall.moment(200 * SplitMix64(seed: seed).unit(at: 3))
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
                match.exitDetectedAt.map { $0 <= latest } == true,
                "\(text(match)) for \(text(visit)) at \(split.seconds)")
        }
    }

    @Test(arguments: seeds)
    func `an exit by silence needs that much listening by its own receiver`(seed: UInt64) {
        let hall = WalkedHall(seed: seed, faults: [.deafness, .silence, .duty, .air])
        for exit in WalkedRun(hall).events where exit.kind == .exit && exit.reason != .moved && exit.reason != .weak {
            let listened = hall.receivers.filter { $0.entry.station == exit.nearest }.map { receiver in
                // A pause of up to 20 s between two messages is no deafness.
                let gone = receiver.deaf + receiver.silent.filter { $0.upperBound - $0.lowerBound > .seconds(20) }
                return gone.reduce(exit.detectedAt - exit.at) { rest, span in
                    rest - max(.zero, min(span.upperBound, exit.detectedAt) - max(span.lowerBound, exit.at))
                }
            }
            #expect(listened.contains { $0 >= hall.exit - .milliseconds(1) }, "\(exit.summary): \(listened)")
        }
    }

    @Test(arguments: seeds)
    func `where receivers are within the margin of each other deafness moves nobody`(seed: UInt64) {
        let draws = SplitMix64(seed: seed).stream(10)
        let count = 2 + Int(draws.whole(at: 0, below: 3))
        let receivers = (0..<count).map { ReceiverEntry(id: "r\($0)") }
        let badge = BeaconIdentity(uuid: WalkedHall.uuid, major: 7, minor: 1)
        let venue = Venue(
            venueId: "rest", beacons: [BeaconEntry(uuid: badge.uuid, major: 7, minors: 1...1)], receivers: receivers)
        var engine = RegionEngine(registry: Registry(venue: venue), receiver: receivers[0], at: .boot)
        let areOwn = (0..<count).map { draws.unit(at: 10 + Int64($0)) < 0.5 }
        let numbers = receivers.indices.map {
            areOwn[$0] ? engine.receiver(own: receivers[$0]) : engine.receiver(named: receivers[$0].id)
        }
        let deaf = receivers.indices.map { number in
            let begin = 10 + 150 * draws.unit(at: 20 + Int64(number))
            // A shorter pause between messages is no deafness: of whatever is not heard in it the score may end.
            let shortest = areOwn[number] ? 1.0 : 22
            return begin..<(begin + shortest + 80 * draws.unit(at: 30 + Int64(number)))
        }
        var isDeaf = Array(repeating: false, count: count)
        var decisions = Decisions()
        let interval = [0.5, 1, 2][Int(draws.whole(at: 1, below: 3))]
        for turn in 0..<Int64(300 / interval) {
            for number in receivers.indices {
                let seconds = Double(turn) * interval + Double(number) / 100
                let moment = WalkedHall.moment(seconds)
                let isOff = deaf[number].contains(seconds)
                if areOwn[number], isOff != isDeaf[number] {
                    engine.listening(!isOff, of: numbers[number], at: moment, into: &decisions)
                }
                isDeaf[number] = isOff
                guard !isOff else { continue }
                engine.heard(by: numbers[number], at: moment, into: &decisions)
                let level = -71 + Int8(draws.whole(at: 1_000 + turn * 4 + Int64(number), below: 3))
                engine.observe(
                    Sighting(beacon: badge, measuredPower: -59, rssi: level, advertiser: nil), by: numbers[number],
                    at: moment, into: &decisions)
            }
        }
        #expect(decisions.events.map(\.kind) == [.enter], "\(decisions.events.map(\.summary)) for \(deaf)")
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
