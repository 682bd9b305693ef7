// SPDX-License-Identifier: GPL-2.0-or-later

import EventJSON
import RadioHCI
import RegionCore
import Time

/// Listens to a source without a store: what is decided is shown and forgotten.
final class DirectListening: FieldOrigin {
    private var listeners: Listeners
    private var hearing: Hearing
    private var lastReport: Instant
    private let startedAt: Instant
    private let configuration: Configuration
    private let source: SourceText

    let words = "heard directly, nothing stored"
    let beginsAnew = true
    let warmUp = Duration.seconds(3)

    init(_ source: SourceText, configuration: Configuration) throws(GatewayError) {
        let seed = UInt64.random(in: 0 ... .max)
        let loaded = try LoadedRegistry(configuration, source: source, seed: seed)
        let receiver = try loaded.receiver(of: source, gateway: configuration.gateway)
        listeners = try Listeners(directly: source)
        startedAt = listeners.present
        lastReport = startedAt
        hearing = Hearing(
            engine: RegionEngine(registry: loaded.registry, receiver: receiver, at: startedAt, seed: seed))
        self.configuration = configuration
        self.source = source
    }

    deinit { listeners.leave() }

    func pass(_ loop: borrowing EventLoop, until moment: Instant) throws(GatewayError) -> Passing {
        while true {
            do throws(SourceError) { try hear() } catch { throw GatewayError(error) }
            if listeners.haveEnded { return .ended }
            if BoxClock.now() >= moment { return .due }
            let due = listeners.clock.now(boot: moment)
            if !listeners.wait(loop, until: min(due, hearing.nextDeadline() ?? due)).isEmpty { return .stopped }
        }
    }

    /// Takes what has come up to now.
    private func hear() throws(SourceError) {
        var decisions = Decisions()
        listeners.catchUp()
        let before = hearing.tally.reports
        while let (place, input, instant) = try listeners.next() {
            let listener = listeners[place]
            hearing.take(
                input, by: listener.receiver, of: listener.receivers, frame: listener.frame, at: instant,
                into: &decisions)
        }
        hearing.tick(at: listeners.present, into: &decisions)
        listeners.watched()
        listeners.tell(hearing)
        if hearing.tally.reports != before { lastReport = listeners.present }
    }

    func document() throws(GatewayError) -> [UInt8] {
        let radio = listeners[0].radio?.status
        if let radio, radio.state.waitsForPeople, hearing.tally.reports == 0 {
            throw GatewayError(
                .failed,
                "\(LoopbackFailure(.nobody, port: configuration.port)), or name a SOURCE that can be heard: "
                    + "\(source.text) cannot. \(radio.message) \(radio.state.remedy)")
        }
        var field = hearing.engine.field(at: listeners.present)
        field.reports = hearing.tally.reports
        field.withoutRSSI = hearing.tally.withoutRSSI
        field.discards = hearing.tally.discards
        if let radio {
            field.radios = [
                FieldState.ReceiverRadio(receiver: field.receiver, sourceText: source.text, status: radio)
            ]
        }
        let answer = RadioDesk.Answer(
            field: field, anchor: listeners.clock.anchor,
            ears: [
                RadioDesk.Ear(
                    receiver: field.receiver, listening: field.listening, lastReport: lastReport, radio: radio)
            ])
        var report = FieldReport(
            field: field, anchor: answer.anchor, gateway: configuration.gateway, source: source.sourceKind,
            sourceText: source.text, version: Version.text, startedAt: startedAt)
        report.trouble += PageAnswer.deafness(in: answer)
        return FieldWriter.json(report)
    }
}
