// SPDX-License-Identifier: GPL-2.0-or-later

/// A beacon's proximity UUID, 16 bytes in network order, kept as two words.
public struct BeaconUUID: Hashable, Comparable, Sendable {
    /// Bytes 0–7, the first byte highest.
    public let high: UInt64
    /// Bytes 8–15.
    public let low: UInt64

    /// The UUID of these two words.
    public init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// Reads 32 hex digits in any case, with dashes in the usual four places or with none; nil for anything else.
    public init?(_ text: some StringProtocol) {
        var words: (UInt64, UInt64) = (0, 0)
        var digits = 0
        var position = 0
        var dashes = 0
        for byte in text.utf8 {
            defer { position += 1 }
            if byte == UInt8(ascii: "-") {
                guard [8, 13, 18, 23].contains(position) else { return nil }
                dashes += 1
                continue
            }
            guard let digit = hexDigitValue(byte), digits < 32 else { return nil }
            words.0 = words.0 << 4 | words.1 >> 60
            words.1 = words.1 << 4 | UInt64(digit)
            digits += 1
        }
        guard digits == 32, dashes == 0 || dashes == 4 else { return nil }
        self.init(high: words.0, low: words.1)
    }

    /// Byte order.
    public static func < (left: BeaconUUID, right: BeaconUUID) -> Bool {
        (left.high, left.low) < (right.high, right.low)
    }
}

extension BeaconUUID: CustomStringConvertible {
    /// The canonical form: upper case, dashed.
    public var description: String {
        var text: [UInt8] = []
        text.reserveCapacity(36)
        for index in 0..<32 {
            if index == 8 || index == 12 || index == 16 || index == 20 { text.append(UInt8(ascii: "-")) }
            let word = index < 16 ? high : low
            text.append(hexDigit(UInt8(truncatingIfNeeded: word >> (60 - 4 * UInt64(index % 16))) & 0xF))
        }
        return String(decoding: text, as: UTF8.self)
    }
}

/// What an iBeacon says it is: proximity UUID, major and minor. Identity is this and never a device address.
public struct BeaconIdentity: Hashable, Comparable, Sendable {
    /// The proximity UUID.
    public let uuid: BeaconUUID
    /// The major number: by custom a place.
    public let major: UInt16
    /// The minor number: by custom one beacon in that place.
    public let minor: UInt16

    /// The identity of these three fields.
    public init(uuid: BeaconUUID, major: UInt16, minor: UInt16) {
        self.uuid = uuid
        self.major = major
        self.minor = minor
    }

    /// By UUID, then major, then minor.
    public static func < (left: BeaconIdentity, right: BeaconIdentity) -> Bool {
        (left.uuid, left.major, left.minor) < (right.uuid, right.major, right.minor)
    }
}

extension BeaconIdentity: CustomStringConvertible {
    /// `UUID/major/minor`, as the command line takes it.
    public var description: String { "\(uuid)/\(major)/\(minor)" }
}

/// A device address as the advertisement carried it: evidence, never identity.
public struct DeviceAddress: Hashable, Sendable {
    /// The 48 bits, most significant byte first as people write it.
    public let bits: UInt64

    /// The address of the low 48 bits.
    public init(bits: UInt64) { self.bits = bits & 0xFFFF_FFFF_FFFF }

    /// Reads `C0:FF:EE:00:00:01`, in any case; nil for anything else.
    public init?(_ text: some StringProtocol) {
        var bits: UInt64 = 0
        var position = 0
        for byte in text.utf8 {
            defer { position += 1 }
            if position % 3 == 2 {
                guard byte == UInt8(ascii: ":") else { return nil }
            } else {
                guard position < 17, let digit = hexDigitValue(byte) else { return nil }
                bits = bits << 4 | UInt64(digit)
            }
        }
        guard position == 17 else { return nil }
        self.init(bits: bits)
    }
}

extension DeviceAddress: CustomStringConvertible {
    /// `C0:FF:EE:00:00:01`.
    public var description: String {
        var text: [UInt8] = []
        for index in 0..<12 {
            if index > 0, index % 2 == 0 { text.append(UInt8(ascii: ":")) }
            text.append(hexDigit(UInt8(truncatingIfNeeded: bits >> (44 - 4 * UInt64(index))) & 0xF))
        }
        return String(decoding: text, as: UTF8.self)
    }
}

/// The value of one ASCII hex digit, or nil.
func hexDigitValue(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    default: nil
    }
}

/// In ASCII.
private func hexDigit(_ value: UInt8) -> UInt8 {
    value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "A") + value - 10
}
