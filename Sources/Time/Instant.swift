// SPDX-License-Identifier: GPL-2.0-or-later

/// A moment on the box's boot clock, which counts on through suspend and never steps. Decisions are made on these.
///
/// Signed: a moment of an earlier boot, restored from the store, lies below `boot`.
public struct Instant: Comparable, Hashable, Sendable {
    /// Nanoseconds since the boot.
    public var nanoseconds: Int64

    /// The moment this many nanoseconds after the boot.
    public init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

    /// The start of the boot clock.
    public static let boot = Instant(nanoseconds: 0)

    /// Whether the left moment is the earlier one.
    public static func < (left: Instant, right: Instant) -> Bool { left.nanoseconds < right.nanoseconds }

    /// The moment a span later.
    public static func + (moment: Instant, span: Duration) -> Instant {
        Instant(nanoseconds: moment.nanoseconds + span.wholeNanoseconds)
    }

    /// The moment a span earlier.
    public static func - (moment: Instant, span: Duration) -> Instant {
        Instant(nanoseconds: moment.nanoseconds - span.wholeNanoseconds)
    }

    /// The span from the right moment to the left one.
    public static func - (later: Instant, earlier: Instant) -> Duration {
        .nanoseconds(later.nanoseconds - earlier.nanoseconds)
    }

    /// Moves the moment a span later.
    public static func += (moment: inout Instant, span: Duration) { moment = moment + span }
}

extension Duration {
    /// This span in nanoseconds, the remainder dropped; spans beyond 292 years are held there.
    public var wholeNanoseconds: Int64 {
        let (seconds, attoseconds) = components
        let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        if overflow { return seconds < 0 ? .min / 2 : .max / 2 }
        return product + attoseconds / 1_000_000_000
    }

    /// This span in seconds, for display and for arithmetic that decides nothing.
    public var inSeconds: Double { Double(wholeNanoseconds) / 1e9 }

    /// A span of that many seconds, to the nanosecond.
    public static func seconds(decimal seconds: Double) -> Duration {
        .nanoseconds(Int64((seconds * 1e9).rounded()))
    }
}
