import EngineProperties
import Foundation
import HallSimulator
import RegionCore
import Testing
import Time

struct ZDebug {
    @Test func debug() {
        for word in (ProcessInfo.processInfo.environment["SEEDS"] ?? "").split(separator: ",") {
            let seed = UInt64(word)!
            let hall = WalkedHall(seed: seed, faults: [.death, .clocks, .air, .deafness, .silence])
            print("SEED", seed, "exit", hall.exit.inSeconds)
            for r in hall.receivers {
                print(
                    r.entry.id, r.entry.group ?? "", r.sendsMessages ? "msg" : "own", r.clock.inSeconds, r.duty,
                    "deaf", r.deaf.map { ($0.lowerBound.seconds, $0.upperBound.seconds) },
                    "silent", r.silent.map { ($0.lowerBound.seconds, $0.upperBound.seconds) })
            }
            let run = WalkedRun(hall)
            for n in run.decisions.receivers { print("note", n.receiver, n.isBack, n.since.seconds, n.at.seconds) }
            for b in run.checker.inside["hall"] ?? [] {
                print("inside", b.minor, run.checker.nearest[b] ?? "-")
                for e in run.events where e.beacon.identity == b {
                    print("  ", e.summary, e.nearest ?? "-", e.regions.map(\.region))
                }
            }
        }
    }
    @Test func time() {
        guard ProcessInfo.processInfo.environment["TIMING"] != nil else { return }
        let clock = ContinuousClock()
        var halls: [WalkedHall] = []
        print("halls", clock.measure { for s in 0..<50 { halls.append(WalkedHall(seed: UInt64(s), faults: .all)) } })
        print("steps", halls.map(\.steps.count).reduce(0, +) / 50)
        print("runs", clock.measure { for h in halls { _ = WalkedRun(h) } })
    }
    @Test func split() {
        for word in (ProcessInfo.processInfo.environment["SPLITS"] ?? "").split(separator: ",") {
            let seed = UInt64(word)!
            let hall = WalkedHall(seed: seed, faults: [.air, .guides])
            let split = WalkedHall.moment(300 * SplitMix64(seed: seed).unit(at: 3))
            print(
                "SPLIT", seed, "exit", hall.exit.inSeconds, split.seconds,
                hall.receivers.map { ($0.entry.id, $0.entry.kind, $0.sendsMessages) })
            let a = WalkedRun(hall), b = WalkedRun(hall, steps: hall.split(at: split))
            func lines(_ r: WalkedRun) -> [String] {
                r.events.filter {
                    !$0.regions.isEmpty && ($0.endsVisit || $0.kind == .nearest || $0.reason == .hits)
                        && $0.kind != .wake || $0.kind == .nearest
                }.map { "\($0.summary) \($0.nearest ?? "-")" }
            }
            let la = lines(a), lb = lines(b)
            let fa = Set(la.map { $0.replacing(/#\d+/, with: "") }), fb = Set(lb.map { $0.replacing(/#\d+/, with: "") })
            for l in la where !fb.contains(l.replacing(/#\d+/, with: "")) { print(" whole", l) }
            for l in lb where !fa.contains(l.replacing(/#\d+/, with: "")) { print(" split", l) }
        }
    }
}
