// SPDX-License-Identifier: GPL-2.0-or-later

import Glibc

/// Counts what held and what did not, and prints it as it comes.
struct Report {
    private(set) var passed = 0
    private(set) var failed = 0

    /// So many violations of one rule are printed; the rest is counted.
    private static let shown = 10

    /// One rule that must hold.
    mutating func check(_ rule: String, violations: [String]) {
        if violations.isEmpty {
            passed += 1
            Self.say("passed  \(rule)")
        } else {
            failed += 1
            Self.say("FAILED  \(rule): \(violations.count) violations")
            for violation in violations.prefix(Self.shown) { Self.say("        \(violation)") }
        }
    }

    /// A line for whoever runs the suite.
    static func say(_ line: String) {
        print(line)
        fflush(nil)  // Whoever reads a log sees how far it is.
    }
}
