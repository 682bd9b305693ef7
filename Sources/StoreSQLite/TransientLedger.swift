// SPDX-License-Identifier: GPL-2.0-or-later

import RegionCore
import Time

/// Numbers events as the store would and keeps none of them: for a replay that nobody wants kept.
public struct TransientLedger {
    private let facts: StoreFacts
    private let source: SourceKind
    private var newestSeq: Int64 = 0
    /// Exits that wait for their wake.
    private var waiting: [UInt64: Int64] = [:]

    /// A ledger that begins with seq 1.
    public init(gateway: String, source: SourceKind, now: WallTime) {
        facts = StoreFacts(gateway: gateway, store: "replay", source: source, created: now)
        self.source = source
    }

    /// The events of a batch, numbered.
    public mutating func append(_ batch: LedgerBatch) -> [CommittedEvent] {
        batch.decisions.events.map { event in
            newestSeq += 1
            if event.regions.contains(where: { $0.wake == .waiting }) { waiting[event.ordinal] = newestSeq }
            return CommittedEvent(
                seq: newestSeq, id: facts.id(of: newestSeq), event: event,
                at: batch.anchor.wallTime(at: event.at), detectedAt: batch.anchor.wallTime(at: event.detectedAt),
                clockSynchronised: batch.anchor.synchronised, source: source, settings: batch.settings,
                of: event.of.flatMap { waiting[$0] })
        }
    }
}
