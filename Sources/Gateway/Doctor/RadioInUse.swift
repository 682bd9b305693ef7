// SPDX-License-Identifier: GPL-2.0-or-later

import RegionCore

/// The radio that a running gateway listens to. Two scans on one adapter end each other, under whatever name.
struct RadioInUse {
    /// The gateway's source, as it was named.
    var sourceText: String
    /// The adapter in use, as `hci0 00:1A:7D:DA:71:13`; nil: none yet, so that it may be any.
    var adapter: String?

    /// Whether a source means it, too, where these adapters are there.
    func isMeant(by source: SourceText, among adapters: [Adapter]) -> Bool {
        guard case .radio(let choice) = source.kind else { return false }
        func plain(_ text: String) -> Substring { text.prefix { $0 != "?" } }
        guard plain(source.text) != plain(sourceText), let adapter else { return true }
        let names = adapter.split(separator: " ").map(String.init)
        let picked = choice.pick(from: adapters, known: nil, avoided: nil)?.address
        if let picked { return names.contains("\(picked)") }
        return switch choice {
        case .socket(let path): adapter == path
        case .address(let address): names.contains("\(address)")
        case .index(let index): names.contains("hci\(index)")
        case .any: true  // No list of adapters is to be had.
        }
    }
}
