// SPDX-License-Identifier: GPL-2.0-or-later

import RegionCore
import Time

/// What a receiver in a simulated hall hears, as HCI frames in instant order, endless unless an end is given.
///
/// A start at any instant costs one step a sender, and gives the frames that a run from the beginning gives from there.
public struct HallSource: FrameSource, Sendable {
    /// One sender's next transmission.
    private struct Turn: Sendable {
        var moment: Int64
        var transmission: Int64
        var sender: Int
        /// Of a visitor: the visit that the transmission falls into.
        var visit: Visit?

        static func < (left: Turn, right: Turn) -> Bool {
            (left.moment, left.sender) < (right.moment, right.sender)
        }
    }

    private let hall: SimulatedHall
    private let from: Instant
    private let until: Instant?
    private var changes: ListeningChanges
    /// A heap with the earliest turn first.
    private var turns: [Turn] = []
    private var reached: Instant

    /// The hall from one instant to before another, or for ever.
    ///
    /// `deaf` are unplanned losses, in order and apart from each other: `listening` false and true at their ends, and
    /// nothing heard between.
    public init(
        hall: SimulatedHall, from: Instant = .boot, until: Instant? = nil, duty: Duty = .continuous,
        deaf: [Range<Instant>] = []
    ) {
        self.hall = hall
        self.from = from
        self.until = until
        reached = from
        changes = ListeningChanges(from: from, duty: duty, deaf: deaf)
        turns.reserveCapacity(hall.senders.count)
        for sender in hall.senders.indices { turns.append(turn(of: sender, notBefore: from.nanoseconds)) }
        turns.sort(by: <)  // A sorted row is a heap.
    }

    /// How far it has come where there is an end.
    public var progress: Double? {
        guard let until, until > from else { return nil }
        return (reached - from).inSeconds / (until - from).inSeconds
    }

    /// The next input, or nil at the end; never throws.
    public mutating func next(into frame: inout FrameBuffer) -> (input: SourceInput, instant: Instant)? {
        while true {
            let moment = turns.isEmpty ? .max : turns[0].moment
            if let change = changes.next, change.moment.nanoseconds <= moment {
                guard isBeforeEnd(change.moment) else { return nil }
                changes.advance()
                reached = change.moment
                return (change.input, change.moment)
            }
            let instant = Instant(nanoseconds: moment)
            guard moment < .max, isBeforeEnd(instant) else { return nil }
            let isHeard = changes.isListening && hear(turns[0], into: &frame)
            replaceFirst(by: turn(after: turns[0]))
            guard isHeard else { continue }
            reached = instant
            return (.frame, instant)
        }
    }

    private func isBeforeEnd(_ moment: Instant) -> Bool {
        guard let until else { return true }
        return moment < until
    }

    private func hear(_ turn: Turn, into frame: inout FrameBuffer) -> Bool {
        let sender = hall.senders[turn.sender]
        let place: Place
        switch (sender.bearer, turn.visit) {
        case (.hangs(let spot), _): place = spot
        case (.carried(let visitor), let visit?): place = hall.place(of: visitor, during: visit, at: turn.moment)
        case (.carried, nil): return false
        }
        guard let rssi = hall.rssi(of: sender, transmission: turn.transmission, from: place, at: turn.moment)
        else { return false }
        frame.refill { bytes in
            sender.write(turn.transmission, rssi: rssi, at: turn.moment, plan: hall.plan, into: &bytes)
        }
        return true
    }

    private func turn(of sender: Int, notBefore moment: Int64) -> Turn {
        var visit: Visit?
        var earliest = moment
        if case .carried(let visitor) = hall.senders[sender].bearer {
            let next = hall.visit(of: visitor, notEndedAt: moment)
            earliest = max(moment, next.inside.lowerBound)
            visit = next
        }
        let transmission = hall.senders[sender].firstTransmission(notBefore: earliest)
        let found = Turn(
            moment: hall.senders[sender].moment(of: transmission), transmission: transmission, sender: sender,
            visit: visit)
        return isWithinVisit(found) ? found : turn(of: sender, notBefore: found.moment)
    }

    private func turn(after turn: Turn) -> Turn {
        var next = turn
        next.transmission += 1
        next.moment = hall.senders[turn.sender].moment(of: next.transmission)
        return isWithinVisit(next) ? next : self.turn(of: turn.sender, notBefore: next.moment)
    }

    private func isWithinVisit(_ turn: Turn) -> Bool {
        turn.visit.map { turn.moment < $0.inside.upperBound } ?? true
    }

    /// Sinks a turn from the top to where it belongs.
    private mutating func replaceFirst(by turn: Turn) {
        var hole = 0
        while true {
            var child = 2 * hole + 1
            guard child < turns.count else { break }
            if child + 1 < turns.count, turns[child + 1] < turns[child] { child += 1 }
            guard turns[child] < turn else { break }
            turns[hole] = turns[child]
            hole = child
        }
        turns[hole] = turn
    }
}
