// SPDX-License-Identifier: GPL-2.0-or-later

import RadioHCI
import RegionCore
import Time

/// One source of those that are listened to, with the input that was read of it last.
final class Listener {
    private var source: any FrameSource
    /// The same, where it is a live radio.
    let radio: HCIRadio?
    /// The bytes of the last input, where it was a frame.
    private(set) var frame = FrameBuffer()
    /// Read, and not yet taken.
    private(set) var waiting: (input: SourceInput, instant: Instant)?
    /// Whether the source will never give anything more.
    private(set) var hasEnded = false
    /// Whether a radio has nothing more for this turn.
    private var isDrained = false
    /// When its last input was.
    private var last: Instant?
    /// Which of the radio's sockets the loop wakes for.
    private var watchedOpening: UInt64 = 0

    init(_ source: any FrameSource) {
        self.source = source
        radio = source as? HCIRadio
    }

    /// A radio may have something again.
    func beginTurn() { isDrained = false }

    /// When its next input was or will be; nil when there is none for now, or none any more.
    ///
    /// - Parameter others: whether sources beside it go on: then its end is its receiver's deafness.
    func look(by clock: SourceClock, others: Bool) throws(SourceError) -> Instant? {
        if waiting == nil { try read(by: clock, others: others) }
        return waiting?.instant
    }

    private func read(by clock: SourceClock, others: Bool) throws(SourceError) {
        guard !hasEnded, !isDrained else { return }
        if let radio {
            waiting = radio.next(into: &frame)
            isDrained = waiting == nil
            return
        }
        do throws(SourceError) {
            waiting = try source.next(into: &frame).map { ($0.input, clock.instant(of: $0.instant)) }
        } catch {
            hasEnded = true
            throw error
        }
        guard waiting == nil else { return }
        hasEnded = true
        if others, let last { waiting = (.listening(false), last) }
    }

    /// Takes the input that was looked at; its bytes stay in `frame` until the next look.
    func take() -> SourceInput? {
        defer { waiting = nil }
        last = waiting?.instant
        return waiting?.input
    }

    /// Whose the last input was, a place in `receivers`; nil: the source's own.
    var receiver: Int? { source.receiver }
    /// The receivers that inputs name.
    var receivers: [String] { source.receivers }

    /// The loop wakes for what the radio receives, whatever socket it has meanwhile.
    func watch(by loop: borrowing EventLoop) {
        guard let radio, let descriptor = radio.descriptor, radio.openings != watchedOpening else { return }
        loop.watchToo(descriptor)
        watchedOpening = radio.openings
    }
}
