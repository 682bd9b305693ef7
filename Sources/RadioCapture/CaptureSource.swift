// SPDX-License-Identifier: GPL-2.0-or-later

import RegionCore
import Time

/// A recorded hall: a btsnoop capture, or sightings as NDJSON, either of them plain or gzip. Told by content, never by
/// name. Reads once from start to end; open it again to begin anew.
public final class CaptureSource: FrameSource {
    // Checking at run time that two accesses never overlap costs 10 ns a frame. Sound: a reader calls nobody back, and
    // a source belongs to one thread.
    @exclusivity(unchecked) private var reader: CaptureReader

    /// Opens a capture and looks at its first bytes.
    ///
    /// - Parameters:
    ///   - path: The file.
    ///   - skipsBadLines: Count bad NDJSON lines instead of refusing the first.
    /// - Throws: What the file looks like and what is accepted, when it is no capture.
    public init(path: String, skipsBadLines: Bool = false) throws(SourceError) {
        var stream = try ByteStream.open(path: path)
        switch try CaptureFormat.detect(in: &stream) {
        case .btsnoop: unsafe reader = CaptureReader(try BtsnoopReader(stream))
        case .sightings: unsafe reader = CaptureReader(SightingLineReader(stream, skipsBadLines: skipsBadLines))
        }
    }

    /// The next HCI event or line; nil at the end. Once it has thrown it gives nothing more: what it gave before stands.
    public func next(into frame: inout FrameBuffer) throws(SourceError) -> (input: SourceInput, instant: Instant)? {
        try unsafe reader.next(into: &frame)
    }

    /// How much of the file has been read, 0 to 1, packed bytes where it is gzip; nil for a pipe.
    public var progress: Double? { unsafe reader.btsnoop?.progress ?? reader.sightings?.progress }

    /// What was met on the way so far.
    public var status: CaptureStatus { unsafe reader.status }

    /// The receivers that lines named.
    public var receivers: [String] { unsafe reader.sightings?.receivers ?? [] }

    /// Whose the last line was.
    public var receiver: Int? { unsafe reader.sightings?.receiver }
}

/// What a capture's reader met beside its inputs.
public struct CaptureStatus: Equatable, Sendable {
    /// The calendar time of `Instant.boot`, known once the first input was read; nil for lines that count seconds.
    public var start: WallTime?
    /// Records of a btsnoop file that held no HCI event, stepped over.
    public var skippedRecords: UInt64 = 0
    /// Records whose time stamp went backwards, or a century ahead, and was held at the largest so far.
    public var heldTimes: UInt64 = 0
    /// Lines stepped over because `skipsBadLines` was set.
    public var badLines: UInt64 = 0
    /// What was wrong with the first of them.
    public var firstBadLine: SourceError?
    /// The receivers that lines named, in the order of their first line, at most 64.
    public var receivers: [String] = []
}

/// One of the two readers.
private struct CaptureReader: ~Copyable {
    var btsnoop: BtsnoopReader?
    var sightings: SightingLineReader?

    init(_ reader: consuming BtsnoopReader) { btsnoop = consume reader }
    init(_ reader: consuming SightingLineReader) { sightings = consume reader }

    mutating func next(into frame: inout FrameBuffer) throws(SourceError) -> (input: SourceInput, instant: Instant)? {
        if btsnoop != nil {
            guard let instant = try btsnoop?.next(into: &frame) else { return nil }
            return (.frame, instant)
        }
        return try sightings?.next()
    }

    var status: CaptureStatus {
        switch btsnoop {
        case .some(let reader): reader.status
        case .none: ofLines
        }
    }

    private var ofLines: CaptureStatus {
        switch sightings {
        case .some(let reader): reader.status
        case .none: CaptureStatus()
        }
    }
}
