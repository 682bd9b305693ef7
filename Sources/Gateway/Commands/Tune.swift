// SPDX-License-Identifier: GPL-2.0-or-later

import RegionCore
import Time

/// What `regiond tune` is asked for.
public struct TuneOptions: Sendable {
    /// The recording.
    public var source = ""
    /// Files and settings.
    public var files = FileOptions()
    /// The truth file.
    public var truth: String?
    /// `--sweep`, in order.
    public var sweep: [String] = []
    /// Replays at a time; nil: one for each core.
    public var jobs: Int64?
    /// Print the result as JSON lines.
    public var json = false
    /// Count bad lines of the recording instead of stopping at the first.
    public var skipsBadLines = false

    /// Nothing asked for yet.
    public init() {}
}

/// Replays a recorded walk under every combination of settings, and says what each would have got right and wrong.
public enum Tune {
    /// More at a time would wait for each other.
    private static let mostJobs: Int64 = 256

    /// Tries every combination and prints what came of it, the best first.
    public static func run(_ options: TuneOptions) throws(GatewayError) {
        let configuration = try options.files.resolved()
        let source = try SourceText(options.source)
        guard source.sourceKind != .radio else {
            throw GatewayError(.usage, "\(source.text) has no end: tune takes a recording")
        }
        guard configuration.registry != nil else {
            throw GatewayError(.usage, "tune needs a registry: --registry FILE; its regions are what truth speaks of")
        }
        guard let truthPath = options.truth else {
            throw GatewayError(.usage, "tune needs to know what was true: --truth FILE; see regiond help tune")
        }
        guard options.jobs.map({ (1...mostJobs).contains($0) }) ?? true else {
            throw GatewayError(.usage, "--jobs takes a number in 1…\(mostJobs)")
        }
        let sweep = try Sweep(options.sweep)
        let loaded = try LoadedRegistry(configuration, source: source, seed: 0)
        let names = TruthNames(loaded.registry)
        let lines = try TruthFile.read(truthPath, names: names)

        let (recording, beginning) = try record(source, options)
        let truth = try Truth(
            lines, path: truthPath, names: names, from: beginning, to: recording.end, start: recording.start)
        let bench = TuneBench(
            venue: loaded.registry.venue, defaults: configuration.defaults,
            receiver: try loaded.receiver(of: source, gateway: configuration.gateway), recording: recording,
            beginning: beginning, truth: truth)
        remark(on: loaded.registry, sweep, truth)
        let results = tryAll(bench, sweep, jobs: options.jobs.map(Int.init) ?? TuneSession.usualJobs())
        show(TuneTable(results: results, sweep: sweep, base: configuration.overrides), json: options.json)
        if let trouble = recording.trouble { throw GatewayError(trouble) }
    }

    private static func record(
        _ source: SourceText, _ options: TuneOptions
    ) throws(GatewayError) -> (Recording, beginning: Instant) {
        let beginning = Instant.boot + (source.from ?? .zero)
        let opened = try source.open(
            at: beginning, until: beginning + (source.span ?? Replay.usualSpan), skipsBadLines: options.skipsBadLines)
        var progress = ProgressLine()
        let recording = try Recording(opened) { inputs, share in
            progress.show("tune: reading,\(share.map { " \(Int($0 * 100)) %," } ?? "") \(inputs) inputs")
        }
        return (recording, beginning)
    }

    private static func tryAll(_ bench: TuneBench, _ sweep: Sweep, jobs: Int) -> [TuneResult] {
        let started = BoxClock.now()
        var progress = ProgressLine()
        let results = TuneSession.run(bench, sweep, jobs: jobs) { done in
            progress.show("tune: \(done) of \(sweep.count) combinations")
        }
        let seconds = Double(Int((BoxClock.now() - started).inSeconds * 10)) / 10
        Console.say("\(bench.recording.count) inputs, \(sweep.count) combinations, \(seconds) s")
        return results
    }

    /// What the sweep cannot reach, and what truth says in vain.
    private static func remark(on registry: Registry, _ sweep: Sweep, _ truth: Truth) {
        for axis in sweep.axes {
            let own = registry.regions.filter { $0.settings[axis.setting] != nil }.map(\.identifier)
            guard let first = own.first else { continue }
            let others = own.count > 1 ? " and \(own.count - 1) more" : ""
            Console.say(
                "\(first.shown)\(others): has its own \(axis.setting.rawValue), which the sweep does not change")
        }
        if truth.outside > 0 { Console.say("\(truth.outside) lines of the truth lie outside the recording") }
    }

    private static func show(_ table: TuneTable, json: Bool) {
        var output = OutputBuffer()
        if json {
            for line in table.json { output.line(line) }
        } else {
            for line in table.text { output.line(line) }
        }
        output.flush()
    }
}
