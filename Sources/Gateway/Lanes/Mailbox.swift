// SPDX-License-Identifier: GPL-2.0-or-later

import RegionCore
import Time

/// How much may wait between the radio lane and the store lane.
enum MailboxLimit {
    /// A whole registry of 1,000 beacons entering three regions each at once is a third of it. Full: the radio lane
    /// waits for a store that works.
    static let pendingEvents = 4_096
    /// A store that commits nothing for so long is in trouble, and nobody waits for it any more.
    static let patience = Duration.seconds(5)
    /// What waits in memory for a store in trouble: some 60 MB. Beyond it events are counted and their span kept.
    static let eventsInTrouble = 100_000
    /// Rows beside the events (minutes, near misses) in trouble; beyond it they are dropped, being statistics.
    static let batchesInTrouble = 10_000
}

/// The hand-over from the radio lane to the store lane: bounded, in order, and never losing an event in silence.
final class Mailbox: Sendable {
    /// Events that found no room.
    struct Loss: Equatable {
        /// How many.
        var count: Int
        /// When the first of them was decided.
        var from: Instant
        /// When the last of them was decided.
        var to: Instant
        /// Who is inside after them: exits may be among the lost.
        var inside: [EngineSnapshot.Presence]
    }

    /// A registry that waits to become a settings version.
    struct NewRegistry {
        var registry: Registry
        var text: String
    }

    /// What the store lane takes at once.
    struct Delivery {
        var batches: [LedgerBatch] = []
        var loss: Loss?
        var newRegistry: NewRegistry?
        var isClosed = false
    }

    private struct State {
        var batches: [LedgerBatch] = []
        var pendingEvents = 0
        var loss: Loss?
        var newRegistry: NewRegistry?
        var isClosed = false
        var isInTrouble = false
        /// Since when something waits that could have been committed.
        var waitingSince: Instant?
    }

    private let state = Monitor(State())

    /// Hands a batch over, waiting while the box is full and the store works. `inside` is asked for when the batch's
    /// events find no room.
    func put(_ batch: LedgerBatch, inside: () -> [EngineSnapshot.Presence]) {
        let events = batch.decisions.events.count
        var isDone = false
        while !isDone {
            isDone =
                state.wait(atMost: .milliseconds(100)) { state in
                    let isFull = state.pendingEvents + events > MailboxLimit.pendingEvents
                    guard state.isInTrouble || state.pendingEvents == 0 || !isFull || Self.isStuck(state)
                    else { return nil }
                    Self.add(batch, to: &state, inside: inside)
                    return true
                } ?? false
        }
        state.change { _ in }  // Wakes the store lane.
    }

    private static func isStuck(_ state: borrowing State) -> Bool {
        state.waitingSince.map { BoxClock.now() - $0 > MailboxLimit.patience } ?? false
    }

    private static func add(
        _ batch: LedgerBatch, to state: inout State, inside: () -> [EngineSnapshot.Presence]
    ) {
        var batch = batch
        let events = batch.decisions.events
        if state.pendingEvents + events.count > MailboxLimit.eventsInTrouble, let last = events.last {
            state.loss = Loss(
                count: (state.loss?.count ?? 0) + events.count, from: state.loss?.from ?? events[0].detectedAt,
                to: last.detectedAt, inside: inside())
            batch.decisions.events = []
        }
        if state.batches.count >= MailboxLimit.batchesInTrouble, batch.decisions.events.isEmpty { return }
        state.pendingEvents += batch.decisions.events.count
        state.batches.append(batch)
        state.waitingSince = state.waitingSince ?? BoxClock.now()
    }

    /// Lets the store lane make a settings version of a registry.
    func put(_ registry: NewRegistry) { state.change { $0.newRegistry = registry } }

    /// Nothing more will come.
    func close() { state.change { $0.isClosed = true } }

    /// What waits; nil when the time ends with nothing. It stays in the box until `committed`.
    func look(atMost limit: Duration) -> Delivery? {
        state.wait(atMost: limit) { state in
            guard !state.batches.isEmpty || state.newRegistry != nil || state.isClosed else { return nil }
            return Delivery(
                batches: state.batches, loss: state.loss, newRegistry: state.newRegistry, isClosed: state.isClosed)
        }
    }

    /// That many batches are on disk.
    func committed(_ batches: Int) {
        state.change { state in
            state.pendingEvents -= state.batches.prefix(batches).reduce(0) { $0 + $1.decisions.events.count }
            state.batches.removeFirst(batches)
            state.waitingSince = state.batches.isEmpty ? nil : BoxClock.now()
            state.isInTrouble = false
        }
    }

    /// A loss is on disk.
    func recorded(_ known: Loss) {
        state.change { state in
            guard let loss = state.loss, loss.count > known.count else { return state.loss = nil }
            state.loss?.count -= known.count
            state.loss?.from = known.to
        }
    }

    /// A registry is a settings version now. One that came meanwhile stays: the last content wins.
    func stored(_ known: NewRegistry) {
        state.change { state in
            if state.newRegistry?.text == known.text { state.newRegistry = nil }
        }
    }

    /// Lets time pass; less of it when the mailbox is closed.
    func rest(atMost span: Duration) { _ = state.wait(atMost: span) { $0.isClosed ? true : nil } }

    /// The store could not take it: nobody waits for it until it can.
    func storeFailed() { state.change { $0.isInTrouble = true } }

    /// How the store stands.
    struct Standing: Equatable {
        /// It failed, or commits nothing.
        var isInTrouble: Bool
        /// Events that wait for it.
        var waiting: Int
        /// Events that found no room.
        var lost: Int
    }

    /// How the store stands.
    var standing: Standing {
        state.with { state in
            Standing(
                isInTrouble: state.isInTrouble || Self.isStuck(state), waiting: state.pendingEvents,
                lost: state.loss?.count ?? 0)
        }
    }
}
