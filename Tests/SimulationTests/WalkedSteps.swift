// SPDX-License-Identifier: GPL-2.0-or-later

import HallSimulator
import RegionCore
import Time

// What happens in a walked hall, and when each receiver's word of it comes.
extension WalkedHall {
    /// All that happens, in arrival order.
    func played(_ draws: SplitMix64) -> [Step] {
        var steps: [Step] = []
        for number in receivers.indices { steps += listening(of: number) }
        for sender in Walker.all(draws, hall: self) {
            for transmission in sender.transmissions { steps += receptions(of: transmission, from: sender) }
        }
        for second in stride(from: 0.0, to: 400, by: 10) {
            for number in receivers.indices where receivers[number].sendsMessages {
                steps += [message(.heartbeat, at: Self.moment(second + Double(number)), by: number)].compactMap { $0 }
            }
        }
        if faults.contains(.reloads) { steps += reloads(draws) }
        steps.append(Step(arrival: end + .seconds(160), instant: end + .seconds(160), input: .tick))
        if faults.contains(.restarts) { addRestarts(draws.stream(5), to: &steps) }
        return Self.sorted(steps)
    }

    /// In arrival order; what comes at one instant stays as it was drawn.
    private static func sorted(_ steps: [Step]) -> [Step] {
        steps.enumerated().sorted { ($0.element.arrival, $0.offset) < ($1.element.arrival, $1.offset) }.map(\.element)
    }

    /// What a receiver says of itself.
    private func listening(of number: Int) -> [Step] {
        let receiver = receivers[number]
        var steps: [Step] = []
        for span in receiver.deaf {
            for (on, moment) in [(false, span.lowerBound), (true, span.upperBound)] where moment < .never {
                steps += [message(.listening(on), at: moment, by: number)].compactMap { $0 }
            }
        }
        var change = receiver.duty == .continuous ? nil : receiver.duty.nextChange(after: .boot - .seconds(1))
        while let next = change, next.moment < end {
            steps += [message(.window(open: next.opens), at: next.moment, by: number)].compactMap { $0 }
            change = receiver.duty.nextChange(after: next.moment)
        }
        return steps
    }

    /// A message as it comes from a receiver; nil: it is lost with it.
    private func message(_ input: Input, at moment: Instant, by number: Int) -> Step? {
        let receiver = receivers[number]
        guard !receiver.silent.contains(where: { $0.contains(moment) }) else { return nil }
        return Step(arrival: moment + receiver.late, instant: moment + receiver.clock, receiver: number, input: input)
    }

    private func receptions(of transmission: Walker.Transmission, from sender: Walker) -> [Step] {
        receivers.indices.compactMap { number in
            let receiver = receivers[number]
            guard receiver.duty.isOpen(at: transmission.moment),
                !receiver.deaf.contains(where: { $0.contains(transmission.moment) }),
                let rssi = sender.rssi(of: transmission, at: receiver, number)
            else { return nil }
            let sighting = Sighting(
                beacon: sender.identity, measuredPower: -59, rssi: rssi, advertiser: sender.address)
            return message(.sighting(sighting), at: transmission.moment, by: number)
        }
    }

    private func reloads(_ draws: SplitMix64) -> [Step] {
        let own = draws.stream(4)
        return (0..<own.whole(at: 0, below: 4)).map { number in
            let moment = Self.moment(200 * own.unit(at: 10 + number))
            let variant = own.bits(at: 20 + number) & 15
            return Step(
                arrival: moment, instant: moment,
                input: .reload(Self.venue(receivers, draws: draws, variant: variant)))
        }
    }

    /// Up to two restarts; what comes meanwhile is lost.
    private func addRestarts(_ draws: SplitMix64, to steps: inout [Step]) {
        for number in 0..<draws.whole(at: 0, below: 3) {
            let begin = Self.moment(80 * Double(number) + 70 * draws.unit(at: 10 + number))
            let choices = [0, 0.001, 3, 15]
            let away = Duration.seconds(decimal: choices[Int(draws.whole(at: 20 + number, below: 4))])
            let isKnown = draws.unit(at: 30 + number) < 0.7
            insertRestart(at: begin, away: away, isKnown: isKnown, into: &steps)
        }
    }

    private func insertRestart(at begin: Instant, away: Duration, isKnown: Bool, into steps: inout [Step]) {
        let back = begin + away
        steps.removeAll { $0.arrival >= begin && $0.arrival < back }
        func add(_ input: Input, at moment: Instant, _ receiver: Int = 0) {
            steps.insert(Step(arrival: moment, instant: moment, receiver: receiver, input: input), at: added)
            added += 1
        }
        // First of their instant.
        var added = 0
        add(.stop, at: begin)
        add(.start(isKnown ? .known(away) : .unknown), at: back)
        for (number, receiver) in receivers.enumerated() where receiver.deaf.contains(where: { $0.contains(back) }) {
            add(.listening(false), at: back, number)
        }
        if !isKnown { add(.awayKnown(away), at: back + .seconds(4)) }
    }

    /// The same hall, ended and begun again at an instant.
    func split(at moment: Instant) -> [Step] {
        var steps = steps
        insertRestart(at: moment, away: .zero, isKnown: true, into: &steps)
        return Self.sorted(steps)
    }
}
