// SPDX-License-Identifier: GPL-2.0-or-later

import RegionCore
import Time

/// The spans in which the receiver could hear, as they are written to the ledger.
struct ListeningSpans {
    private let receiver: String
    private var ended: [ListeningSpan] = []
    private var openSince: Instant?

    init(receiver: String, from start: Instant) {
        self.receiver = receiver
        openSince = start
    }

    mutating func change(to on: Bool, at instant: Instant) {
        if let start = openSince, !on {
            if instant > start { ended.append(ListeningSpan(receiver: receiver, from: start, until: instant)) }
            openSince = nil
        } else if on, openSince == nil {
            openSince = instant
        }
    }

    /// What is to be written: the spans that ended, and the open one as far as it has come.
    mutating func take(until now: Instant) -> [ListeningSpan] {
        var spans = ended
        ended = []
        if let start = openSince { spans.append(ListeningSpan(receiver: receiver, from: start, until: now)) }
        return spans
    }
}
