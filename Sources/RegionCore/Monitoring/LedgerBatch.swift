// SPDX-License-Identifier: GPL-2.0-or-later

import Time

/// What the radio lane hands to the store lane at once: one transaction, all or nothing.
public struct LedgerBatch: Equatable, Sendable {
    /// What the engine decided.
    public var decisions = Decisions()
    /// Last-heard times of beacons inside; they touch no event.
    public var checkpoint: [EngineSnapshot.Presence] = []
    /// The loudest that receivers hear; it touches no event.
    public var loudest: [ReceiverLevel] = []
    /// What happened to the gateway itself.
    public var notes: [Note] = []
    /// Spans in which the receiver could hear; one with the same start replaces the shorter one before it.
    public var listening: [ListeningSpan] = []
    /// Up to when all of this is complete.
    public var upTo: Instant
    /// Ties its instants to calendar time.
    public var anchor: ClockAnchor
    /// The settings version that its events were decided under.
    public var settings: Int64

    /// An empty batch.
    public init(upTo: Instant, anchor: ClockAnchor, settings: Int64) {
        self.upTo = upTo
        self.anchor = anchor
        self.settings = settings
    }

    /// Takes what the engine decided. What it says of receivers becomes notes: they are no events.
    public mutating func take(_ decisions: Decisions) {
        self.decisions = decisions
        self.decisions.receivers.removeAll()
        notes += decisions.receivers.map { Note($0) }
    }
}

/// Something that happened to the gateway and is no event: its own table, its own numbers.
public struct Note: Equatable, Sendable {
    /// What it is about.
    public enum Kind: String, CaseIterable, Sendable {
        case start, stop, registry, radio, clock, store, lost
    }

    /// What it is about.
    public var kind: Kind
    /// One sentence for a person.
    public var text: String
    /// When.
    public var at: Instant

    /// A note of these parts.
    public init(kind: Kind, text: String, at: Instant) {
        self.kind = kind
        self.text = text
        self.at = at
    }

    /// A receiver fell behind the others, or is back.
    public init(_ change: ReceiverChange) {
        let seconds = (change.at - change.since).wholeNanoseconds / 1_000_000_000
        let text =
            change.isBack
            ? "receiver \(change.receiver) is heard again, after \(seconds) s"
            : "receiver \(change.receiver) has not been heard for \(seconds) s while others were: "
                + "its beacons are held, unverified"
        self.init(kind: .radio, text: text, at: change.at)
    }
}

/// A span of time in which a receiver could hear.
public struct ListeningSpan: Equatable, Sendable {
    /// The receiver's identifier.
    public var receiver: String
    /// When it began to hear.
    public var from: Instant
    /// Up to when it is known to have heard.
    public var until: Instant

    /// A span of these parts.
    public init(receiver: String, from: Instant, until: Instant) {
        self.receiver = receiver
        self.from = from
        self.until = until
    }
}
