// SPDX-License-Identifier: GPL-2.0-or-later

/// One decoded advertisement of one beacon.
public struct Sighting: Equatable, Sendable {
    /// Who was heard.
    public var beacon: BeaconIdentity
    /// The beacon's own byte: RSSI at 1 m in dBm, as sent and unjudged; nil where the input has none.
    public var measuredPower: Int8?
    /// dBm at our antenna; 127 means the controller had none (Core Spec Vol 4 Part E 7.7.65.2).
    public var rssi: Int8
    /// The device address, where the input has one.
    public var advertiser: DeviceAddress?

    /// A sighting of these fields.
    public init(beacon: BeaconIdentity, measuredPower: Int8?, rssi: Int8, advertiser: DeviceAddress?) {
        self.beacon = beacon
        self.measuredPower = measuredPower
        self.rssi = rssi
        self.advertiser = advertiser
    }

    /// What stands for "no RSSI" in a report.
    public static let noRSSI: Int8 = 127
}

/// Why a report, or what came instead of one, gave no sighting. Noise: counted, never thrown, never logged one by one.
public enum Discard: UInt8, CaseIterable, Sendable {
    /// Not an LE advertising event at all (another HCI packet, event or subevent).
    case notAdvertising
    /// An event whose counts or lengths go beyond its bytes; the reports before that point are kept.
    case malformed
    /// An AD structure that runs past the end of the data; the structures before it are kept.
    case truncated
    /// An iBeacon prefix with fewer than its 21 bytes behind it.
    case short
    /// A report without data, as a scan response often is.
    case empty
    /// Advertising data of something else than an iBeacon.
    case foreign
    /// A piece of an extended report whose data is spread over several.
    case chained

    /// The name used in JSON and summaries.
    public var name: String { String(describing: self) }
}

/// How often each reason for refusing a report was met.
public struct DiscardCounts: Equatable, Sendable {
    private var counts: [8 of UInt64] = .init(repeating: 0)

    /// No discards.
    public init() {}

    /// The count of one reason.
    public subscript(reason: Discard) -> UInt64 {
        get { counts[Int(reason.rawValue)] }
        set { counts[Int(reason.rawValue)] = newValue }
    }

    /// All reasons together.
    public var total: UInt64 { Discard.allCases.reduce(0) { $0 + self[$1] } }

    /// Whether every reason has the same count.
    public static func == (left: DiscardCounts, right: DiscardCounts) -> Bool {
        Discard.allCases.allSatisfy { left[$0] == right[$0] }
    }
}
