// SPDX-License-Identifier: GPL-2.0-or-later

import Time

/// Extended reports whose data came in several pieces, each advertiser's put together apart from the others'.
///
/// HCI numbers no pieces: one belongs to the open chain of its address, address type and advertising SID. A piece
/// starts anew where it begins with all bytes of the chain's first piece, or repeats the flags structure that one
/// began with, which stands in an advertisement once; the rest of the old chain was lost then.
///
/// The air is hostile, so there is a limit to everything; each chain given up is one `Discard.chained`. A buffer that
/// exists is used again, so that a steady stream allocates nothing.
public struct ReportChains: Sendable {
    /// The longest advertising data there is (Core Spec Vol 4 Part E 7.8.54). A longer chain is given up.
    public static let longestData = 1_650
    /// 105,600 bytes of data in all. A controller follows a few chains at a time; when full the oldest is given up.
    public static let mostOpen = 64
    /// The pieces of one advertisement come within milliseconds; a chain begun longer ago is given up.
    public static let longestAge = Duration.seconds(1)

    /// One open chain; its data lies at `place` in `storage`.
    private struct Chain {
        var key: UInt64
        var place: Int
        var begunAt: Instant
        var rssi: Int8
        /// Bytes of the first piece, and of all.
        var firstCount: Int
        var count: Int

        var start: Int { place * ReportChains.longestData }
    }

    /// What a piece completed: where its data lies in `storage`, and how strongly it was heard.
    struct Joined {
        var data: Range<Int>
        var rssi: Int8
    }

    /// What became of a piece.
    enum Outcome {
        /// More is to come.
        case taken
        /// It can belong to nobody, or its chain grew too long.
        case refused
        /// It is the only piece: nothing is open that it could go on with.
        case alone
        /// It ended its chain.
        case joined(Joined)
    }

    /// Oldest first.
    private var open: [Chain] = []
    /// `longestData` bytes for each place that was ever used.
    private(set) var storage: [UInt8] = []
    /// A bit for each place in use.
    private var placesInUse: UInt64 = 0

    /// No chain open.
    public init() {}

    /// Whether no chain is open.
    public var isEmpty: Bool { open.isEmpty }
    /// How many chains are open.
    public var count: Int { open.count }

    /// Gives up what began too long before an instant. Gives how many chains that were.
    mutating func dropOld(at instant: Instant) -> Int {
        var dropped = 0
        while let oldest = open.first, instant - oldest.begunAt > Self.longestAge {
            close(0)
            dropped += 1
        }
        return dropped
    }

    /// Takes one piece.
    ///
    /// - Parameters:
    ///   - key: address, address type and SID.
    ///   - isLast: whether its data status says that nothing follows.
    ///   - dropped: counts the chains that are given up for it.
    mutating func take(
        _ piece: Span<UInt8>, key: UInt64, isLast: Bool, rssi: Int8, at instant: Instant, dropped: inout Int
    ) -> Outcome {
        var number = open.firstIndex { $0.key == key }
        if let found = number, startsAnew(piece, open[found]) {
            close(found)
            dropped += 1
            number = nil
        }
        guard let number else {
            if isLast { return .alone }
            begin(piece, key: key, rssi: rssi, at: instant, dropped: &dropped)
            return .taken
        }
        guard open[number].count + piece.count <= Self.longestData else {
            close(number)
            return .refused
        }
        append(piece, to: number)
        if open[number].rssi == Sighting.noRSSI { open[number].rssi = rssi }
        guard isLast else { return .taken }
        let chain = open[number]
        close(number)
        return .joined(Joined(data: chain.start..<(chain.start + chain.count), rssi: chain.rssi))
    }

    /// Whether a piece begins like the first one of a chain, over more than a coincidence.
    private func startsAnew(_ piece: Span<UInt8>, _ chain: Chain) -> Bool {
        guard chain.firstCount >= Self.flagsBytes, piece.count >= Self.flagsBytes else { return false }
        var same = 0
        while same < min(chain.firstCount, piece.count), piece[same] == storage[chain.start + same] { same += 1 }
        return same == chain.firstCount || same >= Self.flagsBytes && piece[0] == 2 && piece[1] == 1
    }

    /// Length 2, type 1, the flags.
    private static let flagsBytes = 3

    private mutating func begin(
        _ piece: Span<UInt8>, key: UInt64, rssi: Int8, at instant: Instant, dropped: inout Int
    ) {
        if open.count == Self.mostOpen {
            close(0)
            dropped += 1
        }
        let place = (~placesInUse).trailingZeroBitCount
        placesInUse |= 1 << UInt64(place)
        if storage.count <= place * Self.longestData {
            storage.append(contentsOf: repeatElement(0, count: Self.longestData))
        }
        open.append(
            Chain(key: key, place: place, begunAt: instant, rssi: rssi, firstCount: piece.count, count: 0))
        append(piece, to: open.count - 1)
    }

    private mutating func append(_ piece: Span<UInt8>, to number: Int) {
        let end = open[number].start + open[number].count
        for index in piece.indices { storage[end + index] = piece[index] }
        open[number].count += piece.count
    }

    private mutating func close(_ number: Int) {
        placesInUse &= ~(1 << UInt64(open[number].place))
        open.remove(at: number)
    }
}
