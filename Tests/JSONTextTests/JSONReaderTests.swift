// SPDX-License-Identifier: GPL-2.0-or-later

import JSONText
import Testing

struct JSONReaderTests {
    @Test func `a text becomes the values it holds, each with its place`() throws {
        let text = #" {"a": [1, -2.5e1, "x\n\u00e9\ud83d\ude00", true, false, null], "b": {}}"#
        let node = try JSONReader.read(Array(text.utf8))
        #expect(node.offset == 1)
        let elements = try #require(node["a"]?.arrayValue)
        #expect(elements.map(\.offset) == [8, 11, 19, 44, 50, 57])
        #expect(elements[0].integerValue == 1)
        #expect(elements[1].integerValue == nil)
        #expect(elements[1].doubleValue == -25)
        #expect(elements[1].numberValue?.text == "-2.5e1")
        #expect(elements[2].stringValue == "x\né😀")
        #expect(elements[3].boolValue == true)
        #expect(elements[4].boolValue == false)
        #expect(elements[5].isNull)
        #expect(node["b"]?.objectValue?.isEmpty == true)
        #expect(node["c"] == nil)
        #expect(node.objectValue?.map(\.keyOffset) == [2, 64])
    }

    @Test(
        arguments: [
            ("0", 0), ("-0", 0), ("9223372036854775807", Int64.max), ("-9223372036854775808", .min),
            ("9223372036854775808", nil), ("-9223372036854775809", nil), ("7.0", nil), ("7e0", nil),
        ] as [(String, Int64?)])
    func `a whole number is one that is written as such and fits`(text: String, expected: Int64?) throws {
        let node = try JSONReader.read(Array(text.utf8))
        #expect(node.integerValue == expected)
        #expect(node.doubleValue == Double(text))
    }

    @Test(arguments: [
        "01", "-", "-x", "+1", ".5", "1.", "1.e3", "1e", "1e+", "0x10", "NaN", "Infinity", "1e999", "-1e999", "1 2",
        "[1,]", "[,1]", "[1 2]", "[1", "]", "{\"a\":1,}", "{\"a\"}", "{\"a\" 1}", "{a:1}", "{'a':1}", "{1:1}",
        "{\"a\":}",
        "{,}", "tru", "True", "nul", "nulll", "'a'", "\"a", "\"\\x\"", "\"\\u12g4\"", "\"\\u123", "\"a\nb\"", "\"\t\"",
        "\"\\ud800\"", "\"\\udc00\"", "\"\\ud800\\u0041\"", "\"\\ud800x\"", "// c\n1", "/* c */1", "1 // c", "", " \n",
    ])
    func `what RFC 8259 does not allow is refused`(text: String) {
        #expect(throws: JSONFault.self) { try JSONReader.read(Array(text.utf8)) }
    }

