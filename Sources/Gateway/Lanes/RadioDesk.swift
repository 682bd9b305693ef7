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
        /// When the last report came.
        var lastReport: Instant
    }

    private struct State {
        var isAsked = false
        var answer: (at: Instant, value: Answer)?
        var answers: UInt64 = 0
        var registry: (Registry, Int64)?
        /// How many wait for the ring.
        var ringWaiters = 0
        var ring: RingSnapshot?
    }

    /// What is listened to, for people.
    let sourceText: String
    private let state = Monitor(State())
    private let bell: EventLoop.Bell

    /// A page that asks more often is given the answer before.
    static let youngest = Duration.milliseconds(400)
    /// It answers within milliseconds unless it waits for the store; then the page is told that there is no answer.
    private static let patience = Duration.seconds(1)

    init(sourceText: String, bell: EventLoop.Bell) {
        self.sourceText = sourceText
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

    /// What was heard in the last ten minutes; nil when the radio lane does not answer.
    func askRing() -> RingSnapshot? {
        state.with { $0.ringWaiters += 1 }
        bell.ring()
        let ring = state.wait(atMost: Self.patience) { $0.ring }
        state.with { state in
            state.ringWaiters -= 1
            if state.ringWaiters == 0 { state.ring = nil }  // Or its chunks would stay in memory.
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

    /// Gives the ring to whoever waits for it.
    func answerRing(_ make: () -> RingSnapshot) {
        guard state.with({ $0.ringWaiters > 0 && $0.ring == nil }) else { return }
        let ring = make()
        state.change { state in state.ring = state.ringWaiters > 0 ? ring : nil }
    }

    /// The registry that takes effect now, if there is one.
    func takeRegistry() -> (Registry, Int64)? {
        state.with { state in
            defer { state.registry = nil }
            return state.registry
        }
    }
}
