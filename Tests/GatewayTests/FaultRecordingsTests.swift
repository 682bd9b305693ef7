// SPDX-License-Identifier: GPL-2.0-or-later

import Foundation
import RadioCapture
import RegionCore
import TestKit
import Testing
import Time

@testable import Gateway

struct FaultRecordingsTests {
    private let folder: Folder
    private var faults: String { folder.file("faults") }
    private let said = Said()

    /// What was said to a person.
    private final class Said {
        var lines: [String] = []
    }

    init() throws { folder = try Folder() }

    private func recordings() -> FaultRecordings {
        FaultRecordings(beside: folder.file("radio.db")) { [said] in said.lines.append($0) }
    }

    private func fault(
        _ why: String, of receiver: String? = nil, minute: Int64, frames: Int = 3
    ) -> RadioFault {
        var ring = FrameRing()
        var frame = FrameBuffer()
        frame.refill { $0 += [4, 0x3E, 2, 2, 0] }
        let now = Instant.boot + .seconds(60 * minute)
        let time = WallTime(microseconds: 1_780_000_000_000_000) + .seconds(60 * minute)
        for _ in 0..<frames { ring.append(frame, at: now, time: time) }
        return RadioFault(why: why, receiver: receiver, time: time, ring: ring.snapshot(at: now))
    }

    private func names() -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: faults)) ?? []).sorted()
    }

    @Test func `a fault is kept under its time and reason, as a capture that is read`() throws {
        var recordings = recordings()
        recordings.record(fault("Soft: scan/toggle…", minute: 0), at: .boot)
        let name = try #require(names().first)
        #expect(names().count == 1)
        #expect(name == "ring-2026-05-28T20-26-40Z-soft-scan-toggle.btsnoop")
        let source = try CaptureSource(path: "\(faults)/\(name)")
        var frame = FrameBuffer()
        var frames = 0
        while try source.next(into: &frame) != nil { frames += 1 }
        #expect(frames == 3)
    }

    @Test func `there is one recording in ten minutes, and five at most`() {
        var recordings = recordings()
        var expected: [String] = []
        for minute in Int64(0)..<100 {
            let fault = fault("silence", minute: minute)
            recordings.record(fault, at: .boot + .seconds(60 * minute))
            if minute % 10 == 0 { expected.append("ring-\(fault.time.fileStamp)-silence.btsnoop") }
        }
        #expect(names() == expected.suffix(5))
    }

    @Test func `each of several receivers has a recording, and one fault does not hide another's`() {
        var recordings = recordings()
        for receiver in ["gate/north", "gate south", "gate/north"] {
            recordings.record(fault("lost", of: receiver, minute: 0), at: .boot)
        }
        let stamp = fault("", minute: 0).time.fileStamp
        #expect(names() == ["ring-\(stamp)-gate-north-lost.btsnoop", "ring-\(stamp)-gate-south-lost.btsnoop"])
    }

    @Test func `the oldest go when all together grow too large`() throws {
        try FileManager.default.createDirectory(atPath: faults, withIntermediateDirectories: true)
        for (name, megabytes) in [("1", 90), ("2", 60), ("3", 49)] {
            let path = "\(faults)/ring-\(name).btsnoop"
            #expect(FileManager.default.createFile(atPath: path, contents: nil))
            // Sparse: it has the size and takes no room.
            try FileHandle(forWritingTo: URL(fileURLWithPath: path)).truncate(atOffset: UInt64(megabytes * 1_000_000))
        }
        try folder.write("faults/notes.txt", "not ours")
        var recordings = recordings()
        recordings.record(fault("silence", minute: 0, frames: 40_000), at: .boot)
        #expect(names().map { $0.prefix(6) } == ["notes.", "ring-2", "ring-2", "ring-3"])
    }

    @Test func `one that cannot be written is said once, and the next is tried again`() throws {
        try folder.write("faults", "a file is in the way")
        var recordings = recordings()
        for minute in [0, 10, 20] as [Int64] {
            recordings.record(fault("silence", minute: minute), at: .boot + .seconds(60 * minute))
        }
        #expect(said.lines.count == 1)
        try FileManager.default.removeItem(atPath: faults)
        recordings.record(fault("silence", minute: 30), at: .boot + .seconds(1_800))
        #expect(names().count == 1)
        #expect(said.lines.count == 2)
    }

    @Test func `nothing heard is nothing kept`() {
        var recordings = recordings()
        recordings.record(fault("silence", minute: 0, frames: 0), at: .boot)
        #expect(names().isEmpty && said.lines.isEmpty)
    }
}
