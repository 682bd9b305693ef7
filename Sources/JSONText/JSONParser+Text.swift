// SPDX-License-Identifier: GPL-2.0-or-later

extension JSONParser {
    /// Reads the string whose opening quote is at the present place.
    mutating func string() throws(JSONFault) -> String {
        offset += 1
        let start = offset
        while let byte, isPlain(byte) { offset += 1 }
        // Most strings are ASCII without an escape: no copy for these.
        if byte == UInt8(ascii: "\"") {
            defer { offset += 1 }
            return String(decoding: bytes[start..<offset], as: UTF8.self)
        }
        var text = Array(bytes[start..<offset])
        while true {
            guard let byte else { throw cutOff() }
            switch byte {
            case UInt8(ascii: "\""):
                offset += 1
                return String(decoding: text, as: UTF8.self)
            case UInt8(ascii: "\\"):
                try escape(into: &text)
            case 0..<0x20:
                throw fault(
                    "a control character in a text: write it as an escape, or close the text before", at: offset)
            case 0x80...:
                let length = try scalarLength()
                text.append(contentsOf: bytes[offset..<offset + length])
                offset += length
            default:
                text.append(byte)
                offset += 1
            }
        }
    }

    private func isPlain(_ byte: UInt8) -> Bool {
        byte >= 0x20 && byte < 0x80 && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
    }

    private mutating func escape(into text: inout [UInt8]) throws(JSONFault) {
        let start = offset
        offset += 1
        guard let byte else { throw cutOff() }
        offset += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(byte)
        case UInt8(ascii: "b"): text.append(0x08)
        case UInt8(ascii: "f"): text.append(0x0C)
        case UInt8(ascii: "n"): text.append(0x0A)
        case UInt8(ascii: "r"): text.append(0x0D)
        case UInt8(ascii: "t"): text.append(0x09)
        case UInt8(ascii: "u"): text.append(contentsOf: String(try escapedScalar(startedAt: start)).utf8)
        default: throw fault("an unknown escape; a backslash itself is written \\\\", at: start)
        }
    }

    /// The scalar of `\uXXXX`, or of two of them that are a surrogate pair; the `\u` of the first is behind us.
    private mutating func escapedScalar(startedAt start: Int) throws(JSONFault) -> Unicode.Scalar {
        let unit = try fourHexDigits()
        if let scalar = Unicode.Scalar(unit) { return scalar }
        guard unit < 0xDC00 else { throw loneHalf(at: start) }
        for expected in "\\u".utf8 {
            guard let byte else { throw cutOff() }
            guard byte == expected else { throw loneHalf(at: start) }
            offset += 1
        }
        let second = try fourHexDigits()
        guard (0xDC00...0xDFFF).contains(second),
            let scalar = Unicode.Scalar(0x1_0000 + (UInt32(unit) - 0xD800) << 10 + (UInt32(second) - 0xDC00))
        else { throw loneHalf(at: start) }
        return scalar
    }

    private mutating func fourHexDigits() throws(JSONFault) -> UInt16 {
        var unit: UInt16 = 0
        for _ in 0..<4 {
            guard let byte else { throw cutOff() }
            guard let digit = Character(UnicodeScalar(byte)).hexDigitValue else {
                throw fault("\\u takes four hex digits", at: offset)
            }
            unit = unit << 4 | UInt16(digit)
            offset += 1
        }
        return unit
    }

    /// The length of the well-formed UTF-8 sequence at the present place, whose first byte is not ASCII
    /// (Unicode Standard, table 3-7: no overlong forms, no surrogates, nothing beyond U+10FFFF).
    private func scalarLength() throws(JSONFault) -> Int {
        let second: ClosedRange<UInt8>
        let length: Int
        switch bytes[offset] {
        case 0xC2...0xDF: (length, second) = (2, 0x80...0xBF)
        case 0xE0: (length, second) = (3, 0xA0...0xBF)
        case 0xED: (length, second) = (3, 0x80...0x9F)
        case 0xE1...0xEF: (length, second) = (3, 0x80...0xBF)
        case 0xF0: (length, second) = (4, 0x90...0xBF)
        case 0xF1...0xF3: (length, second) = (4, 0x80...0xBF)
        case 0xF4: (length, second) = (4, 0x80...0x8F)
        default: throw notUTF8()
        }
        for index in 1..<length {
            guard offset + index < bytes.count else { throw cutOff() }
            guard (index == 1 ? second : 0x80...0xBF).contains(bytes[offset + index]) else { throw notUTF8() }
        }
        return length
    }

    private func loneHalf(at offset: Int) -> JSONFault {
        fault("half of a surrogate pair, which is no character", at: offset)
    }

    private func notUTF8() -> JSONFault {
        fault("these bytes are not UTF-8: save the file as UTF-8", at: offset)
    }
}
