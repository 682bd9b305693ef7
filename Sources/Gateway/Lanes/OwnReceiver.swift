// SPDX-License-Identifier: GPL-2.0-or-later

import RadioCapture
import RegionCore
import Time

/// What the radio lane keeps of a source's own receiver.
struct OwnReceiver {
    let id: String
    /// The source as it was written.
    let sourceText: String
    /// What begins that which is said of it; empty where there is no other.
    let prefix: String
    /// What it heard.
    var ring: FrameRing
    /// When it could hear, for the ledger.
    var spans: ListeningSpans
    /// When its last report came.
    var lastReport: Instant
    /// How its radio stood when that was last said.
    var radioState = RadioState.resetting
    private var hears = true

    /// Those of these sources, from the start on. Their rings share the room of one.
    static func all(_ ids: [String], of sources: [SourceText], from start: Instant) -> [OwnReceiver] {
        zip(ids, sources).map { id, source in
            OwnReceiver(
                id: id, sourceText: source.text, prefix: ids.count > 1 ? "\(id): " : "",
                ring: FrameRing(bytes: RingLimit.bytes / ids.count), spans: ListeningSpans(receiver: id, from: start),
                lastReport: start)
        }
    }

    private init(
        id: String, sourceText: String, prefix: String, ring: FrameRing, spans: ListeningSpans, lastReport: Instant
    ) {
        self.id = id
        self.sourceText = sourceText
        self.prefix = prefix
        self.ring = ring
        self.spans = spans
        self.lastReport = lastReport
    }

    /// Takes down whether it can hear; gives whether that is news.
    mutating func hearingChanged(to on: Bool, at instant: Instant) -> Bool {
        guard on != hears else { return false }
        hears = on
        spans.change(to: on, at: instant)
        return true
    }
}
