// SPDX-License-Identifier: GPL-2.0-or-later

import Time

/// A place in the hall, metres.
struct Place: Equatable {
    var x: Double
    var y: Double

    func squaredDistance(to other: Place) -> Double {
        (x - other.x) * (x - other.x) + (y - other.y) * (y - other.y)
    }

    /// The place a share of the way to another.
    func towards(_ other: Place, _ share: Double) -> Place {
        Place(x: x + (other.x - x) * share, y: y + (other.y - y) * share)
    }
}

/// One visit: through the door, to an exhibit, and out again.
struct Visit: Equatable {
    /// From passing the door to passing it again, nanoseconds. Outside nothing is heard.
    var inside: Range<Int64>
    /// Where the visitor stands most of the time.
    var spot: Place
}

extension SimulatedHall {
    /// Walking speed in a hall, metres a second.
    private static let walking = 1.2
    /// A standing visitor is somewhere else, this near, after each `fidgetTime`.
    private static let fidgetMetres = 1.5
    private static let fidgetTime: Int64 = 15_000_000_000

    /// The visit of a visitor that goes on at a moment, or the next one.
    ///
    /// Time is cut into cycles of equal length with one visit in each, so that no visit depends on those before it.
    func visit(of visitor: Int, notEndedAt moment: Int64) -> Visit {
        let draws = draws.stream(1).stream(UInt64(visitor))
        let length = cycleLength
        let phase = draws.whole(at: -1, below: length)
        var cycle = (moment - phase).flooredQuotient(length)
        while true {
            let visit = visit(in: cycle, from: phase + cycle * length, draws: draws.stream(UInt64(bitPattern: cycle)))
            if visit.inside.upperBound > moment { return visit }
            cycle += 1
        }
    }

    private var cycleLength: Int64 {
        (plan.visit.upperBound + plan.pause.upperBound).wholeNanoseconds
    }

    private func visit(in cycle: Int64, from start: Int64, draws: SplitMix64) -> Visit {
        let begin = start + between(plan.pause, draws, at: 0)
        let near =
            exhibitPlaces.isEmpty ? nil : exhibitPlaces[Int(draws.whole(at: 2, below: Int64(exhibitPlaces.count)))]
        let anywhere = Place(x: draws.unit(at: 3) * plan.width, y: draws.unit(at: 4) * plan.depth)
        return Visit(
            inside: begin..<(begin + between(plan.visit, draws, at: 1)),
            spot: near.map { $0.towards(anywhere, 0.1) } ?? anywhere)
    }

    private func between(_ range: ClosedRange<Duration>, _ draws: SplitMix64, at index: Int64) -> Int64 {
        let lower = range.lowerBound.wholeNanoseconds
        return lower + draws.whole(at: index, below: range.upperBound.wholeNanoseconds - lower + 1)
    }

    /// Where a visitor is during a visit: on the way in, at the exhibit with small moves, on the way out.
    func place(of visitor: Int, during visit: Visit, at moment: Int64) -> Place {
        let door = Place(x: 0, y: plan.depth / 2)
        let distance = door.squaredDistance(to: visit.spot).squareRoot()
        let fromDoor = min(moment - visit.inside.lowerBound, visit.inside.upperBound - moment)
        let walked = Double(fromDoor) / 1e9 * Self.walking
        guard walked >= distance else { return door.towards(visit.spot, walked / distance) }
        let draws = draws.stream(2).stream(UInt64(visitor))
        let step = moment.flooredQuotient(Self.fidgetTime)
        let share = Double(moment - step * Self.fidgetTime) / Double(Self.fidgetTime)
        return fidget(visit.spot, draws, step).towards(fidget(visit.spot, draws, step + 1), share)
    }

    private func fidget(_ spot: Place, _ draws: SplitMix64, _ step: Int64) -> Place {
        Place(
            x: spot.x + (draws.unit(at: 2 * step) - 0.5) * Self.fidgetMetres,
            y: spot.y + (draws.unit(at: 2 * step + 1) - 0.5) * Self.fidgetMetres)
    }
}
