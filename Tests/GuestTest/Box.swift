// SPDX-License-Identifier: GPL-2.0-or-later

import Foundation
import Glibc
import TestKit

/// A gateway as it is shipped, as an ordinary user who may do one thing more, or not even that.
final class Box {
    /// What it used since it started.
    struct Usage {
        /// Seconds of processor time.
        var processor: Double
        /// How often its threads slept of their own accord.
        var sleeps: Int
    }

    let sources: [String]
    let store: String
    let registry: String
    private let program: String
    private let asUser: [String]
    private let eventFile: String
    private let hasOwnNetwork: Bool
    private(set) var process: ChildProcess?
    private(set) var port: UInt16 = 0

    /// A user that owns nothing else (Debian's `nobody`).
    static let user: UInt32 = 65_534

    /// - Parameters:
    ///   - capabilities: As `setpriv` writes them.
    ///   - withoutBluetooth: In a network namespace of its own, where the kernel offers no Bluetooth.
    init(
        program: String, sources: [String], folder: Folder, registry text: String, capabilities: String = "+net_raw",
        withoutBluetooth: Bool = false
    ) throws {
        self.sources = sources
        self.program = program
        hasOwnNetwork = withoutBluetooth
        asUser = [
            "/usr/bin/setpriv", "--reuid", "\(Self.user)", "--regid", "\(Self.user)", "--clear-groups",
            "--inh-caps", capabilities, "--ambient-caps", capabilities,
        ]
        guard unsafe chown(folder.path, Self.user, Self.user) == 0 else { throw Obstacle("cannot give a folder away") }
        store = folder.file("store.db")
        eventFile = folder.file("events")
        registry = try folder.write("registry.json", text)
    }

    /// Starts it and waits until it says where its page is.
    func start() throws {
        let unshare = [
            "/usr/bin/unshare", "--net", "/bin/sh", "-c", #"/bin/busybox ip link set lo up; exec "$@""#, "sh",
        ]
        let words =
            (hasOwnNetwork ? unshare : []) + asUser + [program]
            + Contract.run(sources, store: store, registry: registry)
        let process = try ChildProcess(words[0], Array(words.dropFirst()), outputFile: eventFile)
        self.process = process
        let line = process.line(of: .errors) { Contract.port(in: $0) != nil }
        guard let port = line.flatMap(Contract.port) else {
            throw Obstacle("the gateway does not start: \(process.text(.errors).suffix(400))")
        }
        self.port = port
    }

    /// Starts it and waits until the radio scans.
    func startScanning(_ controller: Controller) throws {
        try start()
        guard eventually(within: 15, every: 0.1, { controller.scanBegan != nil }) else {
            throw Obstacle(
                "no scan: \(status().map { "\($0.stateText), \($0.message)" } ?? errors.suffix(400).description)")
        }
    }

    /// Ends it as a power cut would.
    func crash() { process?.crash() }

    /// Ends it in order.
    func stop() throws {
        process?.signal(SIGTERM)
        guard process?.wait() == .exited(0) else { throw Obstacle("it does not stop: \(errors.suffix(400))") }
    }

    /// Runs another of its commands as the same user, beside it.
    func command(_ arguments: [String]) throws -> Tool.Outcome {
        try Tool.run(entry + asUser + [program] + arguments, within: .seconds(40))
    }

    /// Starts another of its commands as the same user, to go on beside it.
    func beside(_ arguments: [String]) throws -> ChildProcess {
        let words = entry + asUser + [program] + arguments
        return try ChildProcess(words[0], Array(words.dropFirst()))
    }

    /// The process's number.
    var pid: Int32 { process?.pid ?? -1 }

    /// What it wrote for people.
    var errors: String {
        _ = process?.line(of: .errors, within: .milliseconds(3))
        return process?.text(.errors) ?? ""
    }

    /// All events told so far, over restarts.
    var events: [Event] {
        let text = (try? String(contentsOfFile: eventFile, encoding: .utf8)) ?? ""
        return text.split(separator: "\n").compactMap { Event($0) }
    }

    /// How many of a kind.
    func count(_ type: String) -> Int { events.count { $0.type == type } }

    /// The first of its sources.
    var source: String { sources[0] }

    /// How the radio of each receiver stands, in the page's words.
    var radioStates: [String: String] {
        (try? HTTPReply.to(Contract.field, port: port)).map { RadioStatus.states(in: $0.body) } ?? [:]
    }

    /// The radio as the page shows it; nil: no answer, or none about a radio.
    func status() -> RadioStatus? {
        if !entry.isEmpty {
            return (try? Tool.run(entry + fetch(Contract.field, into: "-"))).flatMap { RadioStatus($0.output) }
        }
        return (try? HTTPReply.to(Contract.field, port: port)).flatMap { RadioStatus($0.body) }
    }

    /// Waits for a state on the page.
    func awaitState(_ states: RadioState..., within seconds: Double) -> Bool {
        eventually(within: seconds, every: 0.25) { status()?.state.map(states.contains) ?? false }
    }

    /// Saves what it remembers having heard.
    func saveRing(to path: String) throws {
        guard try Tool.run(fetch(Contract.ring, into: path)).code == 0 else { throw Obstacle("no ring to be had") }
    }

    /// What leads a program to where this gateway's port is.
    private var entry: [String] {
        guard hasOwnNetwork, let process else { return [] }
        return ["/usr/bin/nsenter", "--net=/proc/\(process.pid)/ns/net"]
    }

    private func fetch(_ path: String, into file: String) -> [String] {
        ["/bin/busybox", "wget", "-q", "-O", file, "http://127.0.0.1:\(port)\(path)"]
    }

    /// Processor time and sleeps of all its threads.
    func usage() -> Usage {
        guard let pid = process?.pid else { return Usage(processor: 0, sleeps: 0) }
        func text(_ path: String) -> String { (try? String(contentsOfFile: path, encoding: .utf8)) ?? "" }
        // Fields 14 and 15, counted from behind the name in brackets, in hundredths of a second.
        let fields = text("/proc/\(pid)/stat").split(separator: ")").last?.split(separator: " ") ?? []
        let ticks = fields.count > 12 ? (Int(fields[11]) ?? 0) + (Int(fields[12]) ?? 0) : 0
        let threads = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(pid)/task")) ?? []
        let sleeps = threads.map { thread in
            text("/proc/\(pid)/task/\(thread)/status").split(separator: "\n")
                .first { $0.hasPrefix("voluntary_ctxt_switches") }
                .flatMap { $0.split(separator: "\t").last }.flatMap { Int($0) } ?? 0
        }
        return Usage(processor: Double(ticks) / 100, sleeps: sleeps.reduce(0, +))
    }
}
