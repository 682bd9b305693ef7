// SPDX-License-Identifier: GPL-2.0-or-later

import Time

/// Turns a capture's calendar times into instants: the first record is `Instant.boot`.
///
/// A recording box's clock may step. What goes backwards is held at the largest instant so far, so that frames keep
/// their order; what jumps a century ahead is damage and is held too, or everything after it would stand still.
struct CaptureClock {
    private static let century: Int64 = 36_525 * 86_400 * 1_000_000
    /// The calendar time of the first record.
    private(set) var start: WallTime?
    /// How many times were held.
    private(set) var held: UInt64 = 0
    private var largest: Int64 = 0

    /// The instant of a record with this time, microseconds since 1970-01-01.
    mutating func instant(microseconds: Int64) -> Instant {
        guard let start else {
            self.start = WallTime(microseconds: microseconds)
            return .boot
        }
        let (elapsed, overflow) = microseconds.subtractingReportingOverflow(start.microseconds)
        if !overflow, elapsed >= largest, elapsed < Self.century {
            largest = elapsed
        } else {
            held += 1
        }
        return Instant(nanoseconds: largest * 1_000)
    }
}
