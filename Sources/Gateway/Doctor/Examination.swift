// SPDX-License-Identifier: GPL-2.0-or-later

import Glibc
import RegionCore
import RegistryJSON
import StoreSQLite
import Time

/// One look at every layer, from the kernel up.
struct Examination {
    let configuration: Configuration
    /// Why the configuration is not what was asked for.
    var refusal: String?
    var system = SystemLook()
    var radio = RadioLook()
    /// How long reports are counted.
    var listening = Duration.seconds(10)

    /// The store that is looked at; nil where none is named and none is at a usual place.
    var storePath: String? { configuration.database ?? (try? StorePath.newest()) }

    /// Looks at each layer and gives each finding as soon as there is one.
    func findings(_ found: (Finding) -> Void) {
        let port = PortLook.ask(port: configuration.port)
        let gateway = port.gateway
        let adapters = radio.adapters() ?? system.adapters()
        found(KernelLook.ask().finding)
        found(adapters.adapterFinding)
        for source in radioSources { adapters.absence(of: source).map(found) }
        found(system.rfkill().finding)
        for finding in adapters.powerFindings(gateway?.radios ?? []) { found(finding) }
        found(system.rights(own: Int(getpid()), wantsRadio: gateway?.hasRadio).finding)
        let reports = countReports(since: gateway)
        found(
            system.scanners(
                own: Int(getpid()), isAnswered: gateway != nil, taken: newestTaken(gateway),
                hearsScan: reports.lazy.compactMap(\.look.hearsScan).max { !$0 && $1 }
            ).finding)
        for reports in reports { found(reports.finding) }
        found(ClockFacts.read().finding)
        found(diskFinding)
        found(storeLook.finding)
        found(registryLook.finding)
        found(port.finding(port: configuration.port))
    }

    // MARK: Reports

    /// What was counted of a source.
    private struct Reports {
        var look: ReportsLook
        /// Which source, where there are several.
        var source: String?

        var finding: Finding {
            let finding = look.finding
            guard let source else { return finding }
            return Finding(
                layer: finding.layer, verdict: finding.verdict, message: "\(source): \(finding.message)",
                remedy: finding.remedy)
        }
    }

    private func countReports(since first: GatewayFacts?) -> [Reports] {
        let seconds = Int(listening.inSeconds)
        if let first {
            BoxClock.pause(listening)
            guard let second = PortLook.ask(port: configuration.port).gateway else {
                return [Reports(look: .nobody(why: "The gateway ceased to answer while its reports were counted."))]
            }
            let heard = HeardReports(
                reports: second.reports - first.reports, withoutRSSI: second.withoutRSSI - first.withoutRSSI)
            let all = Reports(look: .gateway(heard, seconds: seconds, sourceText: second.sourceText))
            return [all]
                + second.silentRadios(since: first).map {
                    Reports(look: .silent($0.sourceText, seconds: seconds), source: $0.receiver)
                }
        }
        let sources = radioSources
        guard sources.count > 1 else { return [Reports(look: overhear(wanted(sources.first), seconds))] }
        return sources.map { Reports(look: overhear(wanted($0), seconds), source: $0.text) }
    }

    private func overhear(_ choice: AdapterChoice, _ seconds: Int) -> ReportsLook {
        if let heard = radio.overhear(choice, listening) { return .overheard(heard, seconds: seconds) }
        return .nobody(why: "No gateway answers, and this process cannot listen beside others.")
    }

    /// The radios that are configured; each is looked at.
    private var radioSources: [SourceText] {
        configuration.sources.compactMap { try? SourceText($0) }.filter { $0.sourceKind == .radio }
    }

    /// How long counting takes at most: nobody listens to two adapters at once here.
    var longest: Duration { listening * max(1, radioSources.count) }

    /// Which adapter is meant; any where the source is none.
    private func wanted(_ source: SourceText?) -> AdapterChoice {
        if case .radio(let choice)? = source?.kind { choice } else { .any }
    }

    /// How often somebody changed a scan of the gateway's.
    private func newestTaken(_ gateway: GatewayFacts?) -> Int64? {
        guard let gateway else { return nil }
        let radios = PortLook.ask(port: configuration.port).gateway?.radios ?? gateway.radios
        return radios.isEmpty ? nil : radios.reduce(0) { $0 + $1.taken }
    }

    // MARK: Files

    private var diskFinding: Finding {
        if let storePath { return DiskFacts(store: storePath).finding }
        do throws(GatewayError) {
            return DiskFacts(store: try StorePath.usual(for: .radio)).finding
        } catch {
            return .couldNotLook(.disk, "No store is named: \(error).", remedy: "Name one with --db.")
        }
    }

    private var storeLook: StoreLook {
        guard let path = storePath else { return .unnamed("there is none at the usual places") }
        guard unsafe access(path, F_OK) == 0 || errno != ENOENT else { return .missing(path) }
        do throws(StoreError) {
            return .read(path: path, try StoreInspection(path: path).summary())
        } catch { return .failed(error) }
    }

    private var registryLook: RegistryLook {
        if let refusal { return .refused(refusal) }
        guard let path = configuration.registry else { return .unnamed }
        var file = RegistryFile(path: path)
        switch file.poll() {
        case .refused(let refusal): return .refused("\(path) is refused: \(refusal.summary)")
        case .loaded(let venue, _):
            let registry = Registry(venue: configuration.applied(to: venue), defaults: configuration.defaults)
            if venue.takesNobody { return .empty(path: path) }
            return .loaded(path: path, identities: registry.count, warnings: VenueWarnings.all(of: venue))
        case .unchanged, .sameContent: preconditionFailure("the first look at a registry file tells something")
        }
    }
}
