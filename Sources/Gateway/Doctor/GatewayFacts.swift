// SPDX-License-Identifier: GPL-2.0-or-later

import JSONText
import RegionCore

/// What the running gateway says of itself in `/v1/field`, as far as doctor looks at it.
struct GatewayFacts: Equatable {
    /// How its radio stands.
    struct Radio: Equatable {
        var state: RadioState
        var message: String
        var remedy: String
        var adapter: String?
        /// How often somebody else changed the scan.
        var taken: Int64
        /// Events that were read of it.
        var delivered: Int64
        /// Whose it is.
        var receiver: String
        /// Its source, as the command line named it.
        var sourceText: String

        /// As something that another scan may be in the way of.
        var inUse: RadioInUse { RadioInUse(sourceText: sourceText, adapter: adapter) }
    }

    var gateway: String
    var version: String
    /// What it listens to, as the command line named it.
    var sourceText: String
    /// `radio`, `capture` or `simulated`.
    var source: String
    /// Advertising reports since its start.
    var reports: Int64
    /// Those of them without RSSI.
    var withoutRSSI: Int64
    /// One for each receiver with a radio.
    var radios: [Radio] = []
    /// What it says is wrong with itself, and what to do, the worst first.
    var trouble: [Trouble] = []

    /// One thing that is wrong.
    struct Trouble: Equatable {
        var message: String
        var remedy: String
    }

    /// Which of several radios gave nothing since an earlier look.
    func silentRadios(since first: GatewayFacts) -> [Radio] {
        guard radios.count > 1 else { return [] }
        return radios.filter { radio in
            first.radios.contains { $0.receiver == radio.receiver && $0.delivered == radio.delivered }
        }
    }

    /// Whether it listens to a radio.
    var hasRadio: Bool { source == SourceKind.radio.rawValue }
}

extension GatewayFacts {
    /// Takes them out of the document; nil where it is none.
    init?(field document: [UInt8]) {
        guard let root = try? JSONReader.read(document), let gateway = root["gateway"]?.stringValue,
            let version = root["version"]?.stringValue, let source = root["source"]?.stringValue
        else { return nil }
        self.gateway = gateway
        self.version = version
        self.source = source
        sourceText = root["sourceText"]?.stringValue ?? source
        reports = root["reports"]?.integerValue ?? 0
        withoutRSSI = root["withoutRSSI"]?.integerValue ?? 0
        radios = (root["radios"]?.arrayValue ?? []).compactMap(Radio.init)
        trouble = (root["trouble"]?.arrayValue ?? []).compactMap { node in
            guard let message = node["message"]?.stringValue else { return nil }
            return Trouble(message: message, remedy: node["remedy"]?.stringValue ?? "")
        }
    }
}

extension GatewayFacts.Radio {
    init?(_ node: JSONNode) {
        guard let state = node["state"]?.stringValue.flatMap(RadioState.init) else { return nil }
        self.state = state
        message = node["message"]?.stringValue ?? state.sentence
        remedy = node["remedy"]?.stringValue ?? state.remedy
        adapter = node["adapter"]?.stringValue
        taken = node["taken"]?.integerValue ?? 0
        delivered = node["delivered"]?.integerValue ?? 0
        receiver = node["receiver"]?.stringValue ?? ""
        sourceText = node["sourceText"]?.stringValue ?? ""
    }
}
