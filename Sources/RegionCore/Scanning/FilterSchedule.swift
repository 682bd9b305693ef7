// SPDX-License-Identifier: GPL-2.0-or-later

import Time

/// When the kernel's filter may hide foreign advertising, and when it must not: those who advertise are counted to
/// tell a fault from an empty hall, and people look at them.
public struct FilterSchedule: Sendable {
    /// It is lifted for the first of these seconds of every minute.
    private static let census = Duration.seconds(2)
    private static let period = Duration.seconds(60)
    /// Without a report for so long it is lifted until one comes.
    private static let silence = Duration.seconds(10)
    /// Who looks at the field asks again within this.
    private static let look = Duration.seconds(5)

    private let start: Instant
    private var lastReport: Instant
    private var watchedUntil: Instant

    /// A schedule that begins with a census.
    public init(from start: Instant) {
        self.start = start
        lastReport = start
        watchedUntil = start
    }

    /// The last report that carried data came at this instant.
    public mutating func heard(at instant: Instant) { lastReport = max(lastReport, instant) }

    /// Somebody looks at everything that is heard.
    public mutating func watched(at instant: Instant) { watchedUntil = instant + Self.look }

    /// Whether it may hide now.
    public func hides(at now: Instant) -> Bool {
        phase(at: now) >= Self.census && now - lastReport < Self.silence && now >= watchedUntil
    }

    /// When the answer may change, if nothing comes in before.
    public func nextChange(after now: Instant) -> Instant {
        let phase = phase(at: now)
        var next = phase < Self.census ? now - phase + Self.census : now - phase + Self.period
        for moment in [lastReport + Self.silence, watchedUntil] where moment > now { next = min(next, moment) }
        return next
    }

    private func phase(at now: Instant) -> Duration {
        .nanoseconds((now - start).wholeNanoseconds.flooredRemainder(Self.period.wholeNanoseconds))
    }
}
