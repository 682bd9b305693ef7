// SPDX-License-Identifier: GPL-2.0-or-later

import EngineProperties
import HallSimulator
import RegionCore
import Testing
import Time

/// The properties of the engine's rules that hold for every input, over halls with faults.
struct PropertyTests {
    @Test(arguments: seeds)
    func `alternation, occupancy, order and telling hold whatever goes wrong`(seed: UInt64) {
        let hall = FaultyHall(seed: seed, faults: .all)
        let run = EngineRun(hall)
        var checker = PropertyChecker(each: FaultyHall.each, allowsLateWakes: true, reloads: hall.reloads)
        checker.take(run.events)
        checker.finish(at: hall.end)
        #expect(checker.violations == [])
        let shown = run.engine.field(at: hall.end).regions
        for region in shown {
            #expect(region.occupancy == checker.inside[region.region]?.count ?? 0, "\(region.region)")
        }
        for (region, people) in checker.inside where !people.isEmpty {
            #expect(shown.contains { $0.region == region }, "\(region) is gone, and \(people.count) are in it")
        }
    }

    /// Without restarts there is no reason to decide a cooldown late.
    @Test(arguments: seeds)
    func `cooldowns end when they end`(seed: UInt64) {
        let hall = FaultyHall(
            seed: seed, faults: [.deafness, .reloads, .duty, .limits, .shortExits, .horizon])
        var checker = PropertyChecker(each: FaultyHall.each, reloads: hall.reloads)
        checker.take(EngineRun(hall).events)
        checker.finish(at: hall.end)
        #expect(checker.violations == [])
    }

    @Test(arguments: seeds)
    func `extra ticks change nothing in any event`(seed: UInt64) {
        let hall = FaultyHall(seed: seed, faults: FaultyHall.Faults.all.subtracting(.lateness))
        let draws = SplitMix64(seed: seed)
        var steps: [FaultyHall.Step] = []
        for (number, step) in hall.steps.enumerated() {
            let isAway = if case .start = step.input { true } else { false }
            if let last = steps.last, !isAway, draws.unit(at: Int64(number)) < 0.3 {
                let gap = (step.instant - last.instant).wholeNanoseconds
                let tick = last.instant + .nanoseconds(draws.whole(at: -Int64(number), below: gap + 1))
                steps.append(FaultyHall.Step(instant: tick, input: .tick))
            }
            steps.append(step)
        }
        #expect(steps.count > hall.steps.count)
        #expect(EngineRun(hall, steps: steps).events == EngineRun(hall).events)
    }

    /// There is no wall clock in the engine to step. What is left of property 7 is that no absolute time matters:
    /// the same inputs on a box that has been up for a year, or in an earlier boot, give the same events.
    @Test(arguments: seeds)
    func `the time since the boot changes nothing`(seed: UInt64) {
        let hall = FaultyHall(seed: seed, faults: .all)
        let shift: Duration = seed % 2 == 0 ? .seconds(31_536_000) : .seconds(-86_400) - .milliseconds(1)
        let moved = hall.steps.map { FaultyHall.Step(instant: $0.instant + shift, input: $0.input.shifted(by: shift)) }
        var run = EngineRun(registry: hall.registry, receiver: hall.hall.receiver, at: .boot + shift)
        for step in moved { run.take(step) }
        #expect(run.events == EngineRun(hall).events.map { $0.shifted(by: shift) })
    }

