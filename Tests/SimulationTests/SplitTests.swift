// SPDX-License-Identifier: GPL-2.0-or-later

import EngineProperties
import HallSimulator
import RegionCore
import Testing
import Time

/// Property 4: a restart at once, anywhere, costs at most what the rules allow.
struct SplitTests {
    private typealias Visit = PropertyChecker.Visit

    /// Limits are left out: the filter of a signal begins anew with a restart, and they are compared with it. So are
    /// exit times below `enterWindow`: with these a hit of a visit lost to the split may begin another one.
    @Test(arguments: seeds)
    func `a run that is split anywhere has the visits of the whole run`(seed: UInt64) {
        // Deaf time moves decisions by its own length, so latencies are compared where there is none.
        let isDeafSometimes = seed % 2 == 1
        let hall = FaultyHall(seed: seed, faults: isDeafSometimes ? [.deafness, .duty, .horizon] : [.duty, .horizon])
        let draws = SplitMix64(seed: seed)
        let split = Instant.boot + .nanoseconds(draws.whole(at: 3, below: (hall.end - .boot).wholeNanoseconds))
        let isDeaf = hall.deaf.contains { $0.contains(split) }
        var parted = hall
        parted.insert(FaultyHall.Step(instant: split, input: .stop))
        parted.insert(FaultyHall.Step(instant: split, input: .start(.known(.zero))))
        if isDeaf { parted.insert(FaultyHall.Step(instant: split, input: .listening(false))) }
        let whole = visits(EngineRun(hall).events, end: hall.end)
        let after = visits(EngineRun(parted).events, end: hall.end)
        for visit in after {
            #expect(whole.contains { overlap($0, visit) }, "made up: \(text(visit)); split at \(split.seconds)")
        }
        for visit in whole {
            let matches = after.filter { overlap($0, visit) }
            #expect(matches.count < 2, "cut: \(text(visit)) into \(matches.map(text)), split at \(split.seconds)")
            let spansSplit = visit.enteredAt <= split && split <= visit.enterDetectedAt
            guard let match = matches.first else {
                #expect(spansSplit, "lost: \(text(visit)); split at \(split.seconds)")
                continue
            }
            let startsInTime = after.contains { overlap($0, visit) && $0.enteredAt <= visit.enteredAt }
            #expect(spansSplit || startsInTime, "late: \(text(match)) for \(text(visit)), split at \(split.seconds)")
            guard !isDeafSometimes else { continue }
            checkEnd(of: match, against: visit, hall, split: split)
        }
    }

    /// The end comes at most one `exit` later, unless the beacon is heard again first.
    private func checkEnd(of visit: Visit, against whole: Visit, _ hall: FaultyHall, split: Instant) {
        guard let expected = whole.exitDetectedAt, let at = whole.exitedAt else { return }
        let latest = expected + hall.exit
        let heardAgain = hall.steps.contains { step in
            guard case .sighting(let sighting) = step.input else { return false }
            return sighting.beacon == visit.beacon && step.instant > at && step.instant <= latest
        }
        guard !heardAgain, latest < hall.end else { return }
        let detectedAt = visit.exitDetectedAt ?? hall.end
        #expect(
            detectedAt >= expected && detectedAt <= latest, "\(text(visit)), whole \(text(whole)), \(split.seconds)")
        #expect(visit.exitedAt == at, "\(text(visit)), whole \(text(whole)), split at \(split.seconds)")
    }

    private func visits(_ events: [RegionEvent], end: Instant) -> [Visit] {
        var checker = PropertyChecker(each: FaultyHall.each, allowsLateWakes: true)
        checker.take(events)
        checker.finish(at: end)
        #expect(checker.violations.isEmpty)
        return checker.visits.filter { $0.region == "hall" }
    }

    private func overlap(_ left: Visit, _ right: Visit) -> Bool {
        let never = Instant(nanoseconds: .max)
        return left.beacon == right.beacon && left.enteredAt <= right.exitedAt ?? never
            && right.enteredAt <= left.exitedAt ?? never
    }

    private func text(_ visit: Visit) -> String {
        let end = visit.exitedAt.map { "\($0.seconds), seen \(visit.exitDetectedAt?.seconds ?? 0)" } ?? "…"
        return "\(visit.beacon.minor) \(visit.enteredAt.seconds) to \(end)"
    }
}
