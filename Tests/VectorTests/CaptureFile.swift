// SPDX-License-Identifier: GPL-2.0-or-later

import Foundation
import RadioCapture
import RegionCore
import Time

/// A file for one test, removed with it.
final class CaptureFile {
    let path: String

    init(_ bytes: [UInt8]) throws {
        path = FileManager.default.temporaryDirectory.appendingPathComponent("regiond-\(UUID().uuidString)").path
        try Data(bytes).write(to: URL(fileURLWithPath: path))
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    convenience init(lines: String) throws { try self.init(Array(lines.utf8)) }

    func bytes() throws -> [UInt8] { Array(try Data(contentsOf: URL(fileURLWithPath: path))) }

    /// All that a capture gives, and how it ended.
    func read(skipsBadLines: Bool = false) throws(SourceError) -> Reading {
        let source = try CaptureSource(path: path, skipsBadLines: skipsBadLines)
        return withExtendedLifetime(self) { Reading(source) }
    }
}

/// What a source gave until its end.
struct Reading {
    var frames: [[UInt8]] = []
    var inputs: [SourceInput] = []
    var instants: [Instant] = []
    var error: SourceError?
    let status: CaptureStatus
    let progress: Double?

    init(_ source: CaptureSource) {
        var frame = FrameBuffer()
        do throws(SourceError) {
            while let (input, instant) = try source.next(into: &frame) {
                inputs.append(input)
                instants.append(instant)
                if input == .frame { frames.append(frame.bytes) }
            }
        } catch {
            self.error = error
        }
        status = source.status
        progress = source.progress
    }

    var sightings: [Sighting] {
        inputs.compactMap { if case .sighting(let sighting) = $0 { sighting } else { nil } }
    }
}

/// Writes btsnoop files byte by byte, apart from the product's own writer.
struct BtsnoopBytes {
    /// What a time stamp reads at 2000-01-01T00:00:00Z, as the format's description gives it.
    static let year2000: UInt64 = 0x00E0_3AB4_4A67_6000

    var bytes: [UInt8]

    init(datalink: UInt32 = 1_002, version: UInt32 = 1) {
        bytes = Array("btsnoop\0".utf8) + Self.bigEndian(version) + Self.bigEndian(datalink)
    }

    mutating func append(
        _ packet: [UInt8], flags: UInt32 = 3, microseconds: Int64 = 0, includedLength: UInt32? = nil
    ) {
        bytes += Self.bigEndian(UInt32(packet.count)) + Self.bigEndian(includedLength ?? UInt32(packet.count))
        bytes += Self.bigEndian(flags) + Self.bigEndian(UInt32(0))
        bytes += Self.bigEndian(Self.year2000 &+ UInt64(bitPattern: microseconds)) + packet
    }

    static func bigEndian(_ value: some FixedWidthInteger) -> [UInt8] {
        stride(from: value.bitWidth - 8, through: 0, by: -8).map { UInt8(truncatingIfNeeded: value >> $0) }
    }
}

/// The same bytes as gzip data.
func gzip(_ bytes: [UInt8]) throws -> [UInt8] {
    let file = try CaptureFile(bytes)
    return try withExtendedLifetime(file) { try outputOfGzip("-c", file.path) }
}

/// What a gzip file holds.
func gunzip(_ path: String) throws -> [UInt8] { try outputOfGzip("-dc", path) }

private func outputOfGzip(_ arguments: String...) throws -> [UInt8] {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/gzip")
    process.arguments = arguments
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let bytes = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    return Array(bytes)
}

/// The base event of the field cases: an iBeacon 7/258 from C0:FF:EE:00:00:01 at -65 dBm.
let baseEvent = hex(
    "043e2a02010301010000eeffc01e0201061aff4c000215a1b2c3d4e5f6470889101112131415ab00070102c5bf")
/// Its advertising data.
let baseData = hex("0201061aff4c000215a1b2c3d4e5f6470889101112131415ab00070102c5")

/// The bytes of pairs of hex digits.
func hex(_ text: String) -> [UInt8] {
    let digits = text.compactMap(\.hexDigitValue)
    return stride(from: 0, to: digits.count - 1, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
}