    @Test(arguments: seeds)
    func `hearing more while inside never makes a beacon leave earlier by silence`(seed: UInt64) {
        let hall = FaultyHall(seed: seed, faults: [.deafness, .duty, .shortExits])
        let events = EngineRun(hall).events
        let draws = SplitMix64(seed: seed)
        let exits = events.filter { $0.kind == .exit }
        guard !exits.isEmpty else { return }
        let exit = exits[Int(draws.whole(at: 0, below: Int64(exits.count)))]
        guard let enter = events.first(where: { $0.kind == .enter && $0.visit == exit.visit }) else { return }
        let span = (exit.detectedAt - enter.detectedAt).wholeNanoseconds
        let heardAt = enter.detectedAt + .nanoseconds(draws.whole(at: 1, below: span + 1))
        guard !hall.deaf.contains(where: { $0.contains(heardAt) }) else { return }
        var more = hall
        more.insert(
            FaultyHall.Step(
                instant: heardAt,
                input: .sighting(
                    Sighting(beacon: exit.beacon.identity, measuredPower: -59, rssi: -90, advertiser: nil))))
        let later = EngineRun(more).events.first { $0.kind == .exit && $0.visit == exit.visit }
        if let later {
            #expect(later.detectedAt >= exit.detectedAt)
            #expect(later.at >= exit.at)
        }
    }

    @Test(arguments: seeds)
    func `deafness gives no enter and no exit of a beacon heard soon after it`(seed: UInt64) {
        let hall = FaultyHall(seed: seed, faults: [.deafness, .duty, .shortExits, .horizon])
        let run = EngineRun(hall)
        var sightings: [BeaconIdentity: [Instant]] = [:]
        for step in hall.steps {
            if case .sighting(let sighting) = step.input {
                sightings[sighting.beacon, default: []].append(step.instant)
            }
        }
        for (number, span) in hall.deaf.enumerated() {
            let before = number > 0 ? hall.deaf[number - 1].upperBound : .boot
            let after = number + 1 < hall.deaf.count ? hall.deaf[number + 1].lowerBound : hall.end
            for beacon in hall.hall.visitors {
                let heard = sightings[beacon] ?? []
                // The exit time starts anew once for each loss since the last sighting.
                guard let last = heard.last(where: { $0 < span.lowerBound }), last > before,
                    let first = heard.first(where: { $0 >= span.upperBound }), first < after,
                    first - span.upperBound < hall.exit
                else { continue }
                let within = run.events.filter {
                    $0.beacon.identity == beacon && $0.kind != .wake && $0.detectedAt >= span.lowerBound
                        && $0.detectedAt < first
                }
                #expect(within.isEmpty, "\(within.map(\.summary)) for deafness \(span)")
            }
        }
        let decidedDeaf = run.events.filter { event in
            event.kind != .wake
                && hall.deaf.contains { $0.lowerBound < event.detectedAt && event.detectedAt < $0.upperBound }
        }
        #expect(decidedDeaf.isEmpty, "\(decidedDeaf.map(\.summary))")
    }
}

extension FaultyHall.Input {
    /// The same input that much later.
    fileprivate func shifted(by span: Duration) -> FaultyHall.Input {
        guard case .horizon(let horizon?) = self else { return self }
        return .horizon(horizon + span)
    }
}

extension RegionEvent {
    /// The same event that much later.
    func shifted(by span: Duration) -> RegionEvent {
        var event = self
        event.at += span
        event.detectedAt += span
        event.enteredAt += span
        for index in event.regions.indices { event.regions[index].cooldown?.until += span }
        return event
    }
}

extension EngineSnapshot {
    /// The same state that much later.
    func shifted(by span: Duration) -> EngineSnapshot {
        var snapshot = self
        snapshot.takenAt += span
        for index in snapshot.presences.indices {
            snapshot.presences[index].enteredAt += span
            snapshot.presences[index].lastHeard += span
            snapshot.presences[index].lastEventAt += span
            snapshot.presences[index].silenceFrom += span
        }
        for index in snapshot.cooldowns.indices {
            snapshot.cooldowns[index].until += span
            for exit in snapshot.cooldowns[index].waiting.indices {
                snapshot.cooldowns[index].waiting[exit].at += span
                snapshot.cooldowns[index].waiting[exit].enteredAt += span
            }
        }
        return snapshot
    }
}
