// SPDX-License-Identifier: GPL-2.0-or-later

import EngineProperties
import HallSimulator
import RegionCore
import Time

/// Holds the events of a gateway that was killed again and again to those of one that was only deaf meanwhile: property
/// 4 of the engine's rules, and no more freedom than it gives.
struct Comparison {
    private typealias Visit = PropertyChecker.Visit

    private struct Key: Hashable {
        var region: String
        var beacon: BeaconIdentity
    }

    private let ledger: StoredRuns
    private let registry: Registry
    private let reference: Reference
    private let events: [RegionEvent]
    private let policy = Policy(Self.settings)
    private let end: Instant
    private let deafness: Deafness

    /// The limits in force for every beacon of the hall.
    private struct Policy {
        let hits: Int
        let window: Duration
        let exit: Duration

        init(_ settings: SettingOverrides) {
            func value(_ setting: Setting) -> Double { settings[setting] ?? setting.row.defaultValue ?? 0 }
            hits = Int(value(.enterHits))
            window = .seconds(decimal: value(.enterWindow))
            exit = .seconds(decimal: value(.exit))
        }
    }

    /// What the suite found beside violations.
    private struct Figures {
        var visits = 0
        var late = 0
        var missing = 0
        var merged = 0
        var lateEnds = 0
        var latestEnd = Duration.zero
        var earlyAts = 0
        var earliestAt = Duration.zero
    }

    private static var settings: SettingOverrides {
        var settings = SettingOverrides()
        for setting in Setting.allCases { settings[setting] = Campaign.settings[setting.rawValue] }
        return settings
    }

    init(events: [CommittedEvent], ledger: StoredRuns, hall: SimulatedHall) {
        var venue = hall.venue
        venue.settings = venue.settings.overridden(by: Self.settings)
        self.ledger = ledger
        registry = Registry(venue: venue)
        self.events = events.map(ledger.onHallClock)
        reference = Reference(hall: hall, registry: registry, ledger: ledger)
        end = ledger.runs.last?.stored ?? .boot
        deafness = Deafness(ledger.gaps.map { $0.stored..<$0.began })
    }

    func judge(into report: inout Report) {
        let each = Set(registry.regions.filter { $0.wake == .each }.map(\.identifier))
        var real = PropertyChecker(each: each, allowsLateWakes: true)
        real.take(events)
        real.finish(at: end)
        report.check("what was heard is stored soon", violations: ledger.lateStores)
        report.check("the properties hold over all runs", violations: real.violations)
        var whole = PropertyChecker(each: each)
        whole.take(reference.events)
        whole.finish(at: end)
        report.check("they hold for the reference", violations: whole.violations)
        compare(real.visits, with: whole.visits, into: &report)
    }

    private func compare(_ real: [Visit], with whole: [Visit], into report: inout Report) {
        let realOf = Dictionary(grouping: real) { Key(region: $0.region, beacon: $0.beacon) }
        let wholeOf = Dictionary(grouping: whole) { Key(region: $0.region, beacon: $0.beacon) }
        var figures = Figures()
        var (invented, cut, late, ends): ([String], [String], [String], [String]) = ([], [], [], [])
        for visit in real {
            let others = wholeOf[Key(region: visit.region, beacon: visit.beacon)] ?? []
            let matches = others.filter { overlap($0, visit) }
            if matches.isEmpty { invented.append(text(visit)) }
            if matches.count > 1 { figures.merged += 1 }
            if let last = matches.last { ends += problems(ofEnd: visit, against: last, &figures) }
        }
        for visit in whole {
            let others = realOf[Key(region: visit.region, beacon: visit.beacon)] ?? []
            let matches = others.filter { overlap($0, visit) }
            if matches.count > 1 { cut.append("\(text(visit)) into \(matches.map(text))") }
            late += problems(ofStart: matches.first, of: visit, &figures)
        }
        figures.visits = whole.count
        say(figures, real: real.count)
        report.check("no visit is made up", violations: invented)
        report.check("no visit is cut in two", violations: cut)
        report.check("a visit starts late, or is missing, only where its hits span a kill", violations: late)
        report.check("a visit ends when it should, or at most one exit later", violations: ends)
    }

    // MARK: Starts

    private func problems(ofStart match: Visit?, of visit: Visit, _ figures: inout Figures) -> [String] {
        if let match, match.enteredAt <= visit.enteredAt { return [] }
        if match == nil { figures.missing += 1 } else { figures.late += 1 }
        let due = firstStoredHit(of: visit)
        guard let due, match.map({ $0.enteredAt > due }) ?? true else { return [] }
        return ["\(text(visit)): hits of one run from \(due.seconds), but \(match.map(text) ?? "there is none")"]
    }

