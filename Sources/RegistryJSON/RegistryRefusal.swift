// SPDX-License-Identifier: GPL-2.0-or-later

import JSONText

/// One thing that is wrong with a registry file.
public struct RegistryFault: Equatable, Sendable {
    /// Where to change it; nil: it is the file as a whole (missing, unreadable).
    public let position: JSONPosition?
    /// What is wrong and what to do, for people; without the places.
    public let message: String
    /// What it is at odds with: the first of two beacons, keys, names.
    public let other: JSONPosition?

    /// A fault of these parts.
    public init(position: JSONPosition?, message: String, other: JSONPosition? = nil) {
        self.position = position
        self.message = message
        self.other = other
    }
}

extension RegistryFault: CustomStringConvertible {
    /// `line 3, column 7: …; the other is at line 2, column 5`.
    public var description: String {
        let place = position.map { "\($0): " } ?? ""
        let conflict = other.map { "; the other is at \($0)" } ?? ""
        return place + message + conflict
    }
}

/// Why a registry file was refused as a whole: everything found, so that one round of corrections is enough.
public struct RegistryRefusal: Error, Equatable, Sendable {
    /// In the order of the file; never empty, at most `RegistryReader.mostFaults`.
    public let faults: [RegistryFault]
    /// How many more there are.
    public let more: Int
    /// Whether the text ends too early, as a file does that is still being written.
    public let isCutOff: Bool

    /// A refusal for these reasons.
    public init(faults: [RegistryFault], more: Int = 0, isCutOff: Bool = false) {
        self.faults = faults
        self.more = more
        self.isCutOff = isCutOff
    }

    /// One line, for a log or a page: the first fault and how many others there are.
    public var summary: String {
        let others = faults.count - 1 + more
        return (faults.first?.description ?? "") + (others > 0 ? " (and \(others) more)" : "")
    }
}

extension RegistryRefusal: CustomStringConvertible {
    /// A line for each fault, and `and 7 more` where not all are listed.
    public var description: String {
        (faults.map(\.description) + (more > 0 ? ["and \(more) more"] : [])).joined(separator: "\n")
    }
}
