// SPDX-License-Identifier: GPL-2.0-or-later

import RegionCore
import Time

/// Judges the events of one replay against the truth. Fed with every event in order of decision; asked once at the end.
///
/// Everything is read at `detectedAt`: what a live gateway would have shown at that moment.
struct TuneScore {
    private let truth: Truth
    /// When each beacon was shown in each place that truth speaks of; the last one may not have ended.
    private var states: [BeaconIdentity: [TruthLine.Place: [State]]] = [:]
    private var nearest: [BeaconIdentity: String] = [:]
    private var falseExits = 0

    /// One state: from an enter to its exit.
    private struct State {
        var from: Instant
        var to: Instant?
    }

    /// Nothing decided yet.
    init(_ truth: Truth) { self.truth = truth }

    // MARK: Events

    /// Takes the next event. Beacons that truth does not mention are passed over.
    mutating func take(_ event: RegionEvent) {
        let beacon = event.beacon.identity
        guard let account = truth.accounts[beacon] else { return }
        switch event.kind {
        case .enter:
            for change in event.regions { begin(beacon, in: .region(change.region), at: event.detectedAt) }
            if let station = event.nearest { show(beacon, nearestTo: station, at: event.detectedAt) }
        case .exit:
            leave(event, account)
        case .nearest:
            show(beacon, nearestTo: event.change?.to ?? event.nearest, at: event.detectedAt)
        case .wake:
            break  // Telling is not what is judged here.
        }
    }

    private mutating func leave(_ event: RegionEvent, _ account: Truth.Account) {
        let beacon = event.beacon.identity
        for change in event.regions {
            end(beacon, in: .region(change.region), at: event.detectedAt)
            if account.spans(in: .region(change.region)).contains(event.detectedAt) { falseExits += 1 }
        }
        guard event.endsVisit else {
            if let station = event.nearest { show(beacon, nearestTo: station, at: event.detectedAt) }
            return
        }
        show(beacon, nearestTo: nil, at: event.detectedAt)
        let isNearSomething = account.stays.contains { place, spans in
            if case .nearest = place { spans.contains(event.detectedAt) } else { false }
        }
        if isNearSomething { falseExits += 1 }
    }

    private mutating func show(_ beacon: BeaconIdentity, nearestTo station: String?, at instant: Instant) {
        let before = nearest[beacon]
        guard station != before else { return }
        if let before { end(beacon, in: .nearest(before), at: instant) }
        nearest[beacon] = station
        if let station { begin(beacon, in: .nearest(station), at: instant) }
    }

    private mutating func begin(_ beacon: BeaconIdentity, in place: TruthLine.Place, at instant: Instant) {
        if case .region(let region) = place, !truth.regions.contains(region) { return }
        states[beacon, default: [:]][place, default: []].append(State(from: instant))
    }

    private mutating func end(_ beacon: BeaconIdentity, in place: TruthLine.Place, at instant: Instant) {
        guard let last = states[beacon]?[place]?.indices.last else { return }
        states[beacon]?[place]?[last].to = instant
    }

    // MARK: Figures

    /// What is right and wrong with it up to the recording's end.
    func figures(until end: Instant) -> TuneFigures {
        var figures = TuneFigures(hasRegions: !truth.regions.isEmpty, hasNearest: truth.speaksOfNearest)
        figures.falseExits = falseExits
        for (beacon, account) in truth.accounts {
            let states = states[beacon] ?? [:]
            for region in truth.regions {
                judge(account, states[.region(region)] ?? [], in: region, until: end, into: &figures)
            }
            guard let first = account.nearestKnown.list.first, let last = account.nearestKnown.list.last else {
                continue
            }
            judgeNearest(account, states, until: end, into: &figures)
            figures.nearestChanges += Self.changes(of: states, in: Span(from: first.from, to: last.to))
        }
        figures.sortLatencies()
        return figures
    }