    @Test(
        arguments: [
            [0x80], [0xC0, 0x80], [0xC1, 0xBF], [0xE0, 0x9F, 0xBF], [0xED, 0xA0, 0x80], [0xF0, 0x8F, 0xBF, 0xBF],
            [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xFF], [0xC3, 0x28], [0xE2, 0x82, 0x28], [0xE9],
        ] as [[UInt8]])
    func `bytes that are no UTF-8 are refused where they stand`(bytes: [UInt8]) {
        let fault = #expect(throws: JSONFault.self) {
            try JSONReader.read(Array("\"ab".utf8) + bytes + Array("\"".utf8))
        }
        #expect(fault?.message == "these bytes are not UTF-8: save the file as UTF-8")
        #expect(fault?.position == JSONPosition(line: 1, column: 4))
    }

    @Test(arguments: ["\u{80}", "\u{7FF}", "\u{800}", "\u{D7FF}", "\u{E000}", "\u{FFFF}", "\u{10000}", "\u{10FFFF}"])
    func `the first and last scalar of each length are read`(scalar: String) throws {
        #expect(try JSONReader.read(Array("\"\(scalar)\"".utf8)).stringValue == scalar)
    }

    @Test func `other encodings are named`() {
        let marked = #expect(throws: JSONFault.self) { try JSONReader.read([0xEF, 0xBB, 0xBF] + Array("{}".utf8)) }
        #expect(marked?.message.contains("byte order mark") == true)
        let wide = #expect(throws: JSONFault.self) { try JSONReader.read([0xFF, 0xFE, 0x7B, 0, 0x7D, 0]) }
        #expect(wide?.message.contains("UTF-16") == true)
    }

    @Test(arguments: [
        ("{\n  \"a\": x}", 2, 8), ("[1,\r\n\r\n  tru]", 3, 3), ("[\r\rz]", 3, 1), ("[\"é😀\", z]", 1, 8), ("[1\n", 2, 1),
        ("[1, 2,\n]", 1, 6),
    ])
    func `a fault says the line and the column in characters`(text: String, line: Int, column: Int) {
        let fault = #expect(throws: JSONFault.self) { try JSONReader.read(Array(text.utf8)) }
        #expect(fault?.position == JSONPosition(line: line, column: column))
        #expect(fault?.description.hasPrefix("line \(line), column \(column): ") == true)
    }

    @Test func `a key that stands twice is refused with both places`() {
        let fault = #expect(throws: JSONFault.self) {
            try JSONReader.read(Array("{\"a\": 1,\n \"b\": {\"a\": 2},\n \"\\u0061\": 3}".utf8))
        }
        #expect(fault?.position == JSONPosition(line: 3, column: 2))
        #expect(fault?.message == "the key \"a\" stands twice in this object, first at line 1, column 2")
    }

    @Test func `the last of a hundred thousand keys is found to be the first again`() {
        let keys = (0..<100_000).map { "\"key\($0)\":0" } + ["\"key0\":0"]
        let fault = #expect(throws: JSONFault.self) {
            try JSONReader.read(Array("{\(keys.joined(separator: ",\n"))}".utf8))
        }
        #expect(fault?.position == JSONPosition(line: 100_001, column: 1))
    }

    @Test func `every cut of a good text is refused as cut off`() throws {
        let bytes = Array("{\"näme\": [-12.5e-3, \"\\u00e9\\ud83d\\ude00\", true, null], \"b\": {\"c\": \"序厅\"}}".utf8)
        _ = try JSONReader.read(bytes)
        for length in 0..<bytes.count {
            let fault = #expect(throws: JSONFault.self) { try JSONReader.read(Array(bytes[..<length])) }
            #expect(fault?.isCutOff == true, "cut after \(length) bytes")
        }
    }

    @Test func `a text that ends too early says what is open`() {
        let fault = #expect(throws: JSONFault.self) { try JSONReader.read(Array("{\n \"a\": [1, 2".utf8)) }
        #expect(fault?.message.contains("inside the array that began at line 2, column 7") == true)
    }

    @Test func `depth is bounded, whatever the options say`() throws {
        func nested(_ depth: Int) -> [UInt8] { Array((String(repeating: "[", count: depth) + "1").utf8) }
        let fault = #expect(throws: JSONFault.self) { try JSONReader.read(nested(65)) }
        #expect(fault?.message.contains("more than 64") == true)
        let careless = JSONReader.Options(maximumDepth: .max)
        let deep = #expect(throws: JSONFault.self) { try JSONReader.read(nested(100_000), options: careless) }
        #expect(deep?.message.contains("more than \(JSONReader.deepest)") == true)
        let closed = nested(JSONReader.deepest) + Array(String(repeating: "]", count: JSONReader.deepest).utf8)
        _ = try JSONReader.read(closed, options: careless)
    }

    @Test func `size is bounded`() {
        let fault = #expect(throws: JSONFault.self) {
            try JSONReader.read(Array("[1234]".utf8), options: JSONReader.Options(maximumBytes: 5))
        }
        #expect(fault?.message == "6 bytes are too long: at most 5 are read")
        #expect(throws: JSONFault.self) { try JSONReader.read(Array(repeating: UInt8(ascii: "1"), count: 401)) }
    }

    @Test func `a file that people write may have comments and trailing commas`() throws {
        let text = "// head\n{ /* one */ \"a\": [1, 2, /* // */ ], // two\n \"b\": \"//\", }\n/**/"
        let node = try JSONReader.read(Array(text.utf8), options: .relaxed)
        #expect(node["a"]?.arrayValue?.count == 2)
        #expect(node["b"]?.stringValue == "//")
        for bad in ["[,]", "[1,,]", "/* 1", "/*/", "/ 1", "[1 /* , */ 2]"] {
            #expect(throws: JSONFault.self, "\(bad)") { try JSONReader.read(Array(bad.utf8), options: .relaxed) }
        }
    }

    @Test(arguments: 0..<4 as Range<UInt64>)
    func `a text with bytes changed is read or refused, and a fault lies within it`(seed: UInt64) {
        let good = Array("{\"a\": [1, -2.5e1, \"x\\n\\u00e9\", true, null], \"b\": {\"c\": {}, \"d\": []}}".utf8)
        var state = seed &* 2 &+ 1
        for _ in 0..<5_000 {
            var bytes = good
            for _ in 0..<3 {
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                bytes[Int(state >> 33) % bytes.count] = UInt8(truncatingIfNeeded: state >> 24)
            }
            do {
                _ = try JSONReader.read(bytes)
            } catch {
                #expect(error.position <= JSONReader.position(of: bytes.count, in: bytes))
            }
        }
    }
}

struct JSONExcerptTests {
    @Test func `text from outside is cut and made harmless in a message`() {
        #expect("major".quotedExcerpt == "\"major\"")
        #expect("a\u{1B}[2J\u{9B}b".quotedExcerpt == "\"a\\u{1B}[2J\\u{9B}b\"")
        #expect(String(repeating: "x", count: 41).quotedExcerpt == "\"\(String(repeating: "x", count: 40))…\"")
    }
}
