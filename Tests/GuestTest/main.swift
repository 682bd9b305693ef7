// SPDX-License-Identifier: GPL-2.0-or-later

import Foundation
import Glibc

// usage: GuestTest GATEWAY FOLDER [SCENARIO…]
//
// Runs inside the guest, as root: scenarios beside each other, each with its own controllers and gateway. The
// folder holds vctl and reader. A name may be a part of a scenario's.
let words = CommandLine.arguments.dropFirst()
guard words.count >= 2, FileManager.default.isWritableFile(atPath: "/dev/vhci") else {
    print("usage, in the guest: GuestTest GATEWAY FOLDER [SCENARIO…]")
    exit(2)
}
let wanted = words.dropFirst(2)
let started = ContinuousClock.now
// The ordinary user may not see where the program lies.
let place = "/run/guest"
try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
try FileManager.default.copyItem(atPath: words[words.startIndex], toPath: "\(place)/regiond")
try "\(Contract.receiveBuffer)".write(
    toFile: "/proc/sys/net/core/rmem_max", atomically: false, encoding: .utf8)
let folder = words[words.startIndex + 1]
let programs = Programs(gateway: "\(place)/regiond", controller: "\(folder)/vctl", reader: "\(folder)/reader")
let report = Report()
let scenarios = Scenario.all.enumerated().filter { _, scenario in
    wanted.isEmpty || wanted.contains { scenario.name.contains($0) }
}
for phase in Scenario.Phase.allCases {
    let together = DispatchGroup()
    let first = scenarios.filter { $0.element.phase == phase }.map(\.element.starts).min() ?? 0
    for (number, scenario) in scenarios where scenario.phase == phase {
        together.enter()
        Thread.detachNewThread {
            pause(wanted.isEmpty ? scenario.starts : scenario.starts - first)
            scenario.perform(number: number, programs: programs, report: report)
            together.leave()
        }
    }
    together.wait()
}
print("all in \(Int((ContinuousClock.now - started) / .seconds(1))) s")
exit(report.close() ? 0 : 1)
