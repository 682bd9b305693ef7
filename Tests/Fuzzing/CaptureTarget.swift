// SPDX-License-Identifier: GPL-2.0-or-later

import Glibc
import RadioCapture
import RegionCore
import Time

/// Capture files, read as `replay` reads them.
enum CaptureTarget {
    static func checkBtsnoop(_ bytes: [UInt8]) {
        let read = read(bytes, skipsBadLines: false)
        precondition(read.inputs.count <= bytes.count * 1_100, "more records than bytes, however well packed")
        if read.isBtsnoop {
            for (before, after) in zip(read.inputs, read.inputs.dropFirst()) {
                precondition(before.instant <= after.instant, "time went backwards")
            }
        }
    }

    static func checkSightings(_ bytes: [UInt8]) {
        let strict = read(bytes, skipsBadLines: false)
        let lenient = read(bytes, skipsBadLines: true)
        precondition(lenient.inputs.starts(with: strict.inputs), "skipping bad lines changed the good ones")
        if let trouble = strict.trouble, lenient.trouble == nil {
            precondition(trouble.description.contains("line "), "a bad line without its number")
        }
    }

    private struct Input: Equatable {
        let input: SourceInput
        let instant: Instant
        let frame: [UInt8]
    }

    private struct Outcome {
        var inputs: [Input] = []
        var trouble: SourceError?
        var isBtsnoop = false
    }

    private static func read(_ bytes: [UInt8], skipsBadLines: Bool) -> Outcome {
        var outcome = Outcome()
        do throws(SourceError) {
            let source = try CaptureSource(path: scratch.holding(bytes), skipsBadLines: skipsBadLines)
            var frame = FrameBuffer()
            do throws(SourceError) {
                while let (input, instant) = try source.next(into: &frame) {
                    outcome.isBtsnoop = outcome.isBtsnoop || input == .frame
                    outcome.inputs.append(
                        Input(input: input, instant: instant, frame: input == .frame ? frame.bytes : []))
                }
            } catch { outcome.trouble = error }
            let afterwards = try source.next(into: &frame)
            precondition(afterwards == nil, "there is something after the end")
        } catch { outcome.trouble = outcome.trouble ?? error }
        return outcome
    }

    private static let scratch = ScratchFile()
}

/// A file that has no name any more and is written anew for each input.
private final class ScratchFile: Sendable {
    private let descriptor: CInt

    init() {
        var name = Array("/tmp/regiond-fuzzing-XXXXXX".utf8CString)
        descriptor = unsafe mkstemp(&name)
        precondition(descriptor >= 0, "no file can be made in /tmp")
        unsafe unlink(name)
    }

    /// The path of the file, which then holds these bytes.
    func holding(_ bytes: [UInt8]) -> String {
        let written = unsafe pwrite(descriptor, bytes, bytes.count, 0)
        precondition(written == bytes.count && ftruncate(descriptor, off_t(bytes.count)) == 0, "/tmp is full")
        return "/proc/self/fd/\(descriptor)"
    }
}
