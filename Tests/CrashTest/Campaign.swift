// SPDX-License-Identifier: GPL-2.0-or-later

import EventJSON
import Foundation
import Glibc
import HallSimulator
import RegionCore
import StoreSQLite
import TestKit
import Time

/// One store and the gateways that were killed while they wrote to it.
struct Campaign {
    /// One process: when it lived, on the boot clock.
    struct Life {
        var started: Instant
        /// Read when it was certainly dead.
        var died: Instant
    }

    private let program: String
    private let speed: Int
    private let seed: UInt64
    private let folder: Folder
    private let draws: SplitMix64
    private var draw: Int64 = 0
    private var lives: [Life] = []
    /// What `events` and a reader in this process were told while the gateway ran.
    private var listed: Set<String> = []
    private var troubles: [String] = []

    private var store: String { folder.file("crash.db") }
    private var printed: String { folder.file("printed") }

    /// Short times, so that there are exits and ended cooldowns between two kills.
    static let settings = ["exit": 8.0, "cooldown": 5.0]

    init(program: String, speed: Int, seed: UInt64) throws {
        self.program = program
        self.speed = speed
        self.seed = seed
        folder = try Folder()
        draws = SplitMix64(seed: seed).stream(UInt64(speed))
    }

    /// Leaves the store for somebody to look at.
    func keep() {
        folder.isKept = true
        Report.say("        store kept in \(folder.path)")
    }

    /// Starts and kills so many times, then starts once more and stops in order.
    mutating func run(kills: Int) throws {
        Report.say("simulated:stress?seed=\(seed)&speed=\(speed), \(kills) kills")
        for number in 1...kills {
            let started = Self.now()
            let gateway = try start()
            let life = lifeTime(number)
            let isListed = draws.unit(at: next()) < 0.5 && life > 0.5
            if isListed {
                Self.pause(life / 2)
                try list()
            }
            Self.pause(isListed ? life / 2 : life)
            gateway.signal(SIGKILL)
            if gateway.wait() != .killed(signal: SIGKILL) {
                troubles.append("life \(number) ended before its kill: \(gateway.text(.errors))")
            }
            lives.append(Life(started: started, died: Self.now()))
            note(gateway)
            if draws.unit(at: next()) < 0.3, FileManager.default.fileExists(atPath: store) { try list() }
            Self.pause(0.4 * draws.unit(at: next()))
        }
        try finish()
    }

    /// One in five dies within its own start.
    private mutating func lifeTime(_ number: Int) -> Double {
        draws.unit(at: next()) < 0.2 ? 0.15 * draws.unit(at: next()) : 0.15 + 2.85 * draws.unit(at: next())
    }

    private mutating func finish() throws {
        let started = Self.now()
        let gateway = try start()
        Self.pause(3)
        gateway.signal(SIGTERM)
        if gateway.wait() != .exited(0) { troubles.append("the last stop failed: \(gateway.text(.errors))") }
        lives.append(Life(started: started, died: Self.now()))
        note(gateway)
        try list()
    }

    private func start() throws -> ChildProcess {
        let settings = Self.settings.sorted { $0.key < $1.key }.flatMap { ["--set", "\($0.key)=\($0.value)"] }
        return try ChildProcess(
            program,
            ["run", "simulated:stress?seed=\(seed)&speed=\(speed)", "--json", "--db", store, "--set", "port=0"]
                + settings, outputFile: printed)
    }

    /// What a process of its own lists of the newest events.
    private mutating func list() throws {
        let listing = try ChildProcess(
            program, ["events", "--json", "--last", "2000", "--db", store])
        let end = listing.wait()
        listed.formUnion(listing.text().split(separator: "\n").map(String.init))
        // A store that was killed while it was made has nothing to list yet.
        if end != .exited(0), !lives.isEmpty, !listed.isEmpty { troubles.append(listing.text(.errors)) }
    }

    private mutating func note(_ gateway: ChildProcess) {
        let text = gateway.text(.errors)
        if text.contains("trouble") || text.contains("Fatal") { troubles.append(text) }
    }

    // MARK: Judgement

    /// Holds everything to the rules.
    func judge(into report: inout Report) throws {
        let events = try EventReader(path: store).events(after: 0, limit: .max)
        let lines = events.map { EventWriter.json($0) }
        let told = try printedLines()
        Report.say("        \(events.count) events stored, \(told.count) printed, \(listed.count) listed")
        report.check("the gateway started each time, and nothing troubled it", violations: troubles)
        let known = Set(lines)
        report.check("what was printed is stored, equal", violations: told.filter { !known.contains($0) })
        report.check("nothing is printed twice", violations: told.count == Set(told).count ? [] : ["it was"])
        report.check("what was listed is stored, equal", violations: listed.filter { !known.contains($0) })
        let holes = zip(events, 1...).filter { $0.seq != $1 }.map { "seq \($0.seq) where \($1) is due" }
        report.check("seq has no hole", violations: holes)
        report.check("ids are unique", violations: Set(events.map(\.id)).count == events.count ? [] : ["they are not"])
        let ledger = try StoredRuns(path: store, lives: lives, speed: speed)
        Comparison(events: events, ledger: ledger, hall: SimulatedHall(seed: seed, plan: .stress))
            .judge(into: &report)
    }

    /// Whole lines: a kill may cut the last one of a life.
    private func printedLines() throws -> [String] {
        let start = "{\"seq\":"
        return try String(contentsOfFile: printed, encoding: .utf8).split(separator: "\n").map { line in
            // After a cut line the next life's first one stands on the same line.
            start + line.components(separatedBy: start).suffix(1).joined()
        }
    }

    private mutating func next() -> Int64 {
        defer { draw += 1 }
        return draw
    }

    private static func now() -> Instant {
        var time = timespec()
        unsafe clock_gettime(CLOCK_BOOTTIME, &time)
        return Instant(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
    }

    /// The moment of a kill is what is tested, so here time has to pass.
    private static func pause(_ seconds: Double) { usleep(UInt32(seconds * 1e6)) }
}
