// SPDX-License-Identifier: GPL-2.0-or-later

import HallSimulator
import RegionCore
import RegistryJSON

/// The registry a command works with, and where it came from.
struct LoadedRegistry {
    /// As the engine takes it.
    let registry: Registry
    /// Its text, as the store keeps it; empty where every identity heard is taken.
    let text: String
    /// The file to watch; nil where there is none.
    let file: RegistryFile?

    /// From the registry file; without one that of the simulated hall, or, for a capture, one that takes everybody.
    init(_ configuration: Configuration, source: SourceText, seed: UInt64) throws(GatewayError) {
        let venue: Venue
        if let path = configuration.registry {
            var file = RegistryFile(path: path)
            switch file.poll() {
            case .loaded(let read, let bytes):
                venue = read
                text = String(decoding: bytes, as: UTF8.self)
            case .refused(let refusal):
                throw GatewayError(.refused, "\(path) is refused:\n\(refusal)")
            case .unchanged, .sameContent: preconditionFailure("the first look at a registry file tells something")
            }
            self.file = file
        } else if case .hall(let plan, let hallSeed) = source.kind {
            venue = SourceText.hall(plan, seed: hallSeed).venue
            text = RegistryWriter.text(of: venue)
            file = nil
        } else {
            let settings = configuration.defaults.overridden(by: configuration.overrides)
            registry = Registry(openTo: "heard", seed: seed, settings: settings)
            text = ""
            file = nil
            return
        }
        registry = Registry(venue: configuration.applied(to: venue), seed: seed, defaults: configuration.defaults)
    }

    /// The receiver that a source is: the one it names, else the registry's only one, else one named after the box.
    func receiver(of source: SourceText, gateway: String) throws(GatewayError) -> ReceiverEntry {
        let listed = registry.venue.receivers
        if let wanted = source.receiver {
            if let receiver = listed.first(where: { $0.id == wanted }) { return receiver }
            guard listed.isEmpty else {
                throw GatewayError(
                    .usage,
                    "\(source.text): the registry has no receiver '\(wanted)'; it lists "
                        + listed.map(\.id).joined(separator: ", "))
            }
            return ReceiverEntry(id: wanted)
        }
        return listed.count == 1 ? listed[0] : ReceiverEntry(id: gateway)
    }
}
