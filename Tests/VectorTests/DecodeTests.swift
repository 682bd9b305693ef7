// SPDX-License-Identifier: GPL-2.0-or-later

import EventJSON
import JSONText
import RegionCore
import Testing

struct AdvertisingCutTests {
    /// The base beacon in each cut.
    static let cuts: [(AdvertisingCut, [UInt8])] = [
        (.hci, baseEvent), (.hci, Array(baseEvent.dropFirst())), (.ad, baseData),
        (.structure, Array(baseData.suffix(27))),
        (.structureBody, Array(baseData.suffix(26))), (.manufacturer, Array(baseData.suffix(25))),
        (.apple, Array(baseData.suffix(23))), (.fields, Array(baseData.suffix(21))),
    ]

    @Test(arguments: cuts)
    func `each cut is told by itself and gives the same beacon`(cut: AdvertisingCut, bytes: [UInt8]) {
        let recognised = AdvertisingCut(recognising: bytes)
        #expect(recognised == cut)
        let row = recognised.decode(bytes)
        let isEvent = cut == .hci
        #expect(
            row.sightings == [
                FieldCaseTests.beacon(258, rssi: isEvent ? -65 : 127, from: isEvent ? "C0:FF:EE:00:00:01" : nil)
            ])
        #expect(row.discards.isEmpty)
    }

    @Test(arguments: cuts)
    func `a cut that lacks its end gives no beacon, only a reason`(cut: AdvertisingCut, bytes: [UInt8]) {
        for length in 0..<bytes.count {
            let shorter = Array(bytes.prefix(length))
            for taken in [cut, AdvertisingCut(recognising: shorter)] {
                let row = taken.decode(shorter)
                #expect(row.sightings.isEmpty, "\(length) bytes as \(taken)")
                #expect(!row.discards.isEmpty)
            }
        }
    }

    @Test func `what follows an iBeacon's fields is ignored in the cuts that can have it`() {
        for (cut, bytes) in Self.cuts where [.structureBody, .manufacturer, .apple].contains(cut) {
            let longer = bytes + [0x64]
            #expect(AdvertisingCut(recognising: longer) == cut)
            #expect(cut.decode(longer).sightings == [FieldCaseTests.beacon(258)])
        }
    }

    @Test(arguments: [
        "000000000000000000000000000000000000000000", "ffffffff0b8c404510c655aab636ebefbb700055c5",
        "fda50693a4e24fb1afcfc6eb07647825275165c1fd", "426c7565436861726d426561636f6e730bfe1355c5",
        "0f0f0f0fa4e24fb1afcfc6eb07647825275165c1fd",
    ])
    func `bare fields of popular UUIDs are known`(bytes: String) {
        let row = AdvertisingCut(recognising: hex(bytes)).decode(hex(bytes))
        #expect(row.cut == .fields)
        #expect(row.sightings.count == 1)
    }

    @Test(arguments: [
        "02011a020a0c0cff4c0010071b1f794542a918", "0201061107ad7700c6a00099b2e2114c248a4a0c96",
        "0201060e094d75736575", "0201061106615577678b3d32b4e04e8e53744d4461",
        "020106000000000000000000000000000000000000",
    ])
    func `advertising data of 21 bytes, whole or cut off, are no bare fields`(bytes: String) {
        let row = AdvertisingCut(recognising: hex(bytes)).decode(hex(bytes))
        #expect(row.cut == .ad)
        #expect(row.sightings.isEmpty)
    }
}

struct DecodeReaderTests {
    static func answers(_ text: String, mode: DecodeReader.Mode = .automatic, piece: Int = .max) -> [DecodeAnswer] {
        var reader = DecodeReader(mode: mode)
        var answers: [DecodeAnswer] = []
        let bytes = Array(text.utf8)
        for start in stride(from: 0, to: bytes.count, by: min(piece, max(1, bytes.count))) {
            reader.take(Array(bytes[start...].prefix(piece)), into: &answers)
        }
        reader.finish(into: &answers)
        return answers
    }

    static func json(_ answers: [DecodeAnswer]) -> [String] {
        answers.map { answer in
            var writer = JSONWriter()
            answer.write(to: &writer)
            return writer.text
        }
    }

    static let fields = "a1b2c3d4e5f6470889101112131415ab00070102c5"
    static let beaconJSON =
        #"{"kind":"iBeacon","uuid":"A1B2C3D4-E5F6-4708-8910-1112131415AB","major":7,"minor":258,"measuredPower":-59"#

