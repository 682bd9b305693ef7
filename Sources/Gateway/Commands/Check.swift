// SPDX-License-Identifier: GPL-2.0-or-later

import JSONText
import RegionCore
import RegistryJSON

/// What `regiond check` is asked for.
public struct CheckOptions: Sendable {
    /// Files and settings.
    public var files = FileOptions()
    /// Print the result as JSON.
    public var json = false
    /// Print a configuration file with every default instead.
    public var printsDefaults = false

    /// Nothing asked for yet.
    public init() {}
}

/// Reads configuration and registry as `run` would, and changes nothing. Where `run` has a store already, its minutes
/// give hints on the settings.
public enum Check {
    /// Says what was found, or throws what is refused.
    public static func run(_ options: CheckOptions) throws(GatewayError) {
        var output = OutputBuffer()
        if options.printsDefaults {
            output.line(Configuration.defaultsText().dropLast().description)
            output.flush()
            return
        }
        let configuration = try options.files.resolved()
        let source: SourceText? = if let text = configuration.sources.first { try SourceText(text) } else { nil }
        guard let path = configuration.registry else {
            throw GatewayError(
                .usage, "check needs a registry: --registry FILE, or the key registry of the configuration")
        }
        var file = RegistryFile(path: path)
        switch file.poll() {
        case .refused(let refusal): try refuse(refusal, path: path, json: options.json)
        case .loaded(let venue, _):
            let registry = Registry(venue: configuration.applied(to: venue), defaults: configuration.defaults)
            let warnings = VenueWarnings.all(of: venue)
            let hints = StoredHints(configuration, source: source, registry: registry)
            output.line(
                options.json
                    ? json(venue, registry, warnings, hints) : text(path, venue, registry, warnings, hints))
        case .unchanged, .sameContent: preconditionFailure("the first look at a registry file tells something")
        }
        output.flush()
    }

    private static func refuse(_ refusal: RegistryRefusal, path: String, json: Bool) throws(GatewayError) {
        if json {
            var writer = JSONWriter()
            writer.beginObject()
            writer.member("ok", false)
            writer.key("faults")
            writer.beginArray()
            for fault in refusal.faults {
                writer.beginObject()
                writer.member("line", fault.position?.line)
                writer.member("column", fault.position?.column)
                writer.member("message", fault.message)
                writer.member("otherLine", fault.other?.line)
                writer.member("otherColumn", fault.other?.column)
                writer.endObject()
            }
            writer.endArray()
            writer.member("more", refusal.more)
            writer.endObject()
            var output = OutputBuffer()
            output.line(writer.bytes)
            output.flush()
        }
        throw GatewayError(.refused, "\(path) is refused:\n\(refusal)")
    }

    private static func text(
        _ path: String, _ venue: Venue, _ registry: Registry, _ warnings: [String], _ hints: StoredHints
    ) -> String {
        var lines = [
            "\(path) is good: venue \(venue.venueId), \(registry.count) identities in \(venue.beacons.count) entries, "
                + "\(registry.regions.count) regions, \(venue.receivers.count) receivers"
        ]
        lines += warnings.map { "warning: \($0)" } + hints.text
        return lines.joined(separator: "\n")
    }

    private static func json(
        _ venue: Venue, _ registry: Registry, _ warnings: [String], _ hints: StoredHints
    ) -> String {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("ok", true)
        writer.member("venueId", venue.venueId)
        writer.member("identities", registry.count)
        writer.member("entries", venue.beacons.count)
        writer.member("regions", registry.regions.count)
        writer.member("receivers", venue.receivers.count)
        for (key, lines) in [("warnings", warnings), ("hints", hints.lines)] {
            writer.key(key)
            writer.beginArray()
            for line in lines { writer.string(line) }
            writer.endArray()
        }
        writer.endObject()
        return writer.text
    }
}

/// What is allowed and yet seldom meant.
enum VenueWarnings {
    /// One sentence each.
    static func all(of venue: Venue) -> [String] {
        var warnings: [String] = []
        let placed = venue.beacons.filter { $0.x != nil && $0.y != nil && $0.kind == .carried }
        if !placed.isEmpty {
            warnings.append(
                "\(placed.count) beacons have x and y and no \"kind\": \"fixed\": they count as visitors")
        }
        if venue.takesNobody { warnings.append("it lists no beacons: nothing will ever be decided") }
        return warnings
    }
}
