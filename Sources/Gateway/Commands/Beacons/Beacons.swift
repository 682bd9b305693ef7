// SPDX-License-Identifier: GPL-2.0-or-later

import RadioHCI
import RegionCore
import Time

/// What `regiond beacons` is asked for.
public struct BeaconsOptions: Sendable {
    /// The source; nil: the running gateway, else the configuration's.
    public var source: String?
    /// Files and settings.
    public var files = FileOptions()
    /// Print field documents as JSON lines.
    public var json = false
    /// Go on each second, also where no person looks.
    public var follows = false
    /// Listen so many seconds and write a registry of what was heard.
    public var draft: Int64?
    /// Only this UUID into the draft.
    public var uuid: String?

    /// Nothing asked for yet.
    public init() {}
}

/// What is heard now, as the field page shows it; or a registry made of it.
public enum Beacons {
    /// Longer than a day is no draft any more.
    private static let longestDraft: Int64 = 86_400

    /// Shows, or drafts, until the time, the source or the person ends it.
    public static func run(_ options: BeaconsOptions) throws(GatewayError) {
        let draft = try wantedDraft(options)
        let configuration = try options.files.resolved()
        let named = try options.source.map { text throws(GatewayError) in try SourceText(text) }
        let loop = try EventLoop()
        var origin = try open(named, configuration)
        if let draft {
            try DraftSession(seconds: draft.seconds, uuid: draft.uuid).run(&origin, loop)
        } else if options.json {
            try documents(of: &origin, follows: options.follows || Console.isTerminal(Console.output), loop)
        } else {
            try FieldWatch(isLive: Screen.isThere, follows: options.follows).run(&origin, loop)
        }
    }

    private static func wantedDraft(
        _ options: BeaconsOptions
    ) throws(GatewayError) -> (seconds: Int64, uuid: BeaconUUID?)? {
        guard let seconds = options.draft else {
            guard options.uuid == nil else { throw GatewayError(.usage, "--uuid needs --draft SECONDS beside it") }
            return nil
        }
        guard (1...longestDraft).contains(seconds) else {
            throw GatewayError(.usage, "--draft takes 1…\(longestDraft) seconds, not \(seconds)")
        }
        guard !options.json, !options.follows else {
            throw GatewayError(.usage, "--draft writes a registry: it goes with neither --json nor --follow")
        }
        guard let text = options.uuid else { return (seconds, nil) }
        guard let uuid = BeaconUUID(text) else {
            throw GatewayError(.usage, "--uuid takes 32 hex digits, with dashes or without, not '\(text.shown)'")
        }
        return (seconds, uuid)
    }

    /// A source that is named is listened to here, unless the gateway listens to it already: two listeners on one
    /// radio would disturb each other.
    private static func open(
        _ named: SourceText?, _ configuration: Configuration
    ) throws(GatewayError) -> any FieldOrigin {
        if let named {
            let found = try? RunningGateway.find(port: configuration.port)
            if let found, found.field.isOf(named, among: (try? AdapterList.read()) ?? []) { return found.gateway }
            return try DirectListening(named, configuration: configuration)
        }
        if let found = try RunningGateway.find(port: configuration.port) { return found.gateway }
        return try DirectListening(
            SourceText(configuration.sources.first ?? SourceText.usual), configuration: configuration)
    }

    /// Field documents, one a line.
    private static func documents(
        of origin: inout any FieldOrigin, follows: Bool, _ loop: borrowing EventLoop
    ) throws(GatewayError) {
        var next = BoxClock.now() + origin.warmUp
        var output = OutputBuffer()
        var isSilent = false
        while true {
            let passing = try origin.pass(loop, until: next)
            if passing == .stopped, follows { return }
            do throws(GatewayError) {
                // White space between tokens alone can hold a line's end in JSON.
                output.line(try origin.document().filter { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") })
                output.flush()
                isSilent = false
            } catch {
                guard follows else { throw error }
                if !isSilent { Console.say("regiond beacons: \(error)") }
                isSilent = true
            }
            guard follows, output.isOpen, passing == .due else { return }
            next = max(next + FieldWatch.every, BoxClock.now())
        }
    }
}
