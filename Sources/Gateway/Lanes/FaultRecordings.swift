// SPDX-License-Identifier: GPL-2.0-or-later

import Glibc
import RadioCapture
import Time

/// Something went wrong with the radio, and what was heard before it.
struct RadioFault: Sendable {
    /// What went wrong, in a few words.
    var why: String
    /// Whose radio; nil: there is no other.
    var receiver: String?
    /// When, as it is called.
    var time: WallTime
    /// The ring at that moment.
    var ring: RingSnapshot
}

/// What is kept of faults.
enum FaultLimit {
    /// A radio that fails again and again shows the same each time.
    static let every = Duration.seconds(600)
    /// Recordings kept; the oldest go.
    static let files = 5
    /// All recordings together; the oldest go. Three of the busiest hall.
    static let bytes: Int64 = 200 * 1_000 * 1_000
}

/// Writes what was heard before a fault into the folder `faults` beside the store, as btsnoop.
struct FaultRecordings {
    /// The folder.
    let folder: String
    /// When the last one was written of each receiver.
    private var writtenAt: [String?: Instant] = [:]
    private var hasFailed = false
    /// For what a person should know.
    private let say: (String) -> Void

    init(beside store: String, say: @escaping (String) -> Void = Console.say) {
        folder = Self.folder(beside: store)
        self.say = say
    }

    /// Where the recordings of a store's faults lie.
    static func folder(beside store: String) -> String {
        let parts = store.split(separator: "/", omittingEmptySubsequences: false).dropLast()
        return (parts + ["faults"]).joined(separator: "/")
    }

    /// The recordings in a folder, the oldest first: their names begin with their times.
    static func names(in folder: String) -> [String] {
        DirectoryList.names(in: folder).filter { $0.hasPrefix("ring-") && $0.hasSuffix(".btsnoop") }.sorted()
    }

    /// Writes a recording, unless the last one of the receiver is too young or nothing was heard. One that cannot be written is said
    /// once, and changes nothing else.
    mutating func record(_ fault: RadioFault, at now: Instant) {
        guard fault.ring.frames > 0, writtenAt[fault.receiver].map({ now - $0 >= FaultLimit.every }) ?? true else {
            return
        }
        writtenAt[fault.receiver] = now
        let words = [fault.receiver, fault.why].compactMap(\.self).map(Self.word).joined(separator: "-")
        let name = "ring-\(fault.time.fileStamp)-\(words).btsnoop"
        do throws(GatewayError) {
            makeRoom(for: Int64(fault.ring.byteCount), but: name)
            try write(fault.ring, to: name)
            hasFailed = false
            say("What was heard before the fault is in \(folder)/\(name).")
        } catch {
            if !hasFailed { say("What was heard before a fault cannot be kept: \(error)") }
            hasFailed = true
        }
    }

    private func write(_ ring: RingSnapshot, to name: String) throws(GatewayError) {
        guard unsafe mkdir(folder, 0o750) == 0 || errno == EEXIST else { throw failure("cannot make the folder") }
        let unfinished = "\(folder)/unfinished"  // One writer, so one name; what a crash left there is overwritten.
        let descriptor = unsafe open(unfinished, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o640)
        guard descriptor >= 0 else { throw failure("cannot make a file in") }
        defer { close(descriptor) }
        var pieces = ring.pieces()
        while let piece = pieces.next() {
            guard Console.write(piece, to: descriptor) else { throw failure("cannot write in", removing: unfinished) }
        }
        guard fsync(descriptor) == 0, unsafe rename(unfinished, "\(folder)/\(name)") == 0 else {
            throw failure("cannot write in", removing: unfinished)
        }
        let directory = unsafe open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard directory >= 0 else { return }
        fsync(directory)  // Without it a power cut may lose the name; there is nothing more to do about that.
        close(directory)
    }

    /// Deletes the oldest until there is room for one more.
    private func makeRoom(for bytes: Int64, but name: String) {
        var kept = Self.names(in: folder).filter { $0 != name }
        var held = kept.reduce(0) { $0 + size(of: $1) }
        while let oldest = kept.first, kept.count >= FaultLimit.files || held + bytes > FaultLimit.bytes {
            held -= size(of: oldest)
            unsafe unlink("\(folder)/\(oldest)")
            kept.removeFirst()
        }
    }

    private func size(of name: String) -> Int64 {
        var status = stat()
        return unsafe stat("\(folder)/\(name)", &status) == 0 ? Int64(status.st_size) : 0
    }

    private func failure(_ doing: String, removing path: String? = nil) -> GatewayError {
        let why = unsafe String(cString: strerror(errno))
        if let path { unsafe unlink(path) }
        return GatewayError(.failed, "\(doing) \(folder): \(why); make room, or let this user write there")
    }

    /// A reason as part of a file's name.
    private static func word(_ why: String) -> String {
        let words = why.lowercased().split { !($0.isASCII && ($0.isLetter || $0.isNumber)) }
        return words.isEmpty ? "fault" : String(words.joined(separator: "-").prefix(40))
    }
}

extension WallTime {
    /// `2026-11-30T09-00-00Z`: a time in a file's name, to the second, on every file system.
    var fileStamp: String { rfc3339.prefix(19).replacing(":", with: "-") + "Z" }
}
