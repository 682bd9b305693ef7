// SPDX-License-Identifier: GPL-2.0-or-later

/// Calendar times as text (RFC 3339), in the proleptic Gregorian calendar.
extension WallTime {
    /// `2026-11-30T09:00:01.250000Z`: UTC, always with six decimals, so that texts sort as times do.
    /// Times outside the years 0000–9999, which the format cannot write, are held at its ends.
    public var rfc3339: String {
        let held = min(max(microseconds, RFC3339.first), RFC3339.last)
        let (days, time) = floorDivide(held, by: RFC3339.microsecondsPerDay)
        let (year, month, day) = RFC3339.date(ofDay: days)
        let (seconds, fraction) = floorDivide(time, by: 1_000_000)
        var text: [UInt8] = []
        text.reserveCapacity(27)
        func put(_ value: Int64, digits: Int, then separator: Unicode.Scalar) {
            var power: Int64 = 1
            for _ in 1..<digits { power *= 10 }
            while power > 0 {
                text.append(UInt8(ascii: "0") + UInt8(value / power % 10))
                power /= 10
            }
            text.append(UInt8(ascii: separator))
        }
        put(year, digits: 4, then: "-")
        put(month, digits: 2, then: "-")
        put(day, digits: 2, then: "T")
        put(seconds / 3_600, digits: 2, then: ":")
        put(seconds / 60 % 60, digits: 2, then: ":")
        put(seconds % 60, digits: 2, then: ".")
        put(fraction, digits: 6, then: "Z")
        return String(decoding: text, as: UTF8.self)
    }

    /// Reads `2026-11-30T09:00:01.25Z` or `2026-11-30T10:00:01+01:00`; nil for anything else.
    ///
    /// Any number of decimals; what is finer than a microsecond is dropped. `T` and `Z` in either case. A leap second
    /// (`:60`) is the second after it, as POSIX counts. Days must exist, and an offset must be given.
    public init?(rfc3339 text: some StringProtocol) {
        var reader = RFC3339.Reader(Array(text.utf8))
        guard let year = reader.number(digits: 4), reader.skip("-"),
            let month = reader.number(digits: 2), reader.skip("-"), let day = reader.number(digits: 2),
            (1...12).contains(month), (1...RFC3339.days(inMonth: month, of: year)).contains(day),
            reader.skip("T") || reader.skip("t"),
            let hour = reader.number(digits: 2), hour < 24, reader.skip(":"),
            let minute = reader.number(digits: 2), minute < 60, reader.skip(":"),
            let second = reader.number(digits: 2), second <= 60,
            let fraction = reader.fraction(), let offset = reader.offset(), reader.isAtEnd
        else { return nil }
        let seconds = hour * 3_600 + minute * 60 + second - offset * 60
        let days = RFC3339.day(year: year, month: month, day: day)
        self.init(microseconds: days * RFC3339.microsecondsPerDay + seconds * 1_000_000 + fraction)
    }
}

/// The calendar's arithmetic: days are counted from 1970-01-01, in eras of 400 years that begin on the first of March,
/// so that the leap day is the last day of its year (Hinnant, "chrono-compatible low-level date algorithms").
private enum RFC3339 {
    static let microsecondsPerDay: Int64 = 86_400_000_000
    static let first = day(year: 0, month: 1, day: 1) * microsecondsPerDay
    static let last = day(year: 10_000, month: 1, day: 1) * microsecondsPerDay - 1
    private static let daysPerEra: Int64 = 146_097
    /// From 0000-03-01 to 1970-01-01.
    private static let daysToEpoch: Int64 = 719_468

    static func day(year: Int64, month: Int64, day: Int64) -> Int64 {
        let (era, yearOfEra) = floorDivide(month <= 2 ? year - 1 : year, by: 400)
        let monthFromMarch = (month + 9) % 12
        let dayOfYear = (153 * monthFromMarch + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * daysPerEra + dayOfEra - daysToEpoch
    }

    static func date(ofDay day: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let (era, dayOfEra) = floorDivide(day + daysToEpoch, by: daysPerEra)
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        let month = (monthFromMarch + 2) % 12 + 1
        let year = era * 400 + yearOfEra + (month <= 2 ? 1 : 0)
        return (year, month, dayOfYear - (153 * monthFromMarch + 2) / 5 + 1)
    }

    static func days(inMonth month: Int64, of year: Int64) -> Int64 {
        day(year: month == 12 ? year + 1 : year, month: month % 12 + 1, day: 1) - day(year: year, month: month, day: 1)
    }

    /// Takes the text apart, from its start.
    struct Reader {
        private let text: [UInt8]
        private var position = 0

        init(_ text: [UInt8]) { self.text = text }

        var isAtEnd: Bool { position == text.count }

        mutating func skip(_ character: Unicode.Scalar) -> Bool {
            guard position < text.count, text[position] == UInt8(ascii: character) else { return false }
            position += 1
            return true
        }

        mutating func digit() -> Int64? {
            guard position < text.count, case UInt8(ascii: "0")...UInt8(ascii: "9") = text[position] else { return nil }
            defer { position += 1 }
            return Int64(text[position] - UInt8(ascii: "0"))
        }

        mutating func number(digits: Int) -> Int64? {
            var value: Int64 = 0
            for _ in 0..<digits {
                guard let digit = digit() else { return nil }
                value = value * 10 + digit
            }
            return value
        }

        /// Microseconds; 0 where there is no decimal point; nil where no digit follows one.
        mutating func fraction() -> Int64? {
            guard skip(".") else { return 0 }
            guard var value = digit() else { return nil }
            var digits = 1
            while let next = digit() {
                if digits < 6 { value = value * 10 + next }
                digits += 1
            }
            for _ in min(digits, 6)..<6 { value *= 10 }
            return value
        }

        /// Minutes east of Greenwich; nil where it is missing.
        mutating func offset() -> Int64? {
            if skip("Z") || skip("z") { return 0 }
            let east = skip("+")
            guard east || skip("-"), let hours = number(digits: 2), hours < 24, skip(":"),
                let minutes = number(digits: 2), minutes < 60
            else { return nil }
            return (hours * 60 + minutes) * (east ? 1 : -1)
        }
    }
}

/// Quotient and remainder, the remainder never negative.
private func floorDivide(_ value: Int64, by divisor: Int64) -> (quotient: Int64, remainder: Int64) {
    let (quotient, remainder) = value.quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
}
