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
        let source = try SourceText(options.source ?? configuration.source ?? SourceText.usual)
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
        let inUse = RadioInUse(sourceText: gateway.sourceText, adapter: gateway.radio?.adapter)
        guard gateway.hasRadio, inUse.isMeant(by: source, among: adapters) else { return nil }
        return "the gateway \(gateway.gateway) listens to that radio: stop it first (systemctl stop regiond), or name "
            + "another adapter"
    }

    private static func listen(to source: SourceText, for span: Duration) throws(GatewayError) -> RadioAcceptance {
        let loop = try EventLoop()
        var listener = try Listener(directly: source)
        let start = listener.present
        let end = start + span
        var measured = RadioMeasurement(from: start)
        var progress = ProgressLine()
        var isStopping = false
        do throws(SourceError) {
            while !listener.hasEnded, !isStopping, listener.present < end {
                listener.catchUp()
                while let (input, instant) = try listener.next(), instant < end {
                    switch input {
                    case .frame: measured.take(listener.frame, at: instant)
                    case .sighting(let sighting): measured.take(sighting, at: instant)
                    case .listening, .window, .tick: break
                    }
                }
                listener.radio?.watched(at: listener.present)
                progress.show("\(measured.reports) reports of \(measured.advertisers) advertisers")
                if listener.present < end { isStopping = listener.wait(loop, until: end).contains(.stop) }
            }
        } catch { throw GatewayError(error) }
        let reached = min(end, listener.present)
        measured.end(at: reached)
        listener.radio?.leave()
        if let status = listener.radio?.status, !status.state.isListening, measured.reports == 0 {
            throw GatewayError(.failed, "\(source.text): \(status.message) \(status.state.remedy)")
        }
        return RadioAcceptance(
            measured: measured, span: reached - start, lost: listener.radio?.status.lost, source: source.text)
    }
}
