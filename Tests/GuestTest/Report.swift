// SPDX-License-Identifier: GPL-2.0-or-later

import Glibc
import Synchronization

/// Counts what held and what did not, and prints it as it comes, from all scenarios at once.
final class Report: Sendable {
    private struct Sums {
        var passed = 0
        var failed = 0
        var recoveries: [Double] = []
    }

    private let sums = Mutex(Sums())
    /// Half of all recoveries are faster.
    private static let medianSeconds = 15.0

    /// One scenario that is over.
    func take(_ name: String, seconds: Double, problems: [String], figures: [String], recovery: Double?) {
        sums.withLock { sums in
            if let recovery { sums.recoveries.append(recovery) }
            if problems.isEmpty { sums.passed += 1 } else { sums.failed += 1 }
            let found = figures.isEmpty ? "" : ": \(figures.joined(separator: "; "))"
            print("\(problems.isEmpty ? "passed" : "FAILED")  \(name) (\(Int(seconds)) s)\(found)")
            for problem in problems { print("        \(problem)") }
            fflush(nil)  // Whoever reads a log sees how far it is.
        }
    }

    /// The last lines; whether all is well.
    func close() -> Bool {
        sums.withLock { sums in
            let sorted = sums.recoveries.sorted()
            if !sorted.isEmpty {
                let median = sorted[sorted.count / 2]
                let isFast = median < Self.medianSeconds
                if isFast { sums.passed += 1 } else { sums.failed += 1 }
                print(
                    "\(isFast ? "passed" : "FAILED")  the median of \(sorted.count) recoveries is \(tenths(median)) s")
            }
            print("\(sums.passed) passed, \(sums.failed) failed")
            fflush(nil)
            return sums.failed == 0
        }
    }
}