    @Test func `each line has one object, also an empty and a bad one`() {
        let text = """
            043e2a02010301010000eeffc01e0201061aff4c000215\(Self.fields)bf

            0201061aff4c0002zz
            0201061aff4c000215a1
            """
        #expect(
            Self.json(Self.answers(text)) == [
                #"{"line":1,"cut":"hci","sightings":[\#(Self.beaconJSON),"rssi":-65,"address":"C0:FF:EE:00:00:01"}],"discards":[]}"#,
                #"{"line":2,"cut":"ad","sightings":[],"discards":["empty"]}"#,
                #"{"line":3,"error":"line 3, column 17: \"z\" is no hex digit"}"#,
                #"{"line":4,"cut":"ad","sightings":[],"discards":["truncated"]}"#,
            ])
    }

    @Test(arguments: [
        "A1B2C3D4-E5F6-4708-8910-1112131415AB 0007 0102 C5",
        "a1:b2:c3:d4:e5:f6:47:08:89:10:11:12:13:14:15:ab:00:07:01:02:c5\r",
        "0xa1 0xb2 0xc3 0xd4 0xe5 0xf6 0x47 0x08 0x89 0x10 0x11 0x12 0x13 0x14 0x15 0xab 0x00 0x07 0x01 0x02 0xC5",
        "0Xa1b2c3d4e5f6470889101112131415ab00070102c5", "\t  \(fields)  ",
    ])
    func `spaces, dashes, colons and 0x are ignored`(line: String) {
        #expect(
            Self.json(Self.answers(line)) == [
                #"{"line":1,"cut":"fields","sightings":[\#(Self.beaconJSON),"rssi":null,"address":null}],"discards":[]}"#
            ])
    }

    @Test(arguments: [
        ("0201061", "line 1, column 7: the last byte has one digit only; give two for each byte"),
        ("02,01", "line 1, column 3: \",\" is no hex digit"), ("10x2", "line 1, column 3: \"x\" is no hex digit"),
        ("é02", "line 1, column 1: a character outside ASCII, or a control character, is no hex digit"),
        ("02é\u{1B}", "line 1, column 3: a character outside ASCII, or a control character, is no hex digit"),
        (String(repeating: "00", count: 2_049), "line 1, column 4098: more than 2048 bytes are no advertisement"),
    ])
    func `a bad line is named with its place, and the next one is read`(line: String, message: String) {
        let answers = Self.answers(line + "\n020106\n")
        #expect(answers.map(\.line) == [1, 2])
        #expect(answers.first?.outcome == .fault(message))
        #expect(answers.last?.text == "2  no beacon: foreign  (ad)")
    }

    @Test func `the flags say what a row is`() {
        #expect(
            Self.answers("0201061aff4c000215" + Self.fields, mode: .hci).first?.text
                == "1  no beacon: notAdvertising  (hci)")
        #expect(Self.answers(Self.fields, mode: .ad).first?.text == "1  no beacon: truncated  (ad)")
        #expect(Self.answers("> 02", mode: .ad).first?.text == #"1  error: line 1, column 1: ">" is no hex digit"#)
        #expect(Self.answers("4c000215" + Self.fields, mode: .ad).first?.text == "1  no beacon: truncated  (ad)")
    }

    @Test(arguments: [1, 7, .max])
    func `text of hcidump gives one answer a packet, with its first line`(piece: Int) {
        let text = """
            HCI sniffer - Bluetooth packet analyzer ver 5.28
            device: hci0 snap_len: 1500 filter: 0xffffffff
            > 04 3E 2A 02 01 03 01 01 00 00 EE FF C0 1E 02 01 06 1A FF 4C 
              00 02 15 A1 B2 C3 D4 E5 F6 47 08 89 10 11 12 13 14 15 AB 00 
              07 01 02 C5 BF 
            < 01 0C 20 02 01 00 

            > 04 3E
              zz
            > 04 0E 04 01 0C 20 00
            \(Self.fields)
            """
        let answers = Self.answers(text, piece: piece)
        #expect(
            answers.map(\.text) == [
                "3  iBeacon A1B2C3D4-E5F6-4708-8910-1112131415AB/7/258  power -59  rssi -65  C0:FF:EE:00:00:01  (hci)",
                "6  no beacon: notAdvertising  (hci)", #"8  error: line 9, column 3: "z" is no hex digit"#,
                "10  no beacon: notAdvertising  (hci)",
                "11  iBeacon A1B2C3D4-E5F6-4708-8910-1112131415AB/7/258  power -59  (fields)",
            ])
    }

    @Test func `a row may hold beacons and reasons`() {
        let event =
            "043e2a0205"
            + baseEvent.dropFirst(5).map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
        #expect(
            Self.answers(event).first?.text == """
                1  iBeacon A1B2C3D4-E5F6-4708-8910-1112131415AB/7/258  power -59  rssi -65  C0:FF:EE:00:00:01  (hci)
                1  discarded: malformed  (hci)
                """)
    }

    @Test func `an empty text has no answer`() {
        #expect(Self.answers("").isEmpty)
        #expect(Self.answers("\n").map(\.line) == [1])
    }
}
