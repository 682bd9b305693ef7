// SPDX-License-Identifier: GPL-2.0-or-later

import RadioCapture
import RegionCore
import Time

/// Where other lanes leave the radio lane what they want of it, and find its answers.
final class RadioDesk: Sendable {
    /// What the page is made of.
    struct Answer: Sendable {
        var field: FieldState
        var anchor: ClockAnchor
        /// How each source's receiver stands, in the order of the sources.
        var ears: [Ear]
    }

    /// How one source's receiver stands.
    struct Ear: Sendable {
        var receiver: String
        /// Whether it can hear, as far as anybody can tell.
        var listening: Bool
        /// When its last report came.
        var lastReport: Instant
        /// How its radio stands; nil: it is none.
        var radio: RadioStatus?
    }

    private struct State {
        var isAsked = false
        var answer: (at: Instant, value: Answer)?
        var answers: UInt64 = 0
        var registry: (Registry, Int64)?
        /// For each receiver's ring, how many wait for it, and it.
        var rings: [RingWish]
    }

    private struct RingWish {
        var waiters = 0
        var ring: RingSnapshot?
    }

    /// What is listened to.
    let sources: SourceList
    /// The receivers that the sources are, in their order.
    let receivers: [String]
    private let state: Monitor<State>
    private let bell: EventLoop.Bell

    /// A page that asks more often is given the answer before.
    static let youngest = Duration.milliseconds(400)
    /// It answers within milliseconds unless it waits for the store; then the page is told that there is no answer.
    private static let patience = Duration.seconds(1)

    init(sources: SourceList, receivers: [String], bell: EventLoop.Bell) {
        self.sources = sources
        self.receivers = receivers
        state = Monitor(State(rings: receivers.map { _ in RingWish() }))
        self.bell = bell
    }

    // MARK: For the service lane

    /// The engine's state now, or as it was told so long ago at most; nil when the radio lane does not answer.
    func ask(noOlderThan age: Duration = youngest) -> Answer? {
        let (young, before) = state.with { state -> (Answer?, UInt64) in
            if let answer = state.answer, BoxClock.now() - answer.at < age { return (answer.value, 0) }
            state.isAsked = true
            return (nil, state.answers)
        }
        if let young { return young }
        bell.ring()
        return state.wait(atMost: Self.patience) { state in
            state.answers > before ? state.answer?.value : nil
        }
    }

    /// What a receiver, by its place, heard in the last ten minutes; nil when the radio lane does not answer.
    func askRing(of place: Int) -> RingSnapshot? {
        state.with { $0.rings[place].waiters += 1 }
        bell.ring()
        let ring = state.wait(atMost: Self.patience) { $0.rings[place].ring }
        state.with { state in
            state.rings[place].waiters -= 1
            if state.rings[place].waiters == 0 { state.rings[place].ring = nil }  // Or its chunks would stay in memory.
        }
        return ring
    }

    // MARK: For the store lane

    /// A registry takes effect as this settings version.
    func put(_ registry: Registry, version: Int64) {
        state.change { $0.registry = (registry, version) }
        bell.ring()
    }

    // MARK: For the radio lane

    /// Answers whoever asks.
    func answer(_ make: () -> Answer) {
        guard state.with({ $0.isAsked }) else { return }
        let answer = make()
        state.change { state in
            state.isAsked = false
            state.answers += 1
            state.answer = (BoxClock.now(), answer)
        }
    }

    /// Gives the rings to whoever waits for them.
    func answerRings(_ make: (Int) -> RingSnapshot) {
        for place in receivers.indices {
            guard state.with({ $0.rings[place].waiters > 0 && $0.rings[place].ring == nil }) else { continue }
            let ring = make(place)
            state.change { state in state.rings[place].ring = state.rings[place].waiters > 0 ? ring : nil }
        }
    }

    /// The registry that takes effect now, if there is one.
    func takeRegistry() -> (Registry, Int64)? {
        state.with { state in
            defer { state.registry = nil }
            return state.registry
        }
    }
}
