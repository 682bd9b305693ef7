// SPDX-License-Identifier: GPL-2.0-or-later

/// Writes JSON into a buffer, in one pass and in the order of the calls; commas come by themselves.
///
/// The output is safe inside a page and on a terminal: control characters (C1 ones too), `<`, `>`, `&` and the line
/// separators U+2028 and U+2029 are escaped, so no text can close a script element or move a cursor.
/// Opening and closing in pairs is the caller's part.
public struct JSONWriter: Sendable {
    /// What has been written.
    public private(set) var bytes: [UInt8] = []
    /// Whether a value stands before the present place in the same array or object.
    private var needsComma = false

    /// An empty buffer.
    public init() {}

    /// What has been written, as a text.
    public var text: String { String(decoding: bytes, as: UTF8.self) }

    /// Empties the buffer for the next text.
    public mutating func removeAll(keepingCapacity: Bool = true) {
        bytes.removeAll(keepingCapacity: keepingCapacity)
        needsComma = false
    }

    /// Makes room, so that a document of about that many bytes is written without moving it.
    public mutating func reserve(_ count: Int) { bytes.reserveCapacity(count) }

    /// `{`
    public mutating func beginObject() { open(UInt8(ascii: "{")) }

    /// `}`
    public mutating func endObject() { close(UInt8(ascii: "}")) }

    /// `[`
    public mutating func beginArray() { open(UInt8(ascii: "[")) }

    /// `]`
    public mutating func endArray() { close(UInt8(ascii: "]")) }

    /// The key of the value that is written next.
    public mutating func key(_ key: String) {
        separate()
        quote(key)
        bytes.append(UInt8(ascii: ":"))
        needsComma = false
    }

    /// A text.
    public mutating func string(_ value: String) {
        separate()
        quote(value)
    }

    /// A whole number of any width.
    public mutating func integer(_ value: some BinaryInteger) {
        separate()
        if let value = Int64(exactly: value) {
            appendDigits(of: value.magnitude, negative: value < 0)
        } else {
            bytes.append(contentsOf: String(value).utf8)
        }
    }

    /// A number rounded to at most so many decimals (0 to 9), without needless zeros; as few digits as read back to
    /// the same `Double` where `decimals` is nil. What is not a number, or not finite, is null.
    public mutating func number(_ value: Double, decimals: Int? = nil) {
        guard value.isFinite else { return null() }
        separate()
        guard let decimals, let rounded = Rounded(value, decimals: decimals) else {
            bytes.append(contentsOf: "\(value)".utf8)
            return
        }
        appendDigits(of: rounded.whole, negative: rounded.isNegative)
        guard rounded.fraction > 0 else { return }
        bytes.append(UInt8(ascii: "."))
        appendDigits(of: rounded.fraction, width: rounded.decimals)
        while bytes.last == UInt8(ascii: "0") { bytes.removeLast() }
    }

    /// `true` or `false`.
    public mutating func bool(_ value: Bool) {
        separate()
        bytes.append(contentsOf: (value ? "true" : "false").utf8)
    }

    /// `null`
    public mutating func null() {
        separate()
        bytes.append(contentsOf: "null".utf8)
    }
}

/// Members in one call; nil is written as null.
extension JSONWriter {
    /// A member that is a text.
    public mutating func member(_ key: String, _ value: String?) {
        self.key(key)
        if let value { string(value) } else { null() }
    }

    /// A member that is a whole number.
    public mutating func member(_ key: String, _ value: (some BinaryInteger)?) {
        self.key(key)
        if let value { integer(value) } else { null() }
    }

    /// A member that is a number, rounded as `number` does.
    public mutating func member(_ key: String, _ value: Double?, decimals: Int? = nil) {
        self.key(key)
        if let value { number(value, decimals: decimals) } else { null() }
    }

    /// A member that is true or false.
    public mutating func member(_ key: String, _ value: Bool?) {
        self.key(key)
        if let value { bool(value) } else { null() }
    }
}

extension JSONWriter {
    private mutating func separate() {
        if needsComma { bytes.append(UInt8(ascii: ",")) }
        needsComma = true
    }

    private mutating func open(_ bracket: UInt8) {
        separate()
        bytes.append(bracket)
        needsComma = false
    }

    private mutating func close(_ bracket: UInt8) {
        bytes.append(bracket)
        needsComma = true
    }

    private mutating func quote(_ text: String) {
        bytes.append(UInt8(ascii: "\""))
        defer { bytes.append(UInt8(ascii: "\"")) }
        // Nearly all text is plain (keys, identities, times), and this is six times as fast as looking at scalars.
        let start = bytes.count
        bytes.append(contentsOf: text.utf8)
        if bytes[start...].allSatisfy(Self.isPlain) { return }
        bytes.removeLast(bytes.count - start)
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\":
                bytes.append(UInt8(ascii: "\\"))
                bytes.append(UInt8(truncatingIfNeeded: scalar.value))
            case "\n": bytes.append(contentsOf: "\\n".utf8)
            case "\r": bytes.append(contentsOf: "\\r".utf8)
            case "\t": bytes.append(contentsOf: "\\t".utf8)
            case "<", ">", "&", "\u{0}"..<" ", "\u{7F}"..."\u{9F}", "\u{2028}", "\u{2029}": escape(scalar)
            case " "..."\u{7E}": bytes.append(UInt8(truncatingIfNeeded: scalar.value))
            default: bytes.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
            }
        }
    }

    /// Whether a byte is a character that stands as it is.
    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "&"): false
        default: byte >= 0x20 && byte < 0x7F
        }
    }

    /// `\uXXXX`, for a scalar of the basic plane.
    private mutating func escape(_ scalar: Unicode.Scalar) {
        bytes.append(contentsOf: "\\u".utf8)
        for shift in stride(from: 12, through: 0, by: -4) {
            let digit = UInt8(truncatingIfNeeded: scalar.value >> UInt32(shift)) & 0xF
            bytes.append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
        }
    }

    /// In decimal, filled with zeros on the left up to the width.
    private mutating func appendDigits(of value: UInt64, negative: Bool = false, width: Int = 1) {
        if negative { bytes.append(UInt8(ascii: "-")) }
        let start = bytes.count
        var rest = value
        while rest > 0 || bytes.count - start < width {
            bytes.append(UInt8(ascii: "0") + UInt8(rest % 10))
            rest /= 10
        }
        bytes[start...].reverse()
    }
}

/// A number in units of its last decimal.
private struct Rounded {
    let isNegative: Bool
    let whole: UInt64
    let fraction: UInt64
    let decimals: Int

    /// Nil where the digits do not fit 64 bits.
    init?(_ value: Double, decimals: Int) {
        self.decimals = min(max(decimals, 0), 9)
        let scale = (0..<self.decimals).reduce(UInt64(1)) { power, _ in power * 10 }
        guard let units = UInt64(exactlyBelowLimit: value.magnitude * Double(scale) + 0.5) else { return nil }
        isNegative = value < 0 && units > 0
        (whole, fraction) = units.quotientAndRemainder(dividingBy: scale)
    }
}

extension UInt64 {
    /// The value without its fraction; nil from 2^63 up.
    fileprivate init?(exactlyBelowLimit value: Double) {
        guard value < 0x1p63 else { return nil }
        self.init(value)
    }
}
