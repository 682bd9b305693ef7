// SPDX-License-Identifier: GPL-2.0-or-later

import RegionCore

/// The Bluetooth adapters of the box, as far as they can be seen without a right and without touching them.
struct AdapterFacts: Equatable {
    /// One of them.
    struct Adapter: Equatable {
        /// As `hci0`.
        var name: String
        /// As `00:1A:7D:DA:71:13`; nil: not known from here.
        var address: String?
        /// Whether it is powered; nil: not known from here.
        var isUp: Bool?
        /// Whether it can do LE; nil: not known from here.
        var hasLE: Bool?
    }

    /// Those that are there; nil: the kernel lists none because it has no Bluetooth.
    var adapters: [Adapter]?

    /// Whether there is one, and one with LE.
    var adapterFinding: Finding {
        guard let adapters else {
            return .couldNotLook(
                .adapter, "Adapters cannot be listed: this kernel shows no Bluetooth.",
                remedy: "Put the kernel right first, then ask again.")
        }
        guard !adapters.isEmpty else {
            return .wrong(.adapter, RadioState.noAdapter.sentence, remedy: RadioState.noAdapter.remedy)
        }
        guard adapters.contains(where: { $0.hasLE != false }) else {
            return .wrong(
                .adapter, "No adapter has Bluetooth LE: \(Self.list(adapters)).",
                remedy: "Use an adapter of Bluetooth 4.0 or newer.")
        }
        return .fine(.adapter, "\(adapters.count == 1 ? "There is" : "There are") \(Self.list(adapters)).")
    }

    /// That a source's adapter is not among them; nil: it is, or nobody can tell.
    func absence(of source: SourceText) -> Finding? {
        guard let adapters, !adapters.isEmpty else { return nil }
        let isThere: Bool
        switch source.kind {
        case .radio(.index(let index)): isThere = adapters.contains { $0.name == "hci\(index)" }
        case .radio(.address(let address)):
            isThere = adapters.contains { $0.address.map { $0 == "\(address)" } ?? true }
        case .radio(.any), .radio(.socket), .capture, .hall: return nil
        }
        guard !isThere else { return nil }
        return .wrong(
            .adapter, "\(source.text) is not there; there is \(Self.list(adapters)).",
            remedy: "Plug it in, or name another one as source.")
    }

    /// Whether adapters are powered: each radio's of a running gateway, else one at all.
    func powerFindings(_ radios: [GatewayFacts.Radio]) -> [Finding] {
        guard !radios.isEmpty else { return [powerFinding(nil)] }
        var findings: [Finding] = []
        for finding in radios.map(powerFinding) where !findings.contains(finding) { findings.append(finding) }
        return findings
    }

    /// Whether one is powered. A running gateway knows of its own.
    func powerFinding(_ radio: GatewayFacts.Radio?) -> Finding {
        switch radio?.state {
        case .poweredOff:
            return .wrong(
                .power, Self.gatewaysAdapter(radio, "is powered off."), remedy: RadioState.poweredOff.remedy)
        case .poweredOn, .scanning, .paused, .silent:
            return .fine(.power, Self.gatewaysAdapter(radio, "is powered."))
        case .noAdapter, .unsupported, .unauthorised, .blocked, .resetting, .lost, nil: break
        }
        guard let adapters, !adapters.isEmpty else {
            return .couldNotLook(
                .power, "There is no adapter whose power could be looked at.",
                remedy: "Put kernel and adapter right first, then ask again.")
        }
        if let up = adapters.first(where: { $0.isUp == true }) { return .fine(.power, "\(up.name) is powered.") }
        guard adapters.contains(where: { $0.isUp == nil }) else {
            return .wrong(
                .power, "No adapter is powered: \(Self.list(adapters)).", remedy: RadioState.poweredOff.remedy)
        }
        return .couldNotLook(
            .power, "Whether \(Self.list(adapters)) is powered cannot be told from here.",
            remedy: "Look with hciconfig, or start the gateway and ask again.")
    }

    private static func gatewaysAdapter(_ radio: GatewayFacts.Radio?, _ how: String) -> String {
        ["The gateway's adapter", radio?.adapter, how].compactMap(\.self).joined(separator: " ")
    }

    private static func list(_ adapters: [Adapter]) -> String {
        adapters.map { adapter in
            let power = adapter.isUp.map { $0 ? "up" : "down" }
            let le = adapter.hasLE.map { $0 ? "LE" : "no LE" }
            let facts = [power, le].compactMap(\.self).joined(separator: ", ")
            return [adapter.name, adapter.address, facts.isEmpty ? nil : "(\(facts))"].compactMap(\.self)
                .joined(separator: " ")
        }.joined(separator: ", ")
    }
}
