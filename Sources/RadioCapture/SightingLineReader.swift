// SPDX-License-Identifier: GPL-2.0-or-later

import JSONText
import RegionCore
import Time

/// Reads sightings as NDJSON: one object a line, in arrival order. Lines of white space are stepped over.
struct SightingLineReader: ~Copyable {
    /// A sighting takes some 200 bytes; what is longer than this is no line of ours.
    static let longestLine = 64 * 1_024
    /// Receivers that are told apart by name; more are heard all the same.
    static let mostReceivers = 64

    /// Which clock the file's first good line used: the others must use it too.
    private enum Clock {
        case unknown
        case sinceStart
        case calendar(start: WallTime)
    }

    private var bytes: ByteStream
    private let skipsBadLines: Bool
    private var clock = Clock.unknown
    private var line: [UInt8] = []
    private var lineNumber = 0
    private var isFinished = false
    private var badLines: UInt64 = 0
    private var firstBadLine: SourceError?
    /// In the order of their first lines.
    private(set) var receivers: [String] = []
    /// Whose the last line was.
    private(set) var receiver: Int?

    init(_ stream: consuming ByteStream, skipsBadLines: Bool) {
        bytes = stream
        self.skipsBadLines = skipsBadLines
    }

    /// What was met on the way so far.
    var status: CaptureStatus {
        var start: WallTime?
        if case .calendar(let first) = clock { start = first }
        return CaptureStatus(start: start, badLines: badLines, firstBadLine: firstBadLine, receivers: receivers)
    }

    /// How much of the file has been read, 0 to 1.
    var progress: Double? { bytes.progress }

    /// The next line's input and instant; nil at the end.
    mutating func next() throws(SourceError) -> (input: SourceInput, instant: Instant)? {
        while !isFinished {
            guard let isWhole = try nextLine() else { break }
            do throws(JSONFault) {
                guard isWhole else { throw Self.tooLong }
                if line.allSatisfy(Self.isWhiteSpace) { continue }
                let said = try SightingLine(line)
                let instant = try instant(of: said.moment)
                receiver = said.receiver.flatMap { number(of: $0) }
                return (said.input, instant)
            } catch {
                let place = JSONPosition(line: lineNumber, column: error.position.column)
                let refusal = SourceError("\(bytes.path): \(place): \(error.message)")
                guard skipsBadLines else {
                    isFinished = true
                    throw refusal
                }
                badLines += 1
                if firstBadLine == nil { firstBadLine = refusal }
            }
        }
        isFinished = true
        return nil
    }

    /// Puts the next line into `line` without its end. False when it was too long, and was stepped over; nil at the
    /// end of the file.
    private mutating func nextLine() throws(SourceError) -> Bool? {
        guard try need(1) else { return nil }
        lineNumber += 1
        var length = 0
        while length <= Self.longestLine {
            if let end = bytes.firstIndex(of: UInt8(ascii: "\n"), from: length) {
                let isWhole = end <= Self.longestLine
                if isWhole { bytes.copy(end, at: 0, into: &line) }
                bytes.skip(end + 1)
                return isWhole
            }
            length = bytes.available
            guard try need(length + 1) else {
                bytes.copy(length, at: 0, into: &line)
                bytes.skip(length)
                return true
            }
        }
        try skipLine()
        return false
    }

    private mutating func skipLine() throws(SourceError) {
        while try need(1) {
            let end = bytes.firstIndex(of: UInt8(ascii: "\n"), from: 0)
            bytes.skip(end.map { $0 + 1 } ?? bytes.available)
            if end != nil { return }
        }
    }

    private mutating func need(_ count: Int) throws(SourceError) -> Bool {
        do { return try bytes.need(count) } catch {
            isFinished = true
            throw error
        }
    }

    private mutating func instant(of moment: SightingLine.Moment) throws(JSONFault) -> Instant {
        switch (clock, moment) {
        case (.unknown, .sinceStart(let span)):
            clock = .sinceStart
            return .boot + span
        case (.sinceStart, .sinceStart(let span)):
            return .boot + span
        case (.unknown, .calendar(let time)):
            clock = .calendar(start: time)
            return .boot
        case (.calendar(let start), .calendar(let time)):
            let span = time - start
            guard span <= SightingLine.longestSpan, span >= .zero - SightingLine.longestSpan else {
                throw Self.fault("the time lies more than a century from the first line's")
            }
            return .boot + span
        case (.sinceStart, .calendar), (.calendar, .sinceStart):
            throw Self.fault("the lines before this one told the time the other way: use \"t\" or \"time\" throughout")
        }
    }

    /// A receiver's place among those named; beyond the first 64 its lines count as the source's own.
    private mutating func number(of name: String) -> Int? {
        if let known = receivers.firstIndex(of: name) { return known }
        guard receivers.count < Self.mostReceivers else { return nil }
        receivers.append(name)
        return receivers.count - 1
    }

    private static let tooLong = fault("the line is longer than 64 KiB: is it one object a line?")

    private static func fault(_ message: String) -> JSONFault {
        JSONFault(message: message, position: JSONPosition(line: 1, column: 1))
    }

    private static func isWhiteSpace(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") || byte == UInt8(ascii: "\r")
    }
}
