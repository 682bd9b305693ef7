// SPDX-License-Identifier: GPL-2.0-or-later

/// Calendar time, microseconds since 1970-01-01T00:00:00Z. A label for people: nothing is ever decided on it.
public struct WallTime: Comparable, Hashable, Sendable {
    /// Microseconds since 1970-01-01T00:00:00Z.
    public var microseconds: Int64

    /// The time this many microseconds after 1970-01-01T00:00:00Z.
    public init(microseconds: Int64) { self.microseconds = microseconds }

    /// 1970-01-01T00:00:00Z.
    public static let epoch = WallTime(microseconds: 0)

    /// Whether the left time is the earlier one.
    public static func < (left: WallTime, right: WallTime) -> Bool { left.microseconds < right.microseconds }

    /// The time a span later, to the microsecond.
    public static func + (time: WallTime, span: Duration) -> WallTime {
        WallTime(microseconds: time.microseconds + span.wholeNanoseconds / 1_000)
    }

    /// The span from the right time to the left one.
    public static func - (later: WallTime, earlier: WallTime) -> Duration {
        .microseconds(later.microseconds - earlier.microseconds)
    }
}

/// Ties the two clocks together at one moment, so that instants can be labelled with calendar time.
public struct ClockAnchor: Equatable, Sendable {
    /// The boot clock when the anchor was taken.
    public var instant: Instant
    /// The wall clock at the same moment.
    public var wallTime: WallTime
    /// Whether the wall clock was set from an outside source then.
    public var synchronised: Bool

    /// An anchor of these two readings.
    public init(instant: Instant, wallTime: WallTime, synchronised: Bool) {
        self.instant = instant
        self.wallTime = wallTime
        self.synchronised = synchronised
    }

    /// The label for an instant; floors to the microsecond, also below the anchor.
    public func wallTime(at moment: Instant) -> WallTime {
        let nanoseconds = moment.nanoseconds - instant.nanoseconds
        var microseconds = nanoseconds / 1_000
        if nanoseconds % 1_000 < 0 { microseconds -= 1 }
        return WallTime(microseconds: wallTime.microseconds + microseconds)
    }

    /// The instant that carries this label.
    public func instant(at time: WallTime) -> Instant {
        Instant(nanoseconds: instant.nanoseconds + (time.microseconds - wallTime.microseconds) * 1_000)
    }
}
