// SPDX-License-Identifier: GPL-2.0-or-later

import RegionCore
import Time

/// Something that advertises: a badge, an exhibit's beacon, a stranger.
struct Sender: Sendable {
    enum Bearer: Sendable {
        case hangs(at: Place)
        case carried(by: Int)
    }

    /// Every sender adds 0–10 ms to its interval, drawn anew each time (Core Spec Vol 6 Part B 4.4.2.2.1). Here the sum
    /// is held to its mean, so that the time of any transmission is known without those before it.
    private static let delay: Int64 = 10_000_000
    /// How long a rotating address is used: 15 min, as the Core Spec recommends (Vol 3 Part C App. A).
    private static let addressTime: Int64 = 900_000_000_000

    let bearer: Bearer
    /// RSSI at 1 m as it really is, dBm.
    let power: Double
    /// The report it sends, without RSSI, and with its first address.
    let report: AdvertisingEncoder.Report
    let rotatesAddress: Bool
    let isExtended: Bool
    let loss, fading, shadow, bodies: SplitMix64
    private let jitter, addresses, oddities: SplitMix64
    private let step: Int64
    private let phase: Int64

    /// A sender whose traits come from `draws`.
    init(
        bearer: Bearer, data: [UInt8], rotatesAddress: Bool, plan: HallPlan, interval: Duration, draws: SplitMix64
    ) {
        self.bearer = bearer
        self.rotatesAddress = rotatesAddress
        power = Double(plan.measuredPower) + draws.normal(at: 0) * plan.powerSpread
        step = interval.wholeNanoseconds + Self.delay / 2
        phase = draws.whole(at: 1, below: step)
        isExtended = draws.unit(at: 2) < 0.125
        jitter = draws.stream(0)
        loss = draws.stream(1)
        fading = draws.stream(2)
        shadow = draws.stream(3)
        bodies = draws.stream(4)
        oddities = draws.stream(5)
        addresses = draws.stream(6)
        report = AdvertisingEncoder.Report(
            address: DeviceAddress(bits: addresses.bits(at: 0) | 0xC000_0000_0000), data: data, rssi: Sighting.noRSSI)
    }

    /// When a transmission is sent, nanoseconds. Later numbers are later.
    func moment(of transmission: Int64) -> Int64 {
        phase + transmission * step + jitter.whole(at: transmission, below: Self.delay)
    }

    /// The number of the first transmission at a moment or after it.
    func firstTransmission(notBefore moment: Int64) -> Int64 {
        var transmission = (moment - phase).flooredQuotient(step) - 1
        while self.moment(of: transmission) < moment { transmission += 1 }
        return transmission
    }

    /// Appends to an empty `frame` the HCI event in which a controller reports a transmission.
    func write(_ transmission: Int64, rssi: Int8, at moment: Int64, plan: HallPlan, into frame: inout [UInt8]) {
        var report = report
        report.rssi = oddities.unit(at: 2 * transmission) < plan.missingRSSI ? Sighting.noRSSI : rssi
        if rotatesAddress {
            // Bits 01 on top: resolvable (Core Spec Vol 6 Part B 1.3.2.2).
            let random = addresses.bits(at: moment.flooredQuotient(Self.addressTime)) & 0x3FFF_FFFF_FFFF
            report.address = DeviceAddress(bits: random | 0x4000_0000_0000)
        }
        if isExtended {
            AdvertisingEncoder.appendExtendedEvent(report, to: &frame)
        } else {
            AdvertisingEncoder.appendLegacyEvent(report, to: &frame)
        }
        let fate = oddities.unit(at: 2 * transmission + 1)
        if fate < plan.brokenEvents {
            frame.removeLast(1 + Int(fate / plan.brokenEvents * Double(frame.count - 5)))
        }
    }
}
