// SPDX-License-Identifier: GPL-2.0-or-later

/// What every advertising report says, whatever it carries: who sent it and how loud it was.
public struct ReportHead: Equatable, Sendable {
    /// Who sent it.
    public var advertiser: DeviceAddress
    /// dBm at our antenna; 127 means the controller had none.
    public var rssi: Int8
    /// Whether it carries advertising data.
    public var hasData: Bool
}

extension AdvertisingParser {
    /// Gives the heads of the whole reports in a frame, in order; the pieces of a chain are reports of their own. For
    /// measuring: what is decided on goes through `parse`.
    ///
    /// Layouts: LE Advertising Report, Core Spec Vol 4 Part E 7.7.65.2; LE Extended Advertising Report, 7.7.65.13.
    public static func heads(of frame: borrowing FrameBuffer, _ body: (ReportHead) -> Void) {
        let event = frame.storage.span.extracting(0..<frame.count)
        guard event.count > HCI.reportCountOffset, event[0] == HCI.eventPacket, event[1] == HCI.leMetaEvent else {
            return
        }
        let isExtended = event[3] == HCI.extendedAdvertisingReport
        guard isExtended || event[3] == HCI.advertisingReport else { return }
        // Bytes before the data, and where among them the address is.
        let (headBytes, addressOffset) = isExtended ? (24, 3) : (9, 2)
        var start = HCI.reportCountOffset + 1
        for _ in 0..<event[HCI.reportCountOffset] {
            guard start + headBytes <= event.count else { return }
            let dataBytes = Int(event[start + headBytes - 1])
            // An extended report has its RSSI before the direct address, a legacy one behind the data.
            let rssi = isExtended ? start + 13 : start + headBytes + dataBytes
            let next = start + headBytes + dataBytes + (isExtended ? 0 : 1)
            guard next <= event.count else { return }
            var bits: UInt64 = 0
            for index in 0..<6 { bits |= UInt64(event[start + addressOffset + index]) << (8 * UInt64(index)) }
            body(
                ReportHead(
                    advertiser: DeviceAddress(bits: bits), rssi: Int8(bitPattern: event[rssi]),
                    hasData: dataBytes > 0))
            start = next
        }
    }
}
