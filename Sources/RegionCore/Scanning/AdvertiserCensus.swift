// SPDX-License-Identifier: GPL-2.0-or-later

import Time

/// Tells whether a receiver has company: at least five advertisers heard in the minute before the last report.
///
/// Only reports that carry data are to be given: a broken adapter sends empty ones from addresses nobody has. Exact
/// with five rows, the most recently heard: whoever is not among them was heard before all five.
public struct AdvertiserCensus: Sendable {
    /// As many do not leave or fall silent within one breath; fewer are a quiet hall, where silence means nothing.
    public static let company = 5
    /// Slow tags send every few seconds, and a walker is gone in less than two of these.
    public static let span = Duration.nanoseconds(spanNanoseconds)
    static let spanNanoseconds: Int64 = 60_000_000_000

    /// Who, in no order.
    private var addresses: [5 of UInt64] = .init(repeating: Self.nobody)
    /// When each was last heard, nanoseconds.
    private var instants: [5 of Int64] = .init(repeating: .min)
    private var newest = Int64.min

    /// More than 48 bits: no address.
    private static let nobody = UInt64.max

    /// Nobody heard.
    public init() {}

    /// A report with data was heard. One stamped before others counts at its own instant.
    public mutating func heard(_ advertiser: DeviceAddress, at instant: Instant) {
        let moment = instant.nanoseconds
        newest = max(newest, moment)
        var oldest = 0
        for row in addresses.indices {
            if addresses[row] == advertiser.bits {
                instants[row] = max(instants[row], moment)
                return
            }
            if instants[row] < instants[oldest] { oldest = row }
        }
        guard moment >= instants[oldest] else { return }
        addresses[oldest] = advertiser.bits
        instants[oldest] = moment
    }

    /// Whether at least five advertisers were heard in the minute before the last report, both its ends included.
    public var isCompany: Bool {
        var oldest = Int64.max
        for row in instants.indices { oldest = min(oldest, instants[row]) }
        return oldest > .min && newest - oldest <= Self.spanNanoseconds
    }
}
