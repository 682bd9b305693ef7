// SPDX-License-Identifier: GPL-2.0-or-later

import Time

/// When the receiver listens by plan. Cycles are counted from instant 0.
public enum Duty: String, CaseIterable, Sendable {
    /// Always.
    case continuous
    /// 5 s on, 10 s off.
    case gate
    /// 5 s on, 25 s off.
    case saver

    /// A window and the pause after it; nil: no pauses.
    public var cycle: (open: Int64, length: Int64)? {
        switch self {
        case .continuous: nil
        case .gate: (5_000_000_000, 15_000_000_000)
        case .saver: (5_000_000_000, 30_000_000_000)
        }
    }

    /// A window and the pause after it; nil: no pauses.
    public var cycleLength: Duration? { cycle.map { .nanoseconds($0.length) } }

    /// Whether a window is open: from its first instant to before its last.
    public func isOpen(at moment: Instant) -> Bool {
        guard let cycle else { return true }
        return moment.nanoseconds.flooredRemainder(cycle.length) < cycle.open
    }

    /// The first opening or closing after a moment, and whether it is an opening; nil: there is none.
    public func nextChange(after moment: Instant) -> (moment: Instant, opens: Bool)? {
        guard let cycle else { return nil }
        let phase = moment.nanoseconds.flooredRemainder(cycle.length)
        let start = moment.nanoseconds - phase
        return phase < cycle.open
            ? (Instant(nanoseconds: start + cycle.open), false)
            : (Instant(nanoseconds: start + cycle.length), true)
    }
}
