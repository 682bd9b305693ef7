// SPDX-License-Identifier: GPL-2.0-or-later

import RadioCapture
import RegionCore
import Time

/// What a recording may hold.
enum RecordingLimit {
    /// In memory: some fifteen million sightings, two days of a busy box. Full: a shorter recording is asked for.
    static let bytes = 1 << 30
}

/// A source read to its end once, and held in memory for any number of replays at a time.
final class Recording: Sendable {
    /// One input; the bytes of a frame end at `frameEnd` of all frames.
    fileprivate struct Input {
        var input: SourceInput
        var instant: Instant
        var receiver: Int32
        var frameEnd: Int
    }

    fileprivate let inputs: [Input]
    fileprivate let frames: [UInt8]
    /// The receivers that its inputs name.
    let receivers: [String]
    /// The calendar time of `Instant.boot`; nil: it counts seconds.
    let start: WallTime?
    /// The last instant in it.
    let end: Instant
    /// What was wrong with it behind its last good input; nil: nothing.
    let trouble: SourceError?

    /// How many inputs it holds.
    var count: Int { inputs.count }

    /// Reads a source to its end. What was good before an error stands.
    init(
        _ source: any FrameSource, limit: Int = RecordingLimit.bytes,
        progress: (_ inputs: Int, _ share: Double?) -> Void
    ) throws(GatewayError) {
        var source = source
        var inputs: [Input] = []
        var frames: [UInt8] = []
        var end = Instant.boot
        var trouble: SourceError?
        var frame = FrameBuffer()
        do throws(SourceError) {
            while let (input, instant) = try source.next(into: &frame) {
                if case .frame = input { frames.append(contentsOf: frame.storage.prefix(frame.count)) }
                let receiver = Int32(truncatingIfNeeded: source.receiver ?? -1)
                inputs.append(Input(input: input, instant: instant, receiver: receiver, frameEnd: frames.count))
                end = max(end, instant)
                if inputs.count % Self.inputsBetweenLooks == 0 { progress(inputs.count, source.progress) }
                if inputs.count * MemoryLayout<Input>.stride + frames.count > limit { break }
            }
        } catch { trouble = error }
        guard inputs.count * MemoryLayout<Input>.stride + frames.count <= limit else {
            throw GatewayError(
                .failed,
                "the recording is too long: after \(Int((end - .boot).inSeconds)) s it would take more than "
                    + "\(limit >> 20) MiB of memory; cut it, or record a shorter walk")
        }
        self.inputs = inputs
        self.frames = frames
        receivers = source.receivers
        start = source.captureStatus?.start
        self.end = end
        self.trouble = trouble
    }

    private static let inputsBetweenLooks = 1 << 16

    /// The recording from its start.
    func source() -> RecordedSource { RecordedSource(self) }
}

/// One reading of a recording.
struct RecordedSource: FrameSource {
    private let recording: Recording
    private var position = 0
    private var frameStart = 0
    /// How many receivers have been named so far: the engine is to meet them when it would in a replay of the source.
    private var named = 0

    fileprivate init(_ recording: Recording) { self.recording = recording }

    var progress: Double? { Double(position) / Double(max(1, recording.count)) }
    var receivers: [String] { Array(recording.receivers.prefix(named)) }
    private(set) var receiver: Int?

    mutating func next(into frame: inout FrameBuffer) -> (input: SourceInput, instant: Instant)? {
        guard position < recording.inputs.count else { return nil }
        let next = recording.inputs[position]
        position += 1
        receiver = next.receiver < 0 ? nil : Int(next.receiver)
        named = max(named, Int(next.receiver) + 1)
        if case .frame = next.input {
            frame.refill { $0.append(contentsOf: recording.frames[frameStart..<next.frameEnd]) }
            frameStart = next.frameEnd
        }
        return (next.input, next.instant)
    }
}