    private func judge(
        _ account: Truth.Account, _ states: [State], in region: String, until end: Instant,
        into figures: inout TuneFigures
    ) {
        let stays = account.spans(in: .region(region))
        let shown = states.map { Span(from: $0.from, to: $0.to ?? end) }
        let right = stays.wholeSeconds(sharedWith: shown)
        figures.rightlyInside += right
        figures.wronglyInside += account.regionsKnown.wholeSeconds(sharedWith: shown) - right
        figures.wronglyOutside += stays.wholeSeconds - right
        figures.inside += stays.length
        let matched = StayMatching(stays.list, states: shown, hasEnded: { states[$0].to != nil }, until: end)
        figures.stays += stays.list.count
        figures.missed += matched.missed
        figures.extra += matched.extra
        figures.merged += matched.merged
        figures.enterDelays += matched.beginDelays
        figures.exitDelays += matched.endDelays
    }

    private func judgeNearest(
        _ account: Truth.Account, _ states: [TruthLine.Place: [State]], until end: Instant,
        into figures: inout TuneFigures
    ) {
        figures.nearestKnown += account.nearestKnown.wholeSeconds
        let nowhere = account.spans(in: .nowhere)
        figures.nearestRight += nowhere.wholeSeconds
        for (_, span) in Self.nearest(in: states, until: end) {
            figures.nearestRight -= nowhere.wholeSeconds(sharedWith: [span])
        }
        for (place, stays) in account.stays {
            guard case .nearest = place else { continue }
            let states = states[place] ?? []
            let shown = states.map { Span(from: $0.from, to: $0.to ?? end) }
            figures.nearestRight += stays.wholeSeconds(sharedWith: shown)
            figures.inside += stays.length
            let matched = StayMatching(stays.list, states: shown, hasEnded: { states[$0].to != nil }, until: end)
            figures.moveDelays += matched.beginDelays
            figures.nearestMissed += matched.missed
        }
    }
}

extension TuneScore {
    /// What was nearest, in order of time.
    private static func nearest(
        in states: [TruthLine.Place: [State]], until end: Instant
    ) -> [(station: String, span: Span)] {
        states.flatMap { place, states -> [(station: String, span: Span)] in
            guard case .nearest(let station) = place else { return [] }
            return states.map { (station, Span(from: $0.from, to: $0.to ?? end)) }
        }.sorted { $0.span.from < $1.span.from }
    }

    /// How often the answer at a whole second is another than at the second before, from the first to the last that is
    /// known. What lasted less than from one second to the next was never seen; an exit is no other answer.
    private static func changes(of states: [TruthLine.Place: [State]], in known: Span) -> Int {
        let sampled = nearest(in: states, until: known.to).filter { $0.span.wholeSeconds > 0 }
        return zip(sampled, sampled.dropFirst()).count { before, after in
            before.station != after.station && before.span.endSecond == after.span.firstSecond
                && known.contains(after.span.from)
        }
    }
}

/// Which states of a beacon in a place belong to which of its stays there: those that have a part in common.
private struct StayMatching {
    /// Stays that no state touches.
    private(set) var missed = 0
    /// States that touch no stay, and all but the first of those in one stay.
    private(set) var extra = 0
    /// Stays whose first state had begun in an earlier stay.
    private(set) var merged = 0
    /// From the beginning of a stay to that of its state; negative: early. Merged ones are left out.
    private(set) var beginDelays: [Duration] = []
    /// From the end of a stay to that of its last state, where it ended before the next stay.
    private(set) var endDelays: [Duration] = []

    /// `hasEnded`: whether the state of that number ended within the recording.
    init(_ stays: [Span], states: [Span], hasEnded: (Int) -> Bool, until end: Instant) {
        var touched: Set<Int> = []
        for (number, stay) in stays.enumerated() {
            // Both are in order and overlap none of their own kind.
            let own = states.indices.drop { states[$0].to <= stay.from }.prefix { states[$0].from < stay.to }
            guard let first = own.first, let last = own.last else {
                missed += 1
                continue
            }
            if touched.contains(first) {
                merged += 1
            } else {
                beginDelays.append(states[first].from - stay.from)
            }
            extra += own.count - 1
            touched.formUnion(own)
            let isCarriedOn = number + 1 < stays.count && states[last].to > stays[number + 1].from
            if stay.to < end, hasEnded(last), !isCarriedOn { endDelays.append(states[last].to - stay.to) }
        }
        extra += states.count - touched.count
    }
}
