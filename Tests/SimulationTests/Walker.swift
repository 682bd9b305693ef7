// SPDX-License-Identifier: GPL-2.0-or-later

import HallSimulator
import RegionCore
import Time

/// A sender in the corridor: a visitor's badge, which walks, or an exhibit, which hangs.
struct Walker {
    /// One advertisement.
    struct Transmission {
        var number: Int64
        var moment: Instant
    }

    let identity: BeaconIdentity
    let address: DeviceAddress
    private let draws: SplitMix64
    private let length: Double
    private let interval: Double
    /// When it is in the corridor.
    private let spans: [Range<Instant>]
    /// Where it hangs; nil: it walks.
    private let spot: Double?
    private let lacksRSSI: Bool

    private static let leg = 20.0

    /// Badges, twins of the first one, and exhibits where somebody is led past them.
    static func all(_ draws: SplitMix64, hall: WalkedHall) -> [Walker] {
        let length = Double(hall.receivers.count - 1) * 10
        var walkers: [Walker] = []
        func add(_ identity: BeaconIdentity, spot: Double? = nil) {
            let own = draws.stream(100 + UInt64(walkers.count))
            walkers.append(
                Walker(
                    identity: identity, address: DeviceAddress(bits: 0xC000_0000_0000 | UInt64(walkers.count)),
                    draws: own, length: length, interval: [0.5, 1, 2, 2][Int(own.whole(at: 0, below: 4))],
                    spans: spot == nil ? Self.spans(own) : [Instant.boot..<WalkedHall.moment(WalkedHall.closing)],
                    spot: spot,
                    lacksRSSI: hall.faults.contains(.air)))
        }
        for badge in hall.badges { add(badge) }
        if hall.faults.contains(.air), draws.unit(at: 6) < 0.3 { add(hall.badges[0]) }
        if hall.receivers.contains(where: { $0.entry.kind == .carried }) {
            for minor in 1...2 as ClosedRange<UInt16> {
                add(BeaconIdentity(uuid: WalkedHall.uuid, major: 1_001, minor: minor), spot: Double(minor) * 6)
            }
        }
        return walkers
    }

    /// One or two stays before the closing time.
    private static func spans(_ draws: SplitMix64) -> [Range<Instant>] {
        let first = 20 * draws.unit(at: 1)
        let leaves = first + 20 + 70 * draws.unit(at: 2)
        let back = leaves + 5 + 60 * draws.unit(at: 3)
        var spans = [WalkedHall.moment(first)..<WalkedHall.moment(leaves)]
        if back < WalkedHall.closing - 10 {
            spans.append(WalkedHall.moment(back)..<WalkedHall.moment(WalkedHall.closing))
        }
        return spans
    }

    var transmissions: [Transmission] {
        (0..<Int64(WalkedHall.closing / interval)).compactMap { number in
            let moment = WalkedHall.moment((Double(number) + 0.1 * draws.unit(at: 1_000 + number)) * interval)
            return spans.contains { $0.contains(moment) } ? Transmission(number: number, moment: moment) : nil
        }
    }

    /// Metres along the corridor: half of each leg it stands, then it walks to the next place.
    private static func place(_ draws: SplitMix64, length: Double, at seconds: Double) -> Double {
        let leg = Int64(seconds / leg)
        func stop(_ number: Int64) -> Double { length * draws.unit(at: 500 + number) }
        let part = max(0, 2 * (seconds - Double(leg) * Self.leg) / Self.leg - 1)
        return stop(leg) + (stop(leg + 1) - stop(leg)) * part
    }

    /// What a receiver reads, dBm; nil: it does not hear it.
    func rssi(of transmission: Transmission, at receiver: WalkedHall.Receiver, _ number: Int) -> Int8? {
        let own = draws.stream(50 + UInt64(number))
        guard own.unit(at: 2 * transmission.number) >= 0.3 else { return nil }
        if lacksRSSI, own.unit(at: 2 * transmission.number + 1) < 0.03 { return Sighting.noRSSI }
        let seconds = (transmission.moment - .boot).inSeconds
        let x = spot ?? Self.place(draws, length: length, at: seconds)
        let other =
            receiver.entry.kind == .fixed
            ? receiver.x : Self.place(SplitMix64(seed: UInt64(number)), length: length, at: seconds)
        let level =
            -59 - Propagation.pathLoss(squaredDistance: (x - other) * (x - other) + 4, exponent: 3)
            + 3 * own.normal(at: transmission.number) + receiver.error
        return level > Propagation.floor ? Int8(level.rounded()) : nil
    }
}
