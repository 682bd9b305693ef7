// SPDX-License-Identifier: GPL-2.0-or-later

import Glibc

/// The right to write to a store, one process at a time: two writers could corrupt it (SQLite before 3.51.3 has the
/// WAL-reset bug).
///
/// An advisory `flock` on a file of its own. On the database itself it would do harm: closing that descriptor would
/// drop the POSIX locks SQLite holds in this process. The lock file is never deleted, since deleting it would let two
/// processes lock two different files of the same name.
@safe struct WriterLock: ~Copyable {
    private let descriptor: CInt

    /// Takes the lock, or says who has it.
    init(forStoreAt path: String) throws(StoreError) {
        let lockPath = realPath(path) + ".lock"
        let opened = unsafe open(lockPath, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o644)
        guard opened >= 0 else {
            let kind: StoreError.Kind = errno == EROFS || errno == EACCES ? .readOnly : .unreachable
            throw StoreError(kind, doing: "open \(lockPath)", message: systemMessage())
        }
        guard flock(opened, LOCK_EX | LOCK_NB) == 0 else {
            let isTaken = errno == EWOULDBLOCK
            let message = isTaken ? "\(holder(opened)) already writes to it" : systemMessage()
            _ = close(opened)
            throw StoreError(isTaken ? .inUse : .device, doing: "open \(path) for writing", message: message)
        }
        descriptor = opened
        writeProcessID()
    }

    deinit { _ = close(descriptor) }

    /// Only a help for people, so a full disk may keep it from being written.
    private borrowing func writeProcessID() {
        let text = Array("\(getpid())\n".utf8)
        guard ftruncate(descriptor, 0) == 0 else { return }
        _ = unsafe text.withUnsafeBytes { unsafe pwrite(descriptor, $0.baseAddress, $0.count, 0) }
    }
}

/// Who wrote its number into the lock file.
private func holder(_ descriptor: CInt) -> String {
    var bytes = [UInt8](repeating: 0, count: 16)
    let count = unsafe bytes.withUnsafeMutableBytes { unsafe pread(descriptor, $0.baseAddress, $0.count, 0) }
    let digits = bytes.prefix(max(0, count)).prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    return digits.isEmpty ? "another process" : "process \(String(decoding: digits, as: UTF8.self))"
}

private func systemMessage() -> String { unsafe String(cString: strerror(errno)) }

/// The path without symbolic links, so that two names of one store find the same lock. Where the file does not exist
/// yet, that of its folder.
private func realPath(_ path: String) -> String {
    if let found = resolved(path) { return found }
    guard let slash = path.lastIndex(of: "/") else { return path }
    guard let folder = resolved(slash == path.startIndex ? "/" : String(path[..<slash])) else { return path }
    return folder + path[slash...]
}

private func resolved(_ path: String) -> String? {
    guard let found = unsafe realpath(path, nil) else { return nil }
    defer { unsafe free(found) }
    return unsafe String(cString: found)
}
