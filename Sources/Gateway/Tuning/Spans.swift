// SPDX-License-Identifier: GPL-2.0-or-later

import Time

/// From one instant up to, and without, another.
struct Span: Equatable {
    var from: Instant
    var to: Instant

    /// How long.
    var length: Duration { to - from }

    /// Whole seconds of the clock in it: what is sampled.
    var wholeSeconds: Int64 { endSecond - firstSecond }

    /// The first whole second in it, where there is any.
    var firstSecond: Int64 { Self.secondsBelow(from) }

    /// The first whole second behind it.
    var endSecond: Int64 { Self.secondsBelow(to) }

    /// Whether they have a part in common.
    func overlaps(_ other: Span) -> Bool { from < other.to && to > other.from }

    /// Whether an instant lies in it.
    func contains(_ instant: Instant) -> Bool { from <= instant && instant < to }

    /// How many whole seconds from 0 up lie below an instant.
    private static func secondsBelow(_ instant: Instant) -> Int64 {
        -(-instant.nanoseconds).flooredQuotient(1_000_000_000)
    }
}

/// Spans in order that neither overlap nor touch.
struct Spans: Equatable {
    private(set) var list: [Span] = []

    /// Adds a span, and joins what it overlaps or touches.
    mutating func add(_ span: Span) {
        guard span.from < span.to else { return }
        let first = list.firstIndex { $0.to >= span.from } ?? list.count
        var joined = span
        var end = first
        while end < list.count, list[end].from <= joined.to {
            joined.from = min(joined.from, list[end].from)
            joined.to = max(joined.to, list[end].to)
            end += 1
        }
        list.replaceSubrange(first..<end, with: [joined])
    }

    /// Whole seconds in them.
    var wholeSeconds: Int64 { list.reduce(0) { $0 + $1.wholeSeconds } }

    /// All of them together.
    var length: Duration { list.reduce(.zero) { $0 + $1.length } }

    /// Whether an instant lies in one of them.
    func contains(_ instant: Instant) -> Bool { list.contains { $0.contains(instant) } }

    /// Whole seconds that lie in these and in others.
    func wholeSeconds(sharedWith others: [Span]) -> Int64 {
        var (shared, own, other): (Int64, Int, Int) = (0, 0, 0)
        while own < list.count, other < others.count {
            let common = Span(
                from: max(list[own].from, others[other].from), to: min(list[own].to, others[other].to))
            if common.from < common.to { shared += common.wholeSeconds }
            if list[own].to < others[other].to { own += 1 } else { other += 1 }
        }
        return shared
    }
}
