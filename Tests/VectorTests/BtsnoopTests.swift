// SPDX-License-Identifier: GPL-2.0-or-later

import CMallocCount
import RadioCapture
import RegionCore
import Testing
import Time

struct BtsnoopTests {
    static let command: [UInt8] = [0x01, 0x0C, 0x20, 0x02, 0x01, 0x00]

    @Test func `an H4 capture gives its events, times counted from the first record`() throws {
        var capture = BtsnoopBytes()
        capture.append(Self.command, flags: 2)
        capture.append(baseEvent, microseconds: 1_500)
        capture.append([0x02, 0, 0], flags: 1, microseconds: 2_000)
        capture.append(baseEvent, microseconds: 3_000_001)
        let reading = try CaptureFile(capture.bytes).read()
        #expect(reading.frames == [baseEvent, baseEvent])
        #expect(reading.instants.map(\.nanoseconds) == [1_500_000, 3_000_001_000])
        #expect(reading.error == nil)
        #expect(reading.status.start?.rfc3339 == "2000-01-01T00:00:00.000000Z")
        #expect(reading.status.skippedRecords == 2)
        #expect(reading.progress == 1)
    }

    @Test func `a capture without packet type bytes gives received events by their flags`() throws {
        var capture = BtsnoopBytes(datalink: 1_001)
        capture.append(Array(Self.command.dropFirst()), flags: 2)
        capture.append(Array(baseEvent.dropFirst()), flags: 3)
        capture.append(Array(baseEvent.dropFirst()), flags: 1)
        capture.append([], flags: 3)
        let reading = try CaptureFile(capture.bytes).read()
        #expect(reading.frames == [baseEvent, [0x04]])
        #expect(reading.status.skippedRecords == 2)
    }

    @Test func `a monitor capture gives the events of all adapters`() throws {
        var capture = BtsnoopBytes(datalink: 2_001)
        capture.append([1, 2, 3], flags: 0)
        capture.append(Array(baseEvent.dropFirst()), flags: 3)
        capture.append(Array(Self.command.dropFirst()), flags: 2)
        capture.append(Array(baseEvent.dropFirst()), flags: 1 << 16 | 3)
        let reading = try CaptureFile(capture.bytes).read()
        #expect(reading.frames == [baseEvent, baseEvent])
        #expect(reading.status.skippedRecords == 2)
    }

    @Test func `times that go backwards or jump a century are held at the largest so far`() throws {
        var capture = BtsnoopBytes()
        for time in [0, 5_000, 4_999, -1, 4_000_000_000_000_000, .max, 6_000] as [Int64] {
            capture.append(baseEvent, microseconds: time)
        }
        let reading = try CaptureFile(capture.bytes).read()
        #expect(reading.instants.map(\.nanoseconds) == [0, 5, 5, 5, 5, 5, 6].map { $0 * 1_000_000 })
        #expect(reading.status.heldTimes == 4)
    }

    @Test func `a capture cut anywhere gives its whole records and then says where it is cut`() throws {
        var capture = BtsnoopBytes()
        var ends = [capture.bytes.count]
        for index in 0..<3 {
            capture.append(baseEvent.dropLast(index) + [], microseconds: Int64(index))
            ends.append(capture.bytes.count)
        }
        let whole = try CaptureFile(capture.bytes).read().frames
        for length in 1..<capture.bytes.count {
            let file = try CaptureFile(Array(capture.bytes.prefix(length)))
            guard length >= 16 else {
                #expect(throws: SourceError("\(file.path): the btsnoop header is cut short; copy the file anew")) {
                    try file.read()
                }
                continue
            }
            let reading = try file.read()
            let good = ends.count { $0 <= length } - 1
            #expect(reading.frames == Array(whole.prefix(good)))
            #expect((reading.error == nil) == ends.contains(length))
            #expect(
                reading.error.map { $0.description.contains("record \(good + 1) at byte \(ends[good]) is cut") } ?? true
            )
        }
    }

    @Test func `after an error a capture gives nothing more`() throws {
        var capture = BtsnoopBytes()
        capture.append([0x04], includedLength: 70_000)
        capture.append(baseEvent)
        let file = try CaptureFile(capture.bytes)
        let source = try CaptureSource(path: file.path)
        var frame = FrameBuffer()
        let error = #expect(throws: SourceError.self) { try source.next(into: &frame) }
        #expect(error?.description.contains("record 1 at byte 16 says it is 70000 bytes long") == true)
        #expect(try source.next(into: &frame) == nil)
    }

    @Test(
        arguments: [
            (1, 1_003, "datalink 1003"), (1, 2_002, "datalink 2002"), (2, 1_002, "version 2"), (0, 1_002, "version 0"),
        ] as [(UInt32, UInt32, String)])
    func `a btsnoop file of another kind is refused by name`(version: UInt32, datalink: UInt32, said: String) throws {
        let file = try CaptureFile(BtsnoopBytes(datalink: datalink, version: version).bytes)
        let error = #expect(throws: SourceError.self) { try CaptureSource(path: file.path) }
        #expect(error?.description.contains(said) == true)
    }

    @Test func `a frame costs no allocation once its storage has grown`() throws {
        var capture = BtsnoopBytes()
        for index in 0..<20_000 { capture.append(baseEvent.dropLast(index % 3) + []) }
        let file = try CaptureFile(capture.bytes)
        let source = try CaptureSource(path: file.path)
        var frame = FrameBuffer()
        _ = try source.next(into: &frame)
        let before = malloc_count_now()
        while try source.next(into: &frame) != nil {}
        #expect(malloc_count_now() == before)
    }
}

struct BtsnoopWriterTests {
    @Test func `what is recorded is read back, and another reader's bytes are the same`() throws {
        let file = try CaptureFile([])
        var writer = try BtsnoopWriter.create(path: file.path)
        let start = try #require(WallTime(rfc3339: "2000-01-01T00:00:00Z"))
        try writer.append(baseEvent, at: start)
        try writer.append([0x04, 0x3E], at: start + .microseconds(1_500))
        try writer.flush()
        var expected = BtsnoopBytes()
        expected.append(baseEvent)
        expected.append([0x04, 0x3E], microseconds: 1_500)
        #expect(try file.bytes() == expected.bytes)
        let reading = try file.read()
        #expect(reading.frames == [baseEvent, [0x04, 0x3E]])
        #expect(reading.instants == [.boot, .boot + .microseconds(1_500)])
        #expect(reading.status.start == start)
    }

    @Test func `a writer that goes away puts out what was waiting`() throws {
        let file = try CaptureFile([])
        do {
            var writer = try BtsnoopWriter.create(path: file.path)
            for _ in 0..<3_000 { try writer.append(baseEvent, at: .epoch) }
            #expect(writer.frames == 3_000)
        }
        #expect(try file.read().frames.count == 3_000)
    }

    @Test func `a recording is never overwritten`() throws {
        let file = try CaptureFile([1, 2, 3])
        #expect(throws: SourceError("\(file.path): holds something already; name a new file to record into")) {
            _ = try BtsnoopWriter.create(path: file.path)
        }
        #expect(try file.bytes() == [1, 2, 3])
    }

    @Test func `a full disk is told with the file and the remedy`() {
        let error = #expect(throws: SourceError.self) { _ = try BtsnoopWriter.create(path: "/dev/full") }
        #expect(
            error?.description == "/dev/full: cannot be written: No space left on device; make room or record elsewhere"
        )
        #expect(throws: SourceError.self) { _ = try BtsnoopWriter.create(path: "/nowhere/at/all") }
    }
}
