// SPDX-License-Identifier: GPL-2.0-or-later

import Time

/// Tells the silence of an empty hall from that of a receiver that has gone deaf.
///
/// Silence may be a fault only where there was company before it: five advertisers in the minute before the last
/// report, or a canary beacon, which never leaves. Then nothing is known of what followed the last report until
/// another one comes, or the silence is declared deafness. Planned pauses of a duty cycle are no silence.
public struct SilenceWatch: Sendable {
    /// Five advertisers do not all pause so long; the watchdog of the radio begins here.
    public static let limit = Duration.nanoseconds(limitNanoseconds)
    /// A canary sends at least once a second, so this is ten lost packets in a row.
    public static let canaryLimit = Duration.nanoseconds(canaryLimitNanoseconds)

    /// A silence that is deafness.
    public struct Silence: Equatable, Sendable {
        /// The last report before it.
        public var since: Instant
        /// When it had lasted too long.
        public var at: Instant
        /// Whether a canary is among those that fell silent.
        public var canary: Bool

        /// A silence of these parts.
        public init(since: Instant, at: Instant, canary: Bool) {
            self.since = since
            self.at = at
            self.canary = canary
        }
    }

    private static let limitNanoseconds: Int64 = 30_000_000_000
    private static let canaryLimitNanoseconds: Int64 = 10_000_000_000

    // All moments are nanoseconds, and what follows from a report is worked out once: each report passes here.
    private var census = AdvertiserCensus()
    private var lastCanary = Self.never
    private var last = Self.never
    /// From when silence counts: the last report, later by pauses and losses that are accounted for.
    private var quietSince = Self.never
    /// When the window of the duty cycle closed, while it is closed.
    private var pausedAt: Int64?
    /// Whether a canary was heard in the minute before the last report.
    private var hasCanary = false
    /// When silence becomes deafness; `.max`: never.
    private var limitAt = Int64.max
    /// Whether what followed the last report is unknown: silence may be a fault.
    public private(set) var isBounded = false
    /// Whether it was declared deaf and nothing was heard since.
    public private(set) var isSilent = false

    /// So long ago that no difference from it overflows.
    private static let never = Int64.min / 2

    /// Nothing heard yet.
    public init() {}

    /// The last report that carried data.
    public var lastReport: Instant? { last > Self.never ? Instant(nanoseconds: last) : nil }

    /// A report that carries data came; it ends a silence.
    public mutating func heard(_ advertiser: DeviceAddress, isCanary: Bool, at instant: Instant) {
        let moment = instant.nanoseconds
        census.heard(advertiser, at: instant)
        if isCanary { lastCanary = max(lastCanary, moment) }
        if moment >= last {
            last = moment
            quietSince = moment
            if pausedAt != nil { pausedAt = moment }
        }
        hasCanary = last - lastCanary <= AdvertiserCensus.spanNanoseconds
        isBounded = hasCanary || census.isCompany
        isSilent = false
        setLimit()
    }

    /// A planned window opened or closed.
    public mutating func window(open: Bool, at instant: Instant) {
        let moment = instant.nanoseconds
        if open {
            if let pausedAt { quietSince += max(0, moment - pausedAt) }
            pausedAt = nil
        } else if pausedAt == nil {
            pausedAt = max(moment, quietSince)
        }
        setLimit()
    }

    /// The receiver hears again after a loss that its source told of: silence counts from now.
    public mutating func resume(at instant: Instant) {
        quietSince = max(quietSince, instant.nanoseconds)
        if pausedAt != nil { pausedAt = quietSince }
        setLimit()
    }

    private mutating func setLimit() {
        guard isBounded, !isSilent, pausedAt == nil else {
            limitAt = .max
            return
        }
        limitAt = quietSince + (hasCanary ? Self.canaryLimitNanoseconds : Self.limitNanoseconds)
    }

    /// Up to when the receiver is known to have listened; nil: to the present.
    public var horizon: Instant? { isBounded ? Instant(nanoseconds: last) : nil }

    /// When the silence becomes deafness if it goes on; nil: never, or not before the next window.
    public var silentAt: Instant? { limitAt < .max ? Instant(nanoseconds: limitAt) : nil }

    /// Declares what has become deafness before an instant.
    public mutating func declare(before instant: Instant) -> Silence? {
        guard limitAt < instant.nanoseconds else { return nil }
        let silence = Silence(
            since: Instant(nanoseconds: last), at: Instant(nanoseconds: limitAt), canary: hasCanary)
        isSilent = true
        limitAt = .max
        return silence
    }
}
