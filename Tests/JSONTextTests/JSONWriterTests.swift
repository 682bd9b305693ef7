// SPDX-License-Identifier: GPL-2.0-or-later

import JSONText
import Testing

struct JSONWriterTests {
    @Test func `commas come by themselves`() {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("a", 1)
        writer.key("b")
        writer.beginArray()
        writer.beginObject()
        writer.endObject()
        writer.beginArray()
        writer.endArray()
        writer.null()
        writer.bool(true)
        writer.endArray()
        writer.member("c", "x")
        writer.endObject()
        #expect(writer.text == #"{"a":1,"b":[{},[],null,true],"c":"x"}"#)
        writer.removeAll()
        writer.string("next")
        #expect(writer.text == #""next""#)
    }

    @Test func `what is missing is null`() {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("text", String?.none)
        writer.member("whole", Int?.none)
        writer.member("number", Double?.none)
        writer.member("flag", Bool?.none)
        writer.member("nan", Double.nan)
        writer.member("infinite", -Double.infinity, decimals: 1)
        writer.endObject()
        let keys = ["text", "whole", "number", "flag", "nan", "infinite"]
        #expect(writer.text == "{\(keys.map { "\"\($0)\":null" }.joined(separator: ","))}")
    }

    @Test func `no text can leave its quotes, its script element or its terminal line`() {
        var writer = JSONWriter()
        writer.string("</script><!--&\"\\\n\r\t\u{0}\u{1B}\u{7F}\u{9B}\u{2028}\u{2029}é序😀")
        #expect(
            writer.text == #""\u003c/script\u003e\u003c!--\u0026\"\\\n\r\t\u0000\u001b\u007f\u009b\u2028\u2029é序😀""#)
    }

    @Test(
        arguments: [
            (-66.44, 1, "-66.4"), (-66.46, 1, "-66.5"), (2.16, 3, "2.16"), (2, 2, "2"), (0.04, 1, "0"), (-0.04, 1, "0"),
            (0.05, 2, "0.05"), (9.999, 2, "10"), (12.4, 0, "12"), (-0.5, 0, "-1"), (1e17, 2, "1e+17"),
            (0.1, nil, "0.1"), (5, nil, "5.0"), (1e300, nil, "1e+300"), (0.125, 12, "0.125"), (-7.25, -3, "-7"),
        ] as [(Double, Int?, String)])
    func `numbers are rounded to the decimals asked for`(value: Double, decimals: Int?, expected: String) {
        var writer = JSONWriter()
        writer.number(value, decimals: decimals)
        #expect(writer.text == expected)
    }

    @Test func `whole numbers of every width are written`() {
        var writer = JSONWriter()
        writer.beginArray()
        writer.integer(0)
        writer.integer(Int64.min)
        writer.integer(Int64.max)
        writer.integer(UInt64.max)
        writer.integer(Int8(-61))
        writer.integer(UInt16.max)
        writer.endArray()
        #expect(writer.text == "[0,-9223372036854775808,9223372036854775807,18446744073709551615,-61,65535]")
    }

    @Test func `every scalar of the first planes reads back as it was written`() throws {
        var writer = JSONWriter()
        for value in UInt32(0)..<0x2_0000 {
            guard let scalar = Unicode.Scalar(value) else { continue }
            writer.removeAll()
            writer.string(String(scalar))
            let read = try JSONReader.read(writer.bytes).stringValue
            guard read?.unicodeScalars.elementsEqual([scalar]) == true else {
                Issue.record("U+\(String(value, radix: 16)) came back as \(String(describing: read))")
                return
            }
        }
    }
}
