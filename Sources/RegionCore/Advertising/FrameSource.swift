// SPDX-License-Identifier: GPL-2.0-or-later

import Time

/// One thing that a way of hearing gives to the radio lane.
public enum SourceInput: Equatable, Sendable {
    /// An HCI event as an HCI socket delivers it, packet type byte first; its bytes were left in the caller's buffer.
    case frame
    /// An advertisement that came decoded.
    case sighting(Sighting)
    /// This receiver ceased or began to hear, unplanned.
    case listening(Bool)
    /// A planned window of the duty cycle opened or closed.
    case window(open: Bool)
    /// Time passed.
    case tick
}

/// A way of hearing: each call gives the next input, in arrival order.
public protocol FrameSource {
    /// The next input and its instant, or nil at the end. `frame` is refilled for `.frame` alone.
    mutating func next(into frame: inout FrameBuffer) throws(SourceError) -> (input: SourceInput, instant: Instant)?

    /// How far the source has come, 0 to 1, where its length is known.
    var progress: Double? { get }

    /// The receivers that its inputs name, in the order in which they first came; empty where all are its own.
    var receivers: [String] { get }

    /// Whose the last input was, a place in `receivers`; nil: the source's own.
    var receiver: Int? { get }
}

extension FrameSource {
    /// All inputs are the source's own.
    public var receivers: [String] { [] }
    /// The source's own.
    public var receiver: Int? { nil }
}

/// The bytes of one frame, reused from frame to frame: it grows and never shrinks, so that a steady stream allocates
/// nothing and frames of different lengths cost nothing but their bytes.
public struct FrameBuffer: Sendable {
    /// The frame in its first `count` bytes; what lies behind is left over from longer ones.
    public var storage: [UInt8] = []
    /// How long the frame is.
    public var count = 0

    /// No frame yet.
    public init() {}

    /// The frame alone, copied.
    public var bytes: [UInt8] { Array(storage.prefix(count)) }

    /// Takes a frame that was appended to the emptied storage.
    public mutating func refill(_ write: (inout [UInt8]) -> Void) {
        storage.removeAll(keepingCapacity: true)
        write(&storage)
        count = storage.count
    }
}

/// What a source could not do; the text names the thing, the place and what to do.
public struct SourceError: Error, Equatable, CustomStringConvertible, Sendable {
    /// For a person: what, where, and what to do about it.
    public let description: String

    /// An error that says this.
    public init(_ description: String) { self.description = description }
}
