// SPDX-License-Identifier: GPL-2.0-or-later

import RadioHCI
import RegionCore
import Time

/// What `regiond doctor --radio` is asked for.
public struct MeasureRadioOptions: Sendable {
    /// Files and settings.
    public var files = FileOptions()
    /// Print the result as JSON.
    public var json = false
    /// What to listen to; nil: the configuration's source, else the first adapter.
    public var source: String?
    /// For how long.
    public var seconds: Int64 = 60

    /// Nothing asked for yet.
    public init() {}
}

/// Measures an adapter for acceptance: listens to it alone, through the same path as the gateway.
public enum MeasureRadio {
    /// Prints what was measured; throws when the adapter will not do.
    public static func run(_ options: MeasureRadioOptions) throws(GatewayError) {
        let configuration = try options.files.resolved()
        let source = try SourceText(options.source ?? configuration.sources.first ?? SourceText.usual)
        guard (1...86_400).contains(options.seconds) else {
            throw GatewayError(.usage, "--radio takes 1 to 86400 seconds, not \(options.seconds)")
        }
        if source.sourceKind == .radio, let gateway = PortLook.ask(port: configuration.port).gateway,
            let conflict = conflict(of: source, with: gateway, among: (try? AdapterList.read()) ?? [])
        {
            throw GatewayError(.failed, conflict)
        }
        let acceptance = try listen(to: source, for: .seconds(options.seconds))
        var output = OutputBuffer()
        if options.json {
            output.line(acceptance.json)
        } else {
            for line in acceptance.lines { output.line(line) }
        }
        output.flush()
        if acceptance.verdict == .wrong { throw GatewayError(.failed, "this adapter will not do as it is") }
    }

    /// Why a running gateway's radio cannot be measured beside it: two scans on one adapter end each other.
    static func conflict(of source: SourceText, with gateway: GatewayFacts, among adapters: [Adapter]) -> String? {
        guard gateway.radios.contains(where: { $0.inUse.isMeant(by: source, among: adapters) }) else { return nil }
        return "the gateway \(gateway.gateway) listens to that radio: stop it first (systemctl stop regiond), or name "
            + "another adapter"
    }

    private static func listen(to source: SourceText, for span: Duration) throws(GatewayError) -> RadioAcceptance {
        let loop = try EventLoop()
        var listeners = try Listeners(directly: source)
        let start = listeners.present
        let end = start + span
        var measured = RadioMeasurement(from: start)
        var progress = ProgressLine()
        var isStopping = false
        do throws(SourceError) {
            while !listeners.haveEnded, !isStopping, listeners.present < end {
                listeners.catchUp()
                while let (place, input, instant) = try listeners.next(), instant < end {
                    switch input {
                    case .frame: measured.take(listeners[place].frame, at: instant)
                    case .sighting(let sighting): measured.take(sighting, at: instant)
                    case .listening, .window, .tick: break
                    }
                }
                listeners.watched()
                progress.show("\(measured.reports) reports of \(measured.advertisers) advertisers")
                if listeners.present < end { isStopping = listeners.wait(loop, until: end).contains(.stop) }
            }
        } catch { throw GatewayError(error) }
        let reached = min(end, listeners.present)
        measured.end(at: reached)
        listeners.leave()
        let status = listeners[0].radio?.status
        if let status, !status.state.isListening, measured.reports == 0 {
            throw GatewayError(.failed, "\(source.text): \(status.message) \(status.state.remedy)")
        }
        return RadioAcceptance(
            measured: measured, span: reached - start, lost: status?.lost, source: source.text)
    }
}
