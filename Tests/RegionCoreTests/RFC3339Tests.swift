// SPDX-License-Identifier: GPL-2.0-or-later

import Foundation
import Testing
import Time

struct RFC3339Tests {
    @Test(
        arguments: [
            ("1970-01-01T00:00:00Z", 0), ("2026-11-30T09:00:01.25Z", 1_796_029_201_250_000),
            ("2026-11-30T10:00:01.250000+01:00", 1_796_029_201_250_000),
            ("2026-11-30T03:30:01.250-05:30", 1_796_029_201_250_000),
            ("2026-11-30t09:00:01.2500009z", 1_796_029_201_250_000), ("1969-12-31T23:59:59.999999Z", -1),
            ("2000-02-29T00:00:00Z", 951_782_400_000_000), ("2016-12-31T23:59:60Z", 1_483_228_800_000_000),
            ("0000-01-01T00:00:00Z", -62_167_219_200_000_000), ("9999-12-31T23:59:59.999999Z", 253_402_300_799_999_999),
        ] as [(String, Int64)])
    func `a time is read to the microsecond`(text: String, microseconds: Int64) {
        #expect(WallTime(rfc3339: text)?.microseconds == microseconds)
    }

    @Test(arguments: [
        "", "2026-11-30", "2026-11-30T09:00:01", "2026-11-30 09:00:01Z", "2026-02-29T00:00:00Z", "1900-02-29T00:00:00Z",
        "2026-13-01T00:00:00Z", "2026-00-01T00:00:00Z", "2026-04-31T00:00:00Z", "2026-01-00T00:00:00Z",
        "2026-11-30T24:00:00Z", "2026-11-30T09:60:00Z", "2026-11-30T09:00:61Z", "2026-11-30T09:00:01.Z",
        "2026-11-30T09:00:01+0100", "2026-11-30T09:00:01+24:00", "2026-11-30T09:00:01Z ", "26-11-30T09:00:01Z",
        "+026-11-30T09:00:01Z", "2026-11-30T9:00:01Z", "２026-11-30T09:00:01Z",
    ])
    func `what is no RFC 3339 time is refused`(text: String) {
        #expect(WallTime(rfc3339: text) == nil)
    }

    @Test func `a time is written in UTC with six decimals`() {
        #expect(WallTime(microseconds: 1_796_029_201_250_000).rfc3339 == "2026-11-30T09:00:01.250000Z")
        #expect(WallTime.epoch.rfc3339 == "1970-01-01T00:00:00.000000Z")
        #expect(WallTime(microseconds: -1).rfc3339 == "1969-12-31T23:59:59.999999Z")
    }

    @Test func `times the format cannot write are held at its ends`() {
        #expect(WallTime(microseconds: .min).rfc3339 == "0000-01-01T00:00:00.000000Z")
        #expect(WallTime(microseconds: .max).rfc3339 == "9999-12-31T23:59:59.999999Z")
    }

    @Test func `every day of eight centuries is written as Foundation writes it and reads back`() {
        let style = Date.ISO8601FormatStyle()
        let firstOf1600: Int64 = -135_140  // Foundation is Julian before 1582.
        let wrong = (0..<292_194 as Range<Int64>).first { offset in
            let seconds = (firstOf1600 + offset) * 86_400 + 3_723
            let time = WallTime(microseconds: seconds * 1_000_000)
            let theirs = Date(timeIntervalSince1970: Double(seconds)).formatted(style)
            return time.rfc3339 != theirs.dropLast() + ".000000Z" || WallTime(rfc3339: time.rfc3339) != time
        }
        #expect(wrong == nil)
    }
}
