// SPDX-License-Identifier: GPL-2.0-or-later

/// The folder that the store lies in, or is to lie in, and the room there.
struct DiskFacts: Equatable {
    /// How the folder stands.
    enum Folder: Equatable {
        case missing
        /// Whether this process may make files there, and whether the folder is this user's.
        case there(isWritable: Bool, isOwn: Bool)
        /// It cannot be looked at: what the system said.
        case hidden(String)
    }

    var path: String
    var folder: Folder
    /// The file system was mounted read-only, or remounted so after a fault.
    var isReadOnly = false
    /// Bytes that this user may still write.
    var free: Int64 = 0

    /// A busy hall writes some 100 MB a day; with less than this a day is not certain.
    static let least: Int64 = 200_000_000

    var finding: Finding {
        if isReadOnly {
            return .wrong(
                .disk, "The file system of \(path) is mounted read-only.",
                remedy: "Look at the kernel log for faults of this disk or card; then mount -o remount,rw.")
        }
        if case .hidden(let why) = folder {
            return .couldNotLook(.disk, "\(path) cannot be looked at: \(why).", remedy: Self.askAsUser)
        }
        let megabytes = free / 1_000_000
        guard free >= Self.least else {
            return .wrong(
                .disk, "\(megabytes) MB are free where \(path) lies.",
                remedy: "Make room there, or name a store on another disk (--db).")
        }
        switch folder {
        case .there(isWritable: true, _): return .fine(.disk, "\(path) is writable, with \(megabytes) MB free.")
        case .there(isWritable: false, isOwn: true):
            return .wrong(
                .disk, "\(path) may not be written by the user it belongs to.", remedy: "chmod u+rwx \(path)")
        case .there(isWritable: false, isOwn: false):
            return .couldNotLook(
                .disk, "\(path) belongs to another user and may not be written by this one; \(megabytes) MB are free.",
                remedy: Self.askAsUser)
        case .missing, .hidden:
            return .fine(.disk, "\(path) is not there yet; a start makes it, and \(megabytes) MB are free.")
        }
    }

    private static let askAsUser =
        "Ask again as the gateway's user (sudo -u regiond regiond doctor), or name its "
        + "store with --db."
}
