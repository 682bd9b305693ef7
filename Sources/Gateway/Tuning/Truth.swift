// SPDX-License-Identifier: GPL-2.0-or-later

import RegionCore
import Time

/// Where beacons really were, on the clock of a recording: what combinations of settings are judged by.
struct Truth: Equatable {
    /// What it says of one beacon.
    struct Account: Equatable {
        /// Its stays by place; those that touch are one.
        var stays: [TruthLine.Place: Spans] = [:]
        /// When it is known in which regions it is, nowhere included.
        var regionsKnown = Spans()
        /// When it is known what it is nearest to, nothing included.
        var nearestKnown = Spans()

        /// When it was there.
        func spans(in place: TruthLine.Place) -> Spans { stays[place] ?? Spans() }
    }

    /// What is known of each beacon.
    private(set) var accounts: [BeaconIdentity: Account] = [:]
    /// Every region it speaks of: of a beacon whose regions are known, each of these is judged.
    private(set) var regions: Set<String> = []
    /// Whether it says of any beacon what it is nearest to.
    private(set) var speaksOfNearest = false
    /// Stays that lie outside the recording, and are not judged.
    private(set) var outside = 0

    /// Nothing known.
    init() {}

    /// Puts the lines of a file on the clock of a recording that reaches from `beginning` to `end`. `start` is the
    /// calendar time of `Instant.boot`; nil: the recording has none.
    init(
        _ lines: [TruthFile.Line], path: String, names: TruthNames, from beginning: Instant, to end: Instant,
        start: WallTime?
    ) throws(GatewayError) {
        let clock = TruthClock(path: path, start: start)
        var placed: [BeaconIdentity: [(from: Instant, to: Instant?, place: TruthLine.Place)]] = [:]
        for line in lines {
            let to = try line.said.to.map { moment throws(GatewayError) in try clock.instant(moment, line.number) }
            placed[line.said.beacon, default: []].append(
                (try clock.instant(line.said.from, line.number), to, line.said.place))
        }
        for (beacon, lines) in placed {
            // In a stable order: of two marks at one instant the later line holds.
            let sorted = lines.enumerated().sorted { ($0.element.from, $0.offset) < ($1.element.from, $1.offset) }
                .map(\.element)
            for (number, line) in sorted.enumerated() {
                let next = number + 1 < sorted.count ? sorted[number + 1].from : end
                let span = Span(from: max(line.from, beginning), to: min(line.to ?? next, end))
                guard span.from < span.to else {
                    if line.from >= end || (line.to ?? end) <= beginning { outside += 1 }
                    continue
                }
                add(span, of: beacon, in: names.place(line.place))
            }
        }
        guard !accounts.isEmpty else {
            let span = "0 to \(Int((end - .boot).inSeconds)) s" + (start.map { " from \($0.rfc3339)" } ?? "")
            throw GatewayError(.refused, "\(path) says nothing about the time of the recording (\(span))")
        }
    }

    /// A beacon was there.
    mutating func add(_ span: Span, of beacon: BeaconIdentity, in place: TruthLine.Place) {
        var account = accounts[beacon] ?? Account()
        account.stays[place, default: Spans()].add(span)
        switch place {
        case .region(let region):
            regions.insert(region)
            account.regionsKnown.add(span)
        case .nearest:
            speaksOfNearest = true
            account.nearestKnown.add(span)
        case .nowhere:
            account.regionsKnown.add(span)
            account.nearestKnown.add(span)
        }
        accounts[beacon] = account
    }
}

extension TruthNames {
    /// A place as events call it.
    fileprivate func place(_ place: TruthLine.Place) -> TruthLine.Place {
        if case .nearest(let receiver) = place { .nearest(station(of: receiver)) } else { place }
    }
}

/// Turns a file's moments into the recording's.
private struct TruthClock {
    let path: String
    let start: WallTime?

    func instant(_ moment: TruthLine.Moment, _ line: Int) throws(GatewayError) -> Instant {
        switch moment {
        case .sinceStart(let span): return .boot + span
        case .calendar(let time):
            guard let start else {
                throw GatewayError(
                    .refused, "\(path): line \(line): the recording counts seconds and has no calendar: do so here")
            }
            return .boot + (time - start)
        }
    }
}
