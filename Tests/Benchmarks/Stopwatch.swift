// SPDX-License-Identifier: GPL-2.0-or-later

import Glibc

/// Nanoseconds an item took, over the rounds.
struct Timing {
    let least: Double
    let median: Double
}

/// One of several ways to do something.
struct Variant {
    let items: Int
    let work: () -> Void
}

/// Runs the variants in turn, round after round, so that what disturbs the machine disturbs all of them; the time is
/// this thread's own. The first round is not counted.
func interleaved(rounds: Int, _ variants: [Variant]) -> [Timing] {
    var times = variants.map { _ in [Double]() }
    for round in 0...rounds {
        for (number, variant) in variants.enumerated() {
            let start = threadTime()
            variant.work()
            let spent = threadTime() - start
            if round > 0 { times[number].append(Double(spent) / Double(variant.items)) }
        }
    }
    return times.map { times in
        let sorted = times.sorted()
        return Timing(least: sorted[0], median: sorted[sorted.count / 2])
    }
}

/// This thread's CPU time, nanoseconds.
private func threadTime() -> Int64 {
    var time = timespec()
    guard unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time) == 0 else { return 0 }
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
}
