// SPDX-License-Identifier: GPL-2.0-or-later

import RadioCapture
import RegionCore
import Testing
import Time

struct CaptureFormatTests {
    static func capture(records: Int) -> [UInt8] {
        var capture = BtsnoopBytes()
        for index in 0..<records { capture.append(baseEvent, microseconds: Int64(index) * 1_000) }
        return capture.bytes
    }

    @Test(arguments: [
        ("d4c3b2a102000400", "is a pcap file"), ("0a0d0d0a1c000000", "is a pcapng file"),
        ("504b0304140000", "is a zip archive"), ("fd377a585a00", "is an xz file"), ("28b52ffd", "is a zstd file"),
        ("425a6839", "is a bzip2 file"), ("53514c69746520666f726d6174203300", "is an SQLite database"),
        ("3e203034203345", "is text of hcidump"), ("efbbbf7b7d", "is text with a byte order mark"),
        ("5b7b7d5d", "is a JSON array"), ("68656c6c6f0a", "is text"), ("00010203", "is binary data of another kind"),
        ("736e6f6f70000000", "is a snoop file of a network"), ("", "is empty"),
    ])
    func `a foreign file is refused with what it is and what is read`(bytes: String, said: String) throws {
        let file = try CaptureFile(hex(bytes))
        let error = #expect(throws: SourceError.self) { try CaptureSource(path: file.path) }
        #expect(error?.description.hasPrefix("\(file.path): \(said)") == true)
        #expect(error?.description.contains("btsnoop captures and sightings as NDJSON are read") == true)
    }

    @Test func `what cannot be opened or read is refused with the system's reason`() {
        let missing = #expect(throws: SourceError.self) { try CaptureSource(path: "/no/such/file") }
        #expect(missing?.description.contains("/no/such/file: cannot be opened: No such file or directory") == true)
        let folder = #expect(throws: SourceError.self) { try CaptureSource(path: "/tmp") }
        #expect(folder?.description.contains("Is a directory") == true)
    }

    @Test func `a packed capture reads as the plain one, in one member or several`() throws {
        let bytes = Self.capture(records: 20_000)
        let plain = try CaptureFile(bytes).read()
        #expect(plain.frames.count == 20_000)
        let half = bytes.count / 2
        let packings = [
            try gzip(bytes), try gzip(Array(bytes[..<half])) + gzip(Array(bytes[half...])),
            try gzip(bytes) + [0, 0, 0], try gzip([]) + gzip(bytes) + gzip([]),
        ]
        for packed in packings {
            let reading = try CaptureFile(packed).read()
            #expect(reading.error == nil)
            #expect(reading.frames == plain.frames)
            #expect(reading.instants == plain.instants)
            #expect(reading.progress == 1)
        }
    }

    @Test func `a packed capture cut anywhere gives a part of the records and says that it breaks off`() throws {
        let packed = try gzip(Self.capture(records: 6))
        let whole = try CaptureFile(packed).read().frames
        #expect(whole.count == 6)
        for length in 2..<packed.count {
            let file = try CaptureFile(Array(packed.prefix(length)))
            do throws(SourceError) {
                let reading = try file.read()
                #expect(reading.frames == Array(whole.prefix(reading.frames.count)))
                #expect(reading.error?.description.contains("gzip data break off at byte \(length)") == true)
            } catch {
                #expect(error.description.contains("gzip data break off at byte \(length)"))
            }
        }
    }

    @Test func `packed data that are damaged or followed by something else give what is whole before`() throws {
        var packed = try gzip(Self.capture(records: 20_000))
        let followed = try CaptureFile(packed + [0x50]).read()
        #expect(followed.frames.count == 20_000)
        #expect(followed.error?.description.contains("gzip data are followed by something else") == true)
        packed[packed.count - 6] ^= 1  // In the checksum at the end.
        let damaged = try CaptureFile(packed).read()
        #expect(damaged.frames.count == 20_000)
        #expect(damaged.error?.description.contains("gzip data are damaged") == true)
    }

    @Test func `gzip inside gzip is refused`() throws {
        let twice = try CaptureFile(gzip(gzip(Self.capture(records: 1))))
        let error = #expect(throws: SourceError.self) { try CaptureSource(path: twice.path) }
        #expect(error?.description.contains("is gzip inside gzip") == true)
    }
}
