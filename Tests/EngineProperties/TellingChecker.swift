// SPDX-License-Identifier: GPL-2.0-or-later

import RegionCore
import Time

/// Property 9: what subscribers were told equals what is true at the end of every cooldown, and within one cooldown a
/// subject is told at most one enter and one exit.
struct TellingChecker {
    /// Who is told about: a beacon in a region, or (nil) the region as a whole.
    private struct Subject: Hashable {
        var region: String
        var beacon: BeaconIdentity?
    }

    private struct Telling {
        /// What subscribers believe.
        var isIn = false
        var cooldownEnd: Instant?
        /// When it was last told of an enter.
        var enteredAt: Instant?
        /// Exits told since the last told enter.
        var exits = 0
        /// With `notifyOnEntry` or `notifyOnExit` false what was told says nothing of what is true.
        var isMuted = false
    }

    /// An exit that waits for a subject.
    private struct Waiting: Hashable {
        var exit: UInt64
        var subject: Subject
    }

    private let each: Set<String>
    private let allowsLateWakes: Bool
    var reloads: Set<Instant>
    private var tellings: [Subject: Telling] = [:]
    private var waiting: [Waiting: RegionEvent] = [:]
    private var present: Instant?

    init(each: Set<String>, allowsLateWakes: Bool, reloads: Set<Instant>) {
        self.each = each
        self.reloads = reloads
        self.allowsLateWakes = allowsLateWakes
    }

    /// Takes one region of the next event.
    mutating func take(_ change: RegionChange, of event: RegionEvent, into violations: inout [String]) {
        let beacon = each.contains(change.region) ? event.beacon.identity : nil
        let subject = Subject(region: change.region, beacon: beacon)
        let wrong: String?
        switch event.kind {
        case .enter: wrong = enter(change, event, subject)
        case .exit: wrong = exit(change, event, subject)
        case .wake: wrong = wake(change, event, subject)
        case .nearest: wrong = nil
        }
        if let wrong { violations.append("\(event.summary): \(wrong) (\(change.region))") }
    }

    private mutating func enter(_ change: RegionChange, _ event: RegionEvent, _ subject: Subject) -> String? {
        guard let wake = change.wake else { return nil }
        var telling = tellings[subject, default: Telling()]
        defer { tellings[subject] = telling }
        switch wake {
        case .told, .muted:
            let isCooling = isCooling(telling, at: event.detectedAt)
            telling.isIn = true
            telling.enteredAt = event.detectedAt
            telling.exits = 0
            telling.isMuted = telling.isMuted || wake == .muted
            telling.cooldownEnd = change.cooldown?.until
            return isCooling ? "\(wake) within the cooldown of an enter before" : nil
        case .cooldown:
            return mayCool(telling, at: event.detectedAt) ? nil : "withheld without a cooldown"
        case .waiting: return "an enter never waits"
        }
    }

    private mutating func exit(_ change: RegionChange, _ event: RegionEvent, _ subject: Subject) -> String? {
        guard let wake = change.wake else { return nil }
        var telling = tellings[subject, default: Telling()]
        defer { tellings[subject] = telling }
        let endsCooldown = event.reason == .removed || event.reason == .redefined
        switch wake {
        case .told, .muted:
            let isCooling = isCooling(telling, at: event.detectedAt)
            telling.isIn = false
            telling.exits += 1
            telling.isMuted = telling.isMuted || wake == .muted
            if endsCooldown { telling.cooldownEnd = nil }
            if isCooling, !endsCooldown, wake == .told { return "told within the cooldown" }
            return telling.exits > 1 && wake == .told ? "a second exit is told since the enter" : nil
        case .waiting:
            waiting[Waiting(exit: event.ordinal, subject: subject)] = event
            return mayCool(telling, at: event.detectedAt) ? nil : "waits without a cooldown"
        case .cooldown: return "an exit waits for the end of its cooldown before it is withheld"
        }
    }

    private mutating func wake(_ change: RegionChange, _ event: RegionEvent, _ subject: Subject) -> String? {
        guard let of = event.of, let exit = waiting.removeValue(forKey: Waiting(exit: of, subject: subject)) else {
            return "it is of #\(event.of ?? 0), which does not wait"
        }
        // Before it is known how long the box was away, what it kept is placed as if there had been no absence.
        let isProvisional = allowsLateWakes && reloads.contains(event.detectedAt)
        if event.at != exit.at && !isProvisional || event.beacon.identity != exit.beacon.identity
            || event.visit != exit.visit
            || event.reason != exit.reason
        {
            return "it is not like its exit, \(exit.summary)"
        }
        if let end = tellings[subject]?.cooldownEnd, event.detectedAt != end {
            // What is gone cannot come back: a reload ends the cooldowns of what it takes away.
            let isGone = event.detectedAt < end && reloads.contains(event.detectedAt)
            if isGone {
                tellings[subject]?.cooldownEnd = nil
            } else if event.detectedAt < end || !allowsLateWakes {
                return "the cooldown ends at \(end.seconds)"
            }
        }
        switch change.wake {
        case .told:
            tellings[subject]?.isIn = false
            tellings[subject]?.exits += 1
            return tellings[subject]?.exits ?? 0 > 1 ? "a second exit is told since the enter" : nil
        case .cooldown: return nil
        case .muted, .waiting, nil: return "a wake is told or withheld"
        }
    }

    /// Whether a cooldown runs for certain: it ends with its region, and a reload may have taken that away.
    private func isCooling(_ telling: Telling, at moment: Instant) -> Bool {
        guard let begin = telling.enteredAt, let end = telling.cooldownEnd, moment < end else { return false }
        return !reloads.contains { $0 >= begin && $0 <= moment }
    }

    /// Whether a cooldown runs, or may: while nobody knows how long the box was away, none has ended.
    private func mayCool(_ telling: Telling, at moment: Instant) -> Bool {
        telling.cooldownEnd.map { moment <= $0 || allowsLateWakes } ?? false
    }

    /// Before the first event of a new instant: whoever is in no cooldown was told what is true.
    mutating func settle(
        upTo moment: Instant, inside: [String: Set<BeaconIdentity>], uncounted: Set<BeaconIdentity>,
        into violations: inout [String]
    ) {
        guard present.map({ moment > $0 }) ?? true else { return }
        present = moment
        let late = allowsLateWakes ? Set(waiting.keys.map(\.subject)) : []
        for (subject, telling) in tellings where !telling.isMuted && !late.contains(subject) {
            guard telling.cooldownEnd.map({ $0 < moment }) ?? true else { continue }
            let people = inside[subject.region] ?? []
            let isIn = subject.beacon.map { people.contains($0) } ?? !people.isSubset(of: uncounted)
            guard isIn != telling.isIn else { continue }
            tellings[subject]?.isIn = isIn
            let minor = subject.beacon.map { "\($0.minor) in " } ?? ""
            violations.append(
                "before \(moment.seconds): \(minor)\(subject.region) is \(isIn ? "in" : "out") and was told otherwise")
        }
    }

    /// Every cooldown that ended before `end` must have been decided.
    func finish(at end: Instant, into violations: inout [String]) {
        for (key, event) in waiting where tellings[key.subject]?.cooldownEnd.map({ $0 < end }) ?? true {
            violations.append("\(event.summary): its exit from \(key.subject.region) waits for ever")
        }
    }
}
