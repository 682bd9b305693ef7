// SPDX-License-Identifier: GPL-2.0-or-later

import Glibc

// usage: CrashTest PROGRAM [KILLS] [SEED]
//
// Kills a running gateway at random moments and holds what it left to the rules. Half of the kills hit a hall in real
// time (some 30 events a second), half one that runs twenty times as fast (some 500).
let program = CommandLine.arguments.dropFirst().first
let arguments = CommandLine.arguments.dropFirst(2).map { Int($0) }
guard let program, arguments.count <= 2, !arguments.contains(nil) else {
    Report.say("usage: CrashTest PROGRAM [KILLS] [SEED]")
    exit(2)
}
let kills = arguments.first.flatMap(\.self) ?? 12
let seed = UInt64(arguments.dropFirst().first.flatMap(\.self) ?? 7)
var report = Report()
for (number, speed) in [1, 20].enumerated() {
    let count = number == 0 ? (kills + 1) / 2 : kills / 2
    guard count > 0 else { continue }
    do {
        var campaign = try Campaign(program: program, speed: speed, seed: seed + UInt64(number))
        try campaign.run(kills: count)
        let before = report.failed
        try campaign.judge(into: &report)
        if report.failed > before { campaign.keep() }
    } catch {
        report.check("a hall at speed \(speed) is killed \(count) times", violations: ["\(error)"])
    }
}
Report.say("\(report.passed) passed, \(report.failed) failed")
exit(report.failed == 0 ? 0 : 1)
