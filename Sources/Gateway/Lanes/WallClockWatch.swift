// SPDX-License-Identifier: GPL-2.0-or-later

import Time

/// Notices when somebody sets the wall clock: the boot clock is never set.
struct WallClockWatch {
    private var last: ClockAnchor?
    /// The lane's instant of the next look.
    private var nextLook = Instant(nanoseconds: .min)

    /// A look asks the kernel three times, which costs as much as some reports; what is off for so long harms nobody.
    private static let pause = Duration.seconds(1)

    /// What a clock is slewed by between two looks is far below this; what is set by hand or at a sync is above.
    private static let smallest = Duration.seconds(1)

    /// Whether it is time to look again; to be followed by a look.
    mutating func isDue(at present: Instant) -> Bool {
        guard present >= nextLook else { return false }
        nextLook = present + Self.pause
        return true
    }

    /// The step since the look before, forward positive; nil: none.
    mutating func step(to now: ClockAnchor) -> Duration? {
        defer { last = now }
        guard let last else { return nil }
        let step = now.wallTime - last.wallTime(at: now.instant)
        return step >= Self.smallest || step <= .zero - Self.smallest ? step : nil
    }
}
