// SPDX-License-Identifier: GPL-2.0-or-later

/// Writes what `AdvertisingParser` reads: for the simulator, for tests, and for a transmitter.
public enum AdvertisingEncoder {
    /// One report of an event.
    public struct Report: Equatable, Sendable {
        /// 0 connectable, 2 scannable, 3 neither, 4 scan response; in an extended event the low byte of its bits.
        public var eventType: UInt8
        /// 0 public, 1 random.
        public var addressType: UInt8
        /// The sender.
        public var address: DeviceAddress
        /// A row of AD structures; at most 31 bytes in a legacy report, 229 in an extended one.
        public var data: [UInt8]
        /// dBm, 127 for none.
        public var rssi: Int8

        /// A report of these parts.
        public init(
            eventType: UInt8 = 3, addressType: UInt8 = 1, address: DeviceAddress, data: [UInt8], rssi: Int8
        ) {
            self.eventType = eventType
            self.addressType = addressType
            self.address = address
            self.data = data
            self.rssi = rssi
        }
    }

    /// Appends the flags structure and an iBeacon structure: 30 bytes.
    public static func appendIBeacon(_ beacon: BeaconIdentity, measuredPower: Int8, to data: inout [UInt8]) {
        data.append(2)
        data.append(0x01)
        data.append(0x06)
        data.append(UInt8(IBeacon.structureBodyBytes))
        for index in IBeacon.prefix.indices { data.append(IBeacon.prefix[index]) }
        appendBigEndian(beacon.uuid.high, to: &data)
        appendBigEndian(beacon.uuid.low, to: &data)
        appendBigEndian(beacon.major, to: &data)
        appendBigEndian(beacon.minor, to: &data)
        data.append(UInt8(bitPattern: measuredPower))
    }

    /// Appends one LE Advertising Report event that holds these reports in order.
    public static func appendLegacyEvent(_ reports: [Report], to frame: inout [UInt8]) {
        beginEvent(HCI.advertisingReport, reports: reports.count, in: &frame) { frame in
            for report in reports { appendLegacy(report, to: &frame) }
        }
    }

    /// Appends one LE Advertising Report event of one report; allocates nothing where `frame` has room.
    public static func appendLegacyEvent(_ report: Report, to frame: inout [UInt8]) {
        beginEvent(HCI.advertisingReport, reports: 1, in: &frame) { frame in appendLegacy(report, to: &frame) }
    }

    /// Appends one LE Extended Advertising Report event of one complete report, sent as a legacy PDU on LE 1M.
    public static func appendExtendedEvent(_ report: Report, to frame: inout [UInt8]) {
        beginEvent(HCI.extendedAdvertisingReport, reports: 1, in: &frame) { frame in
            frame.append(0x10 | report.eventType)
            frame.append(0)
            frame.append(report.addressType)
            append(report.address, to: &frame)
            frame.append(1)  // Primary PHY: LE 1M.
            frame.append(0)  // No packets on the secondary channel.
            frame.append(0xFF)  // No advertising set.
            frame.append(127)  // Transmit power not available.
            frame.append(UInt8(bitPattern: report.rssi))
            for _ in 0..<9 { frame.append(0) }  // No periodic advertising, no direct address.
            frame.append(UInt8(truncatingIfNeeded: report.data.count))
            frame.append(contentsOf: report.data)
        }
    }

    private static func beginEvent(
        _ subevent: UInt8, reports: Int, in frame: inout [UInt8], _ body: (inout [UInt8]) -> Void
    ) {
        frame.append(HCI.eventPacket)
        frame.append(HCI.leMetaEvent)
        let length = frame.count
        frame.append(0)
        frame.append(subevent)
        frame.append(UInt8(truncatingIfNeeded: reports))
        body(&frame)
        let bytes = frame.count - length - 1
        precondition(bytes <= 255, "an HCI event holds at most 255 bytes of parameters")
        frame[length] = UInt8(bytes)
    }

    private static func appendLegacy(_ report: Report, to frame: inout [UInt8]) {
        frame.append(report.eventType)
        frame.append(report.addressType)
        append(report.address, to: &frame)
        frame.append(UInt8(truncatingIfNeeded: report.data.count))
        frame.append(contentsOf: report.data)
        frame.append(UInt8(bitPattern: report.rssi))
    }

    private static func append(_ address: DeviceAddress, to bytes: inout [UInt8]) {
        for index in 0..<6 { bytes.append(UInt8(truncatingIfNeeded: address.bits >> (8 * UInt64(index)))) }
    }

    private static func appendBigEndian(_ value: some FixedWidthInteger, to bytes: inout [UInt8]) {
        for shift in stride(from: value.bitWidth - 8, through: 0, by: -8) {
            bytes.append(UInt8(truncatingIfNeeded: value >> shift))
        }
    }
}
