// SPDX-License-Identifier: GPL-2.0-or-later

import EventJSON
import FeedHTTP
import Glibc
import RadioCapture
import RadioHCI
import RegionCore
import RegistryJSON
import StoreSQLite
import Time

/// What `regiond run` is asked for.
public struct RunOptions: Sendable {
    /// The sources, each a receiver; empty: the configuration's.
    public var sources: [String] = []
    /// Options that every command with files has.
    public var files = FileOptions()
    /// Print events as JSON lines.
    public var json = false
    /// Write what is heard as btsnoop.
    public var record: String?

    /// Nothing asked for yet.
    public init() {}
}

/// Files and settings, as every command takes them.
public struct FileOptions: Sendable {
    /// `--config`.
    public var configuration: String?
    /// `--registry`.
    public var registry: String?
    /// `--db`.
    public var database: String?
    /// `--set`, in order.
    public var set: [String] = []

    /// Nothing named.
    public init() {}

    /// The configuration with these options on top.
    func resolved() throws(GatewayError) -> Configuration {
        var configuration = try Configuration(file: configuration, set: set)
        configuration.registry = registry ?? configuration.registry
        configuration.database = database ?? configuration.database
        return configuration
    }
}

/// The gateway: starts the lanes in order, waits for the end, stops them in order.
public enum Run {
    /// Runs until a signal or the end of the source.
    public static func run(_ options: RunOptions) throws(GatewayError) {
        let configuration = try options.files.resolved()
        let sources = try SourceList(options.sources.isEmpty ? configuration.sources : options.sources)
        try refuseWhatCannotBe(sources, options)
        let seed = UInt64.random(in: 0 ... .max)
        let loaded = try LoadedRegistry(configuration, source: sources.first, seed: seed)
        if let problem = sources.dutyProblem(with: loaded.registry) { throw GatewayError(.refused, problem) }
        let loop = try EventLoop()  // Before any thread: all inherit its signal mask.
        let store = try openStore(configuration, sources.sourceKind)
        let start = try Start(store: store, sources: sources, configuration: configuration, loaded: loaded, seed: seed)
        try serve(start, options, configuration, sources, loaded, store: store, loop: loop, seed: seed)
    }

    private static func refuseWhatCannotBe(_ sources: SourceList, _ options: RunOptions) throws(GatewayError) {
        if sources.sources.count > 1, options.record != nil {
            throw GatewayError(
                .usage,
                "--record writes what one receiver hears: name one SOURCE beside it, or fetch the last ten "
                    + "minutes of each from /v1/ring?receiver=ID")
        }
        guard sources.sources.count > 1, let adapters = try? AdapterList.read(),
            let problem = sources.sharedAdapter(among: adapters)
        else { return }
        throw GatewayError(.usage, problem)
    }

    private static func openStore(
        _ configuration: Configuration, _ kind: SourceKind
    ) throws(GatewayError) -> EventStore {
        let path: String
        if let named = configuration.database {
            path = named
        } else {
            path = try StorePath.usual(for: kind)
        }
        try StorePath.makeFolder(for: path)
        do throws(StoreError) {
            return try EventStore(
                path: path, gateway: configuration.gateway, source: kind, now: BoxClock.wallNow())
        } catch { throw GatewayError(error) }
    }

    private static func serve(
        _ start: Start, _ options: RunOptions, _ configuration: Configuration, _ sources: SourceList,
        _ loaded: LoadedRegistry, store: EventStore, loop: borrowing EventLoop, seed: UInt64
    ) throws(GatewayError) {
        let between = BetweenLanes(sources: sources, receivers: start.receivers, bell: loop.bell)
        let marks = try MarkBook(beside: options.record)
        let recorder = try BtsnoopWriter.forRecording(options.record)
        let reader = try openReader(store.path, board: between.board)
        let server = try openPage(between, start, configuration, marks, gateway: store.facts.gateway)
        announce(start, sources: sources, path: store.path, port: server.port)

        let unstored = Monitor(0)
        let storeLane = startStoreLane(store, between, configuration, anchor: start.clock.anchor, unstored: unstored)
        let watch = loaded.file.map { file in
            RegistryWatch(
                file: file, configuration: configuration, seed: seed, mailbox: between.mailbox, board: between.board,
                problem: { sources.dutyProblem(with: $0) })
        }
        let service = LaneBox(
            ServiceLane(
                events: reader, after: start.newestSeqBefore, news: between.news,
                form: options.json ? .json : .text, watch: watch, faults: FaultRecordings(beside: store.path)))
        let serviceLane = Lane("service") { service.value.run() }

        var radio = RadioLane(start, mailbox: between.mailbox, desk: between.desk, recorder: recorder, marks: marks) {
            fault in
            between.news.change { $0.put(fault) }
        }
        let trouble = radio.run(loop) { between.news.change { $0.wantsLook = true } }

        storeLane.join()
        let lost = unstored.with { $0 }
        end(store, lost: lost, at: start.clock)
        between.news.change { $0.isClosed = true }
        serviceLane.join()
        _ = consume server  // The page answers until here.
        if let trouble { throw GatewayError(trouble) }
        guard lost == 0 else {
            throw GatewayError(.failed, "\(lost) events could not be stored and are lost; see the messages above")
        }
    }

