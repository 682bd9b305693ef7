// SPDX-License-Identifier: GPL-2.0-or-later

import EngineProperties
import HallSimulator
import RegionCore
import Testing
import Time

/// Whole halls through the whole path: frames, parser, engine.
struct HallScenarios {
    private static let plan: HallPlan = {
        var plan = HallPlan()
        plan.exhibits = 100
        plan.visitors = 50
        plan.intervals = [.init(.seconds(1), weight: 1), .init(.seconds(2), weight: 1)]
        return plan
    }()

    /// Everything of a span, and when each beacon was last heard in it.
    private func play(
        _ hall: SimulatedHall, _ engine: inout RegionEngine, from: Double, to: Double, into decisions: inout Decisions
    ) -> [BeaconIdentity: Instant] {
        var last: [BeaconIdentity: Instant] = [:]
        var heard: [(Sighting, Instant)] = []
        hall.visit(for: .seconds(decimal: to - from), from: .boot + .seconds(decimal: from)) { heard.append(($0, $1)) }
        for (sighting, now) in heard {
            engine.observe(sighting, at: now, into: &decisions)
            last[sighting.beacon] = now
        }
        engine.tick(at: .boot + .seconds(decimal: to), into: &decisions)
        return last
    }

    @Test(arguments: [false, true])
    func `closing at 18 and opening at 9 is no wake from the exhibits, and ends each visit`(isBoxOff: Bool) {
        let hall = SimulatedHall(seed: 18, plan: Self.plan)
        let registry = Registry(venue: hall.venue)
        var engine = RegionEngine(registry: registry, receiver: hall.receiver, at: .boot)
        var day = Decisions()
        let last = play(hall, &engine, from: 0, to: 180, into: &day)
        let inside = Set(engine.snapshot(at: .boot + .seconds(180)).presences.map(\.beacon))
        #expect(inside.count > 5)

        // 18:00 is 180 s here, 9:00 is 15 h later.
        let morning = 180 + 15 * 3_600.0
        let opening = Instant.boot + .seconds(decimal: morning)
        var night = Decisions()
        if isBoxOff {
            let kept = engine.snapshot(at: .boot + .seconds(180))
            engine = RegionEngine(registry: registry, receiver: hall.receiver, at: opening)
            engine.restore(kept, away: .known(.seconds(15 * 3_600)), at: opening, into: &night)
        } else {
            // The gateway stays on while the hall's power goes: all badges and exhibits fall silent.
            engine.tick(at: opening, into: &night)
        }
        let exits = night.events.filter { $0.kind == .exit }
        #expect(Set(exits.map(\.beacon.identity)) == inside)
        #expect(exits.count == inside.count)
        for exit in exits {
            #expect(exit.reason == (isBoxOff ? .expired : .silence))
            #expect(exit.at == last[exit.beacon.identity])
            #expect(exit.uncertain == isBoxOff)
        }

        var next = Decisions()
        _ = play(hall, &engine, from: morning, to: morning + 120, into: &next)
        #expect(next.events.contains { $0.kind == .enter })
        let all = day.events + night.events + next.events
        #expect(all.allSatisfy { $0.beacon.kind == .carried })
        #expect(all.allSatisfy { $0.regions.allSatisfy { $0.region != "simulated-hall.1001" } })
        let exhibits = engine.field(at: opening + .seconds(120)).regions.filter { $0.region == "simulated-hall.1001" }
        #expect(exhibits.map(\.occupancy) == [0])
        var checker = PropertyChecker(allowsLateWakes: true)
        checker.take(all)
        checker.finish(at: opening + .seconds(120))
        #expect(checker.violations.isEmpty)
    }

    @Test(arguments: 0..<10 as Range<UInt64>)
    func `with saver duty who leaves is out after 60 s and at most a window`(seed: UInt64) {
        var plan = HallPlan()
        plan.exhibits = 2
        plan.pause = .seconds(120)...(.seconds(200))
        let hall = SimulatedHall(seed: seed, plan: plan)
        var engine = RegionEngine(registry: Registry(venue: hall.venue), receiver: hall.receiver, at: .boot)
        var decisions = Decisions()
        var source = HallSource(hall: hall, until: .boot + .seconds(900), duty: .saver)
        var frame = FrameBuffer()
        var parsed = ParsedFrame()
        while let (input, now) = source.next(into: &frame) {
            if case .window(let open) = input { engine.window(open: open, at: now, into: &decisions) }
            guard input == .frame else { continue }
            AdvertisingParser.parse(frame.bytes.span, into: &parsed)
            for sighting in parsed.sightings { engine.observe(sighting, at: now, into: &decisions) }
        }
        let exits = decisions.events.filter { $0.kind == .exit }
        #expect(exits.count > 10)
        for exit in exits {
            let latency = exit.detectedAt - exit.at
            #expect(latency >= .seconds(60) && latency <= .seconds(65), "\(exit.summary)")
        }
    }

    @Test(arguments: 0..<10 as Range<UInt64>)
    func `every visit is one that took place, and every long one is seen`(seed: UInt64) {
        let hall = SimulatedHall(seed: seed, plan: HallPlan())
        var engine = RegionEngine(registry: Registry(venue: hall.venue), receiver: hall.receiver, at: .boot)
        var decisions = Decisions()
        _ = play(hall, &engine, from: 0, to: 600, into: &decisions)
        let end = Instant.boot + .seconds(600)
        var checker = PropertyChecker()
        checker.take(decisions.events)
        checker.finish(at: end)
        #expect(checker.violations.isEmpty)
        let visits = checker.visits.filter { $0.region == "simulated-hall" }
        for visit in visits {
            let truth = hall.truth(of: visit.beacon, from: .boot, to: end)
            #expect(truth.contains { $0.contains(visit.enteredAt) })
            #expect(visit.exitedAt.map { at in truth.contains { $0.contains(at) } } ?? true)
        }
        for beacon in hall.visitors {
            // Half a minute of a badge at 1 Hz or faster, one packet in five lost, holds three hits in ten seconds.
            for span in hall.truth(of: beacon, from: .boot, to: end)
            where span.upperBound - span.lowerBound > .seconds(30) {
                let isSeen = visits.contains {
                    $0.beacon == beacon && $0.enteredAt < span.upperBound && $0.exitedAt ?? end > span.lowerBound
                }
                #expect(isSeen, "\(beacon.minor) in \(span)")
            }
        }
    }
}
