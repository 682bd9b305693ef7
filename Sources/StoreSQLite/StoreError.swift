// SPDX-License-Identifier: GPL-2.0-or-later

/// Why the store could not do something: what was being done, what SQLite or the system said, and what helps.
public struct StoreError: Error, Equatable, Sendable {
    /// What kind of trouble, so that callers can tell what passes by itself from what needs a person.
    public enum Kind: Equatable, Sendable {
        /// Somebody else holds SQLite's lock; trying again helps.
        case busy
        /// No space, or a quota is reached; trying again helps once there is space.
        case full
        /// The device failed a read, a write or a sync.
        case device
        /// The file system or the file cannot be written.
        case readOnly
        /// The content is not what SQLite or this program wrote.
        case damaged
        /// There is no file, or it may not be opened.
        case unreachable
        /// The file was made by a newer version.
        case newerVersion
        /// The file was made by an older version, and a reader may not bring it up to date.
        case olderVersion
        /// A database of another program.
        case notAStore
        /// The store belongs to another kind of source.
        case otherSource
        /// Another process writes to it.
        case inUse
        /// Anything else SQLite refuses: a fault of this program.
        case refused
    }

    /// What kind of trouble.
    public let kind: Kind
    /// What was being done, with the file where it matters: "store an event".
    public let doing: String
    /// What SQLite or the system said.
    public let message: String

    /// An error of these parts.
    init(_ kind: Kind, doing: String, message: String) {
        self.kind = kind
        self.doing = doing
        self.message = message
    }

    /// What a person can do about it.
    public var remedy: String {
        switch kind {
        case .busy: "another program holds the file locked; end it (open it with sqlite3 -readonly while regiond runs)"
        case .full: "free some space on this file system, or raise the quota"
        case .device: "look at the kernel log for faults of this disk or card, and replace it if there are any"
        case .readOnly: "make the file and its folder writable for this user, or remount the file system writable"
        case .damaged: "move the file and its -wal aside together, keep both, and start again with a new one"
        case .unreachable: "check the path and its permissions, or name another file with --db"
        case .newerVersion: "use the regiond that made it, or a newer one; this one has not touched it"
        case .olderVersion: "start regiond run on it once; that brings it up to date"
        case .notAStore: "name another file with --db; this one has not been touched"
        case .otherSource: "name another file with --db; each kind of source keeps a store of its own"
        case .inUse: "stop that process, or name another file with --db"
        case .refused: "this is a fault of regiond; report it with this message"
        }
    }
}

extension StoreError: CustomStringConvertible {
    /// One sentence for a person.
    public var description: String { "cannot \(doing): \(message); \(remedy)" }
}
