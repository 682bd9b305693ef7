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
    var radio: Radio?
    /// What it says is wrong with itself, and what to do, the worst first.
    var trouble: [Trouble] = []

    /// One thing that is wrong.
    struct Trouble: Equatable {
        var message: String
        var remedy: String
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
        radio = root["radio"].flatMap(Radio.init)
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
    }
}
