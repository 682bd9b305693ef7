// SPDX-License-Identifier: GPL-2.0-or-later

import RegionCore
import StoreSQLite
import Time

/// What `regiond events` is asked for.
public struct EventsOptions: Sendable {
    /// Files and settings.
    public var files = FileOptions()
    /// Print JSON lines.
    public var json = false
    /// Go on with what is stored from now on.
    public var follows = false
    /// Only events after this seq.
    public var after: Int64?
    /// Only the newest so many.
    public var last: Int64?

    /// Nothing asked for yet.
    public init() {}
}

/// Lists what a store holds, also while a gateway writes to it.
public enum Events {
    /// Events read at once.
    private static let page = 500
    /// How often a store that is followed is looked at.
    private static let lookEvery = Duration.milliseconds(250)

    /// Prints events in ledger order; returns when there are no more, or never when it follows.
    public static func run(_ options: EventsOptions) throws(GatewayError) {
        let configuration = try options.files.resolved()
        let path: String
        if let named = configuration.database {
            path = named
        } else {
            path = try StorePath.newest()
            Console.say("Store: \(path)")
        }
        do throws(StoreError) { try list(path, options) } catch { throw GatewayError(error) }
    }

    private static func list(_ path: String, _ options: EventsOptions) throws(StoreError) {
        let reader = try EventReader(path: path)
        if reader.facts.source != .radio { Console.say(reader.facts.source.rawValue.uppercased()) }
        var position = options.after ?? 0
        if let last = options.last { position = max(position, try reader.newestSeq() - last) }
        let form: EventForm = options.json ? .json : .text
        var output = OutputBuffer()
        while output.isOpen {
            let events = try reader.events(after: position, limit: page)
            for event in events { output.line(form.line(event)) }
            output.flush()
            if let newest = events.last {
                position = newest.seq
            } else if options.follows {
                BoxClock.pause(lookEvery)
            } else {
                return
            }
        }
    }
}
