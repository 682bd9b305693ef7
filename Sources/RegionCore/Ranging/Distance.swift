// SPDX-License-Identifier: GPL-2.0-or-later

extension DistanceBand {
    /// The band of `10 ^ ((power − rssi) / (10 · pathLoss))` metres. Bands are compared by their logarithms, so no
    /// power is ever computed.
    ///
    /// - Parameters:
    ///   - rssi: filtered, dBm.
    ///   - power: RSSI at 1 m, dBm.
    ///   - pathLoss: 2.0 in an open hall, 3.0 in a crowded one.
    init(rssi: Double, power: Double, pathLoss: Double) {
        let decades = (power - rssi) / (10 * pathLoss)
        switch decades {
        case ..<0: self = .under1
        case ..<0.301_03: self = .from1to2  // log10 2
        case ..<0.698_97: self = .from2to5  // log10 5
        case ..<1: self = .from5to10
        case ..<1.301_03: self = .from10to20  // log10 20
        default: self = .over20
        }
    }
}

/// The power that distance is worked out with.
enum ReferencePower {
    /// What a beacon's own byte may say: real ones measure within it, a byte outside it is a configuration error.
    static let plausible: ClosedRange<Int8> = -100...(-20)

    /// What most beacons measure, dBm: stands for a power that nobody knows where only differences count.
    static let usual = -59.0

    /// The registry's measured value, else the beacon's own byte where it is plausible, else none.
    static func choose(calibrated: Int8?, measured: Int8?) -> Double? {
        if let calibrated { return Double(calibrated) }
        guard let measured, plausible.contains(measured) else { return nil }
        return Double(measured)
    }
}