    private static func openReader(_ path: String, board: StatusBoard) throws(GatewayError) -> EventReader {
        do throws(StoreError) {
            let reader = try EventReader(path: path)
            board.add(try reader.lastWakes().reversed())  // Oldest first, as they came.
            return reader
        } catch { throw GatewayError(error) }
    }

    private static func openPage(
        _ between: BetweenLanes, _ start: Start, _ configuration: Configuration,
        _ marks: MarkBook, gateway: String
    ) throws(GatewayError) -> FeedServer {
        let page = PageAnswer(
            desk: between.desk, board: between.board, mailbox: between.mailbox, marks: marks, gateway: gateway,
            startedAt: start.clock.anchor.instant)
        let markDesk = MarkDesk(desk: between.desk, book: marks, clock: start.clock)
        let desk = between.desk
        do throws(FeedError) {
            return try FeedServer(
                port: configuration.port, fieldJSON: { page.json() },
                ring: { desk.ringAnswer(of: $0) },
                mark: { markDesk.take($0) })
        } catch { throw GatewayError(.failed, error.description) }
    }

    private static func startStoreLane(
        _ store: EventStore, _ between: BetweenLanes, _ configuration: Configuration, anchor: ClockAnchor,
        unstored: Monitor<Int>
    ) -> Lane {
        let (news, desk) = (between.news, between.desk)
        let lane = LaneBox(
            StoreLane(
                store: store, mailbox: between.mailbox, board: between.board, configuration: configuration.text,
                anchor: anchor, committed: { seq in news.change { $0.newestSeq = seq } },
                registryStored: { desk.put($0, version: $1) }))
        return Lane("store") {
            let left = lane.value.run()
            unstored.change { $0 = left }
        }
    }

    private static func end(_ store: EventStore, lost: Int, at clock: SourceClock) {
        let how = lost == 0 ? EventStore.cleanEnd : "\(lost) events could not be stored"
        var anchor = clock.anchor
        anchor.wallTime = anchor.wallTime(at: clock.now(boot: BoxClock.now()))
        anchor.instant = clock.now(boot: BoxClock.now())
        do throws(StoreError) {
            try store.endRun(how: how, at: anchor)
        } catch { Console.say("The end of the run could not be stored: \(error)") }
    }

    private static func announce(_ start: Start, sources: SourceList, path: String, port: UInt16) {
        if sources.sourceKind != .radio { Console.say("\(sources.sourceKind.rawValue.uppercased()): \(sources.text)") }
        Console.say("Store: \(path)   Page: http://127.0.0.1:\(port)/field   Stop: Ctrl-C")
        for line in start.story { Console.say(line) }
    }
}

/// What lies between the lanes; each part is made for two of them.
private struct BetweenLanes {
    /// Radio to store: what was decided.
    let mailbox = Mailbox()
    /// Store to page: last wakes, and what is wrong.
    let board = StatusBoard()
    /// Page to radio and back: the field; store to radio: a new registry.
    let desk: RadioDesk
    /// Store and radio to service: what is on disk, and who wants the registry looked at.
    let news = Monitor(ServiceLane.News())

    init(sources: SourceList, receivers: [ReceiverEntry], bell: EventLoop.Bell) {
        desk = RadioDesk(sources: sources, receivers: receivers.map(\.id), bell: bell)
    }
}

/// Carries a value that only one thread will touch into that thread.
private final class LaneBox<Value: ~Copyable>: @unchecked Sendable {
    // Sound although unchecked: made on one thread, handed to one lane, and touched by that lane alone.
    var value: Value

    init(_ value: consuming Value) { self.value = value }
}
