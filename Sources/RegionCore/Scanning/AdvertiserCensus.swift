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

    /// Who, the last heard first.
    private var addresses: [5 of UInt64] = .init(repeating: Self.nobody)
    /// When each was last heard, nanoseconds.
    private var instants: [5 of Int64] = .init(repeating: .min)

    /// More than 48 bits: no address.
    private static let nobody = UInt64.max

    /// Nobody heard.
    public init() {}

    /// A report with data was heard. One stamped before others counts at its own instant.
    @inline(__always)
    public mutating func heard(_ advertiser: DeviceAddress, at instant: Instant) {
        let moment = instant.nanoseconds
        // The advertiser's own row, else that of the one who was heard before all others.
        var row = 0
        while row < Self.company - 1, addresses[row] != advertiser.bits { row += 1 }
        guard moment >= instants[row] else { return }
        while row > 0, instants[row - 1] <= moment {
            addresses[row] = addresses[row - 1]
            instants[row] = instants[row - 1]
            row -= 1
        }
        addresses[row] = advertiser.bits
        instants[row] = moment
    }

    /// Whether at least five advertisers were heard in the minute before the last report, both its ends included.
    @inline(__always)
    public var isCompany: Bool {
        let oldest = instants[Self.company - 1]
        return oldest > .min && instants[0] - oldest <= Self.spanNanoseconds
    }
}
