// SPDX-License-Identifier: GPL-2.0-or-later

/// What a line of hex, or a packet of a dump, was found to be.
public struct DecodeAnswer: Equatable, Sendable {
    /// Where it begins, from 1.
    public var line: Int
    /// What it held, or what is wrong with the text, where, and what to do.
    public var outcome: Outcome

    /// An answer of these parts.
    public init(line: Int, outcome: Outcome) {
        self.line = line
        self.outcome = outcome
    }

    /// Read, or not.
    public enum Outcome: Equatable, Sendable {
        case row(DecodedRow)
        case fault(String)
    }
}

/// Turns text into rows of bytes and decodes each: hex digits in pairs, with spaces, dashes, colons and `0x` between
/// them or not.
///
/// One answer a line, also for an empty one. Text of `hcidump -R` goes through as well: a line that begins with `>` or
/// `<` begins a packet, lines after it that begin with white space go on with it, and each packet has one answer.
/// Takes the text in pieces of any size and holds no more than one row.
public struct DecodeReader: Sendable {
    /// What the rows are said to be.
    public enum Mode: Sendable {
        /// Each row tells by how it begins.
        case automatic
        /// HCI events.
        case hci
        /// Advertising data.
        case ad
    }

    /// Bytes in a row. The longest advertisement has 1,650 (Core Spec Vol 4 Part E 7.8.54), an event 258.
    static let longestRow = 2_048

    private let mode: Mode
    private var line = 1
    private var column = 0
    private var row = Row()
    /// Whether the present line holds something of the row; a packet's row outlives its lines.
    private var hasBegunLine = false

    /// A reader at the start of a text.
    public init(mode: Mode = .automatic) { self.mode = mode }

    /// Takes the next piece of text and appends the answers that it completes.
    public mutating func take(_ text: [UInt8], into answers: inout [DecodeAnswer]) {
        for byte in text { take(byte, into: &answers) }
    }

    /// The text is over: appends the last answer, if one is open.
    public mutating func finish(into answers: inout [DecodeAnswer]) {
        if hasBegunLine || row.isPacket { answer(into: &answers) }
        hasBegunLine = false
    }

    private mutating func take(_ byte: UInt8, into answers: inout [DecodeAnswer]) {
        let isMark = !hasBegunLine && beginLine(with: byte, into: &answers)
        if byte == UInt8(ascii: "\n") {
            if !row.isPacket { answer(into: &answers) }
            line += 1
            column = 0
            hasBegunLine = false
            return
        }
        if byte & 0xC0 != 0x80 { column += 1 }  // Continuation bytes belong to the character before them.
        if !isMark { row.take(byte, line: line, column: column) }
    }

    /// Whether the byte is the mark of a packet. A line that does not go on with the packet before it ends that.
    private mutating func beginLine(with byte: UInt8, into answers: inout [DecodeAnswer]) -> Bool {
        hasBegunLine = true
        if row.isPacket {
            if Self.isSpace(byte) || byte == UInt8(ascii: "\n") { return false }
            answer(into: &answers)
        }
        let isMark = mode != .ad && (byte == UInt8(ascii: ">") || byte == UInt8(ascii: "<"))
        row.begin(line: line, isPacket: isMark)
        return isMark
    }

    /// Appends the answer for the row and makes room for the next.
    private mutating func answer(into answers: inout [DecodeAnswer]) {
        if !row.isDumpHeader { answers.append(DecodeAnswer(line: row.firstLine, outcome: row.outcome(mode: mode))) }
        row.begin(line: line, isPacket: false)
    }

    fileprivate static func isSpace(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") || byte == UInt8(ascii: "\r")
    }
}

/// The bytes read so far of one line or packet.
private struct Row: Sendable {
    private(set) var firstLine = 1
    private(set) var isPacket = false
    private var bytes: [UInt8] = []
    /// The first digit of a byte whose second has not come.
    private var half: UInt8?
    private var halfPlace = ""
    private var fault: String?
    /// How the text begins, to know a dump's header by.
    private var beginning: [UInt8] = []

    mutating func begin(line: Int, isPacket: Bool) {
        firstLine = line
        self.isPacket = isPacket
        bytes.removeAll(keepingCapacity: true)
        half = nil
        fault = nil
        beginning.removeAll(keepingCapacity: true)
    }

    mutating func take(_ character: UInt8, line: Int, column: Int) {
        if beginning.count < Self.longestHeader { beginning.append(character) }
        if fault != nil || isIgnored(character) { return }
        guard let digit = hexDigitValue(character) else {
            // "0x" is a mark, not a byte: the zero before it is none either.
            if character | 0x20 == UInt8(ascii: "x"), half == 0 {
                half = nil
            } else {
                fault = "line \(line), column \(column): \(Self.name(character)) is no hex digit"
            }
            return
        }
        guard let high = half else {
            half = digit
            halfPlace = "line \(line), column \(column)"
            return
        }
        half = nil
        guard bytes.count < DecodeReader.longestRow else {
            fault = "line \(line), column \(column): more than \(DecodeReader.longestRow) bytes are no advertisement"
            return
        }
        bytes.append(high << 4 | digit)
    }

    func outcome(mode: DecodeReader.Mode) -> DecodeAnswer.Outcome {
        if let fault { return .fault(fault) }
        guard half == nil else {
            return .fault("\(halfPlace): the last byte has one digit only; give two for each byte")
        }
        let cut: AdvertisingCut =
            switch mode {
            case .hci: .hci
            case .ad: .ad
            case .automatic: isPacket ? .hci : AdvertisingCut(recognising: bytes)
            }
        return .row(cut.decode(bytes))
    }

    /// The two lines that hcidump prints before its packets.
    var isDumpHeader: Bool {
        fault != nil && Self.headers.contains { beginning.starts(with: $0) }
    }

    private static let headers = [Array("HCI sniffer".utf8), Array("device: ".utf8)]
    private static let longestHeader = 11

    private func isIgnored(_ character: UInt8) -> Bool {
        DecodeReader.isSpace(character) || character == UInt8(ascii: "-") || character == UInt8(ascii: ":")
    }

    private static func name(_ character: UInt8) -> String {
        0x21...0x7E ~= character
            ? "\"\(Character(UnicodeScalar(character)))\"" : "a character outside ASCII, or a control character,"
    }
}
