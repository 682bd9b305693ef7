// SPDX-License-Identifier: GPL-2.0-or-later

import Glibc
import RegionCore
import StoreSQLite

/// Why a command could not do what it was asked for.
public struct GatewayError: Error, Equatable, CustomStringConvertible, Sendable {
    /// What kind of failure; it decides the exit code.
    public enum Kind: Equatable, Sendable {
        /// Something did not work: exit code 1.
        case failed
        /// The command line asks for something that does not exist: exit code 2.
        case usage
        /// Configuration or registry refused: exit code 3.
        case refused
    }

    /// What kind of failure.
    public let kind: Kind
    /// For a person: what, where, and what to do about it.
    public let description: String

    /// An error of this kind that says this.
    public init(_ kind: Kind, _ description: String) {
        self.kind = kind
        self.description = description
    }

    /// A file that cannot be read.
    init(reading path: String, _ code: Int32) {
        let why = unsafe String(cString: strerror(code))
        self.init(.failed, "cannot read \(path): \(why); give the path of a file that this user may read")
    }

    init(_ error: SourceError) { self.init(.failed, error.description) }

    init(_ error: StoreError) { self.init(.failed, error.description) }
}
