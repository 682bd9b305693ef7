// SPDX-License-Identifier: GPL-2.0-or-later

import Time

/// How a transmission arrives: path loss over the logarithm of the distance, shadows that last seconds, fading that
/// differs from packet to packet, bodies in the way.
public enum Propagation {
    /// What the receiver still hears, dBm: the usual sensitivity of a USB adapter.
    public static let floor = -97.0
    /// Shadowing, dB, one standard deviation, drawn anew every `shadowTime`.
    static let shadowSpread = 3.0
    static let shadowTime: Int64 = 2_000_000_000
    /// Fading of single packets, dB, one standard deviation.
    static let fadingSpread = 3.0
    /// A body between beacon and receiver costs this much, dB.
    static let bodyLoss = 15.0
    /// A body may come once in each span of this length, and stays for `bodyTime`.
    static let bodySpan: Int64 = 30_000_000_000
    static let bodyTime: Int64 = 8_000_000_000
    /// The share of bodies that let nothing through.
    static let opaqueBodies = 0.25

    /// Path loss in dB against 1 m. Within half a metre it is that of half a metre.
    public static func pathLoss(squaredDistance: Double, exponent: Double) -> Double {
        // 10 n log10(d) = 5 n log10(2) log2(d²).
        5 * exponent * 0.301_03 * binaryLogarithm(max(squaredDistance, 0.25))
    }

    /// log2 of a positive finite number, within 0.01: the exponent is exact, the significand goes by a parabola
    /// through its ends. Pure targets have no libm, and 0.01 is 0.03 dB here.
    static func binaryLogarithm(_ number: Double) -> Double {
        let significand = number.significand
        return Double(number.exponent) + (2 - significand / 3) * significand - 5 / 3
    }
}

extension SimulatedHall {
    /// The RSSI of one transmission in dBm, or nil where it is not heard.
    func rssi(of sender: Sender, transmission: Int64, from place: Place, at moment: Int64) -> Int8? {
        guard sender.loss.unit(at: transmission) >= plan.packetLoss else { return nil }
        let body = bodyLoss(for: sender, at: moment)
        guard body.isFinite else { return nil }
        let receiver = Place(x: plan.receiverX, y: plan.receiverY)
        let mean =
            sender.power
            - Propagation.pathLoss(squaredDistance: place.squaredDistance(to: receiver), exponent: plan.pathLoss)
        let shadow = sender.shadow.normal(at: moment.flooredQuotient(Propagation.shadowTime))
        let level =
            mean + shadow * Propagation.shadowSpread
            + sender.fading.normal(at: transmission) * Propagation.fadingSpread - body
        guard level > Propagation.floor else { return nil }
        return Int8(min(level.rounded(), 20))
    }

    private func bodyLoss(for sender: Sender, at moment: Int64) -> Double {
        let span = moment.flooredQuotient(Propagation.bodySpan)
        guard sender.bodies.unit(at: 3 * span) < plan.bodyBlocks else { return 0 }
        let latest = Propagation.bodySpan - Propagation.bodyTime
        let begin = span * Propagation.bodySpan + sender.bodies.whole(at: 3 * span + 1, below: latest)
        guard (begin..<(begin + Propagation.bodyTime)).contains(moment) else { return 0 }
        return sender.bodies.unit(at: 3 * span + 2) < Propagation.opaqueBodies ? .infinity : Propagation.bodyLoss
    }
}
