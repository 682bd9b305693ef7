// SPDX-License-Identifier: GPL-2.0-or-later

import RegionCore
import Time

/// What `regiond replay` is asked for.
public struct ReplayOptions: Sendable {
    /// The source.
    public var source = ""
    /// Files and settings.
    public var files = FileOptions()
    /// Print events and summary as JSON lines.
    public var json = false
    /// Write what is heard as btsnoop.
    public var record: String?
    /// Let every deadline run out after the input's end.
    public var drain = false
    /// Count bad lines instead of stopping at the first.
    public var skipsBadLines = false
    /// What `t` 0 is called, as RFC 3339.
    public var epoch: String?

    /// Nothing asked for yet.
    public init() {}
}

/// A capture or a hall in virtual time, as fast as the machine allows: the same events each time.
public enum Replay {
    /// How much of an endless hall is taken when nobody says, and printed in the summary.
    static let usualSpan = Duration.seconds(3_600)

    /// Replays a source and prints its events, then a summary.
    public static func run(_ options: ReplayOptions) throws(GatewayError) {
        let configuration = try options.files.resolved()
        let source = try SourceText(options.source)
        guard source.sourceKind != .radio else {
            throw GatewayError(.usage, "\(source.text) has no end: replay takes a capture or a simulated hall")
        }
        let loaded = try LoadedRegistry(configuration, source: source, seed: 0)
        if let problem = source.dutyProblem(with: loaded.registry) { throw GatewayError(.refused, problem) }
        let epoch = try options.epoch.map { text throws(GatewayError) in
            guard let time = WallTime(rfc3339: text) else {
                throw GatewayError(.usage, "--epoch takes an RFC 3339 time as 2026-11-30T09:00:00Z, not '\(text)'")
            }
            return time
        }
        var session = try ReplaySession.open(
            source: source, loaded: loaded, configuration: configuration, options: options,
            beginning: .boot + (source.from ?? .zero), span: source.span ?? usualSpan, epoch: epoch)
        let trouble = try session.play()
        if options.drain { try session.drain() }
        try session.finish()
        if let trouble { throw GatewayError(trouble) }
    }
}