    /// The first hit of an enter that the hits of one run alone must have led to, in time to be stored.
    private func firstStoredHit(of visit: Visit) -> Instant? {
        let last = visit.exitedAt ?? end
        let hits = (reference.heard[visit.beacon] ?? []).filter { $0 >= visit.enteredAt && $0 <= last }
        for run in ledger.runs {
            let own = hits.filter { $0 >= run.began && $0 < run.stored }
            for index in own.indices.dropFirst(policy.hits - 1) {
                let first = own[index - policy.hits + 1]
                if own[index] - first <= policy.window { return first }
            }
        }
        return nil
    }

    // MARK: Ends

    private func problems(ofEnd visit: Visit, against whole: Visit, _ figures: inout Figures) -> [String] {
        let both = "\(text(visit)), without kills \(text(whole))"
        guard let expected = whole.exitDetectedAt, let at = whole.exitedAt else {
            guard visit.exitDetectedAt != nil else { return [] }
            return ["ended, and it should go on: \(both)"]
        }
        let detected = visit.exitDetectedAt ?? end
        let lateness = deafness.listened(from: expected, to: detected)
        if detected < expected { return ["ended early: \(both)"] }
        if lateness > .zero {
            let latest = deafness.after(expected, by: policy.exit)
            let isHeardAgain = (reference.heard[visit.beacon] ?? []).contains { $0 > at && $0 <= latest }
            if isHeardAgain { return [] }
            figures.lateEnds += 1
            figures.latestEnd = max(figures.latestEnd, lateness)
            if detected > latest { return ["ended \(lateness.inSeconds) s late: \(both)"] }
        }
        guard let realAt = visit.exitedAt, realAt != at else { return [] }
        figures.earlyAts += 1
        figures.earliestAt = max(figures.earliestAt, at - realAt)
        return realAt < at && visit.isUncertain ? [] : ["its at is wrong: \(both)"]
    }

    // MARK: Words

    private func say(_ figures: Figures, real: Int) {
        let gaps = ledger.gaps
        let lost = gaps.map { ($0.died - $0.stored).inSeconds }.max() ?? 0
        Report.say(
            """
                    \(ledger.runs.count) runs that stored something, \(end.seconds) s of the hall, \
            deaf \(deafness.total.inSeconds) s of them
                    \(events.count) events against \(reference.events.count) without kills; \(real) visits against \
            \(figures.visits)
                    starts: \(figures.late) late, \(figures.missing) missing; ends: \(figures.lateEnds) late, at most \
            \(figures.latestEnd.inSeconds) s; \(figures.merged) went on where there were two
                    exits whose at is early and marked so: \(figures.earlyAts), at most \
            \(figures.earliestAt.inSeconds) s; heard and not stored at a kill: at most \(lost) s
            """)
    }

    private func overlap(_ left: Visit, _ right: Visit) -> Bool {
        left.enteredAt <= right.exitedAt ?? .distantFuture && right.enteredAt <= left.exitedAt ?? .distantFuture
    }

    private func text(_ visit: Visit) -> String {
        let end = visit.exitedAt.map { "\($0.seconds), seen \(visit.exitDetectedAt?.seconds ?? 0)" } ?? "…"
        let reason = visit.reason.map { ", \($0)\(visit.isUncertain ? ", uncertain" : "")" } ?? ""
        return "\(visit.beacon.minor) in \(visit.region) \(visit.enteredAt.seconds) to \(end)\(reason)"
    }
}

/// When nobody could hear, and time that does not count for that reason.
private struct Deafness {
    let spans: [Range<Instant>]

    init(_ spans: [Range<Instant>]) { self.spans = spans }

    var total: Duration { spans.reduce(.zero) { $0 + ($1.upperBound - $1.lowerBound) } }

    /// Listening time between two instants; none where the second is the earlier one.
    func listened(from: Instant, to: Instant) -> Duration {
        guard from < to else { return .zero }
        return spans.reduce(to - from) { left, span in
            let begin = max(span.lowerBound, from)
            let end = min(span.upperBound, to)
            return begin < end ? left - (end - begin) : left
        }
    }

    /// The instant when so much listening time has passed.
    func after(_ start: Instant, by length: Duration) -> Instant {
        var end = start + length
        for span in spans where span.upperBound > start && span.lowerBound <= end {
            end += span.upperBound - max(span.lowerBound, start)
        }
        return end
    }
}

extension Instant {
    fileprivate static let distantFuture = Instant(nanoseconds: .max)
}
