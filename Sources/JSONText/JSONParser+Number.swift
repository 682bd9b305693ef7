// SPDX-License-Identifier: GPL-2.0-or-later

extension JSONParser {
    /// The largest `Double` has 309 digits; nobody writes a number longer than this.
    private static let longestNumber = 400

    /// Reads the number whose minus or first digit is at the present place.
    mutating func number() throws(JSONFault) -> JSONNumber {
        let start = offset
        let isNegative = byte == UInt8(ascii: "-")
        if isNegative { offset += 1 }
        let firstDigit = offset
        try digits()
        if bytes[firstDigit] == UInt8(ascii: "0"), offset > firstDigit + 1 {
            throw fault("a number does not begin with a needless 0", at: start)
        }
        let whole = firstDigit..<offset
        if byte == UInt8(ascii: ".") {
            offset += 1
            try digits()
        }
        if byte == UInt8(ascii: "e") || byte == UInt8(ascii: "E") {
            offset += 1
            if byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-") { offset += 1 }
            try digits()
        }
        guard offset - start <= Self.longestNumber else {
            throw fault("a number of more than \(Self.longestNumber) characters", at: start)
        }
        let text = String(decoding: bytes[start..<offset], as: UTF8.self)
        if offset == whole.upperBound, let integer = integer(of: whole, isNegative: isNegative) {
            return JSONNumber(text: text, integer: integer, double: Double(integer))
        }
        guard let double = Double(text), double.isFinite else {
            throw fault("this number is too large", at: start)
        }
        return JSONNumber(text: text, integer: nil, double: double)
    }

    private mutating func digits() throws(JSONFault) {
        guard let byte else { throw cutOff() }
        guard isDigit(byte) else { throw fault("expected a digit", at: offset) }
        while let byte = self.byte, isDigit(byte) { offset += 1 }
    }

    private func isDigit(_ byte: UInt8) -> Bool { byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9") }

    /// Counted down from 0, because Int64 reaches one further below zero than above; nil where it does not fit.
    private func integer(of digits: Range<Int>, isNegative: Bool) -> Int64? {
        var negated: Int64 = 0
        for index in digits {
            let (product, tooFar) = negated.multipliedReportingOverflow(by: 10)
            let (sum, beyond) = product.subtractingReportingOverflow(Int64(bytes[index] - UInt8(ascii: "0")))
            if tooFar || beyond { return nil }
            negated = sum
        }
        if isNegative { return negated }
        return negated == .min ? nil : -negated
    }
}
