// SPDX-License-Identifier: GPL-2.0-or-later

import Glibc
import TestKit

/// Something that a scenario cannot go on without.
struct Obstacle: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}

/// Programs of the machine, run to their end.
enum Tool {
    /// What one gave; without a code it had to be ended.
    struct Outcome {
        let code: Int32?
        let output: String
        let errors: String
    }

    /// Runs a program by its path.
    @discardableResult
    static func run(_ words: [String], within limit: Duration = .seconds(15)) throws -> Outcome {
        let process = try ChildProcess(words[0], Array(words.dropFirst()))
        let end = process.wait(within: limit)
        if end == nil { process.crash() }
        var code: Int32?
        if case .exited(let number) = end { code = number }
        return Outcome(code: code, output: process.text(), errors: process.text(.errors))
    }
}

/// Lets time pass: the machine's own, for the kernel has no other.
func pause(_ seconds: Double) { usleep(UInt32(max(0, seconds) * 1_000_000)) }

/// Asks again and again until it holds; false when it does not in that time. The time is counted in pauses: an emulated
/// processor's clock may read far ahead for once.
func eventually(within seconds: Double, every step: Double = 0.2, _ holds: () throws -> Bool) rethrows -> Bool {
    var left = Int((seconds / step).rounded(.up))
    while try !holds() {
        guard left > 0 else { return false }
        left -= 1
        pause(step)
    }
    return true
}
