// SPDX-License-Identifier: GPL-2.0-or-later

import Glibc
import JSONText

/// What tells one state of a file from another without reading it.
struct FileSignature: Equatable {
    private let device: dev_t
    private let inode: ino_t
    private let size: off_t
    private let modified: [Int]
    private let changed: [Int]

    fileprivate init(_ status: stat) {
        device = status.st_dev
        inode = status.st_ino
        size = status.st_size
        modified = [status.st_mtim.tv_sec, status.st_mtim.tv_nsec]
        // A file put in place with its old time (rsync -t, cp -p) has a new one here.
        changed = [status.st_ctim.tv_sec, status.st_ctim.tv_nsec]
    }

    /// The state of the file that a path leads to, symbolic links followed.
    init(path: String) throws(FileTrouble) {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { throw .error(errno) }
        self.init(status)
    }
}

/// Why a file could not be read.
enum FileTrouble: Error, Equatable {
    case error(CInt)
    case noRegularFile
    case tooLong

    /// For people.
    var message: String {
        switch self {
        case .error(ENOENT): "there is no such file"
        case .error(EACCES): "this user may not read it"
        // The text is copied at once; another thread's message in its place would be no danger.
        case .error(let code): unsafe String(cString: strerror(code))
        case .noRegularFile: "it is no regular file"
        case .tooLong: "it is longer than \(JSONReader.mostBytes) bytes"
        }
    }
}

/// A file open for reading, closed when it goes.
struct OpenFile: ~Copyable {
    private let descriptor: CInt

    /// Does not wait where the path leads to a pipe.
    init(path: String) throws(FileTrouble) {
        descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw .error(errno) }
    }

    deinit { _ = close(descriptor) }

    /// All bytes, at most `JSONReader.mostBytes`.
    borrowing func bytes() throws(FileTrouble) -> [UInt8] {
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { throw .error(errno) }
        guard status.st_mode & S_IFMT == S_IFREG else { throw .noRegularFile }
        guard status.st_size <= JSONReader.mostBytes else { throw .tooLong }
        var bytes: [UInt8] = []
        // The size is a hint: the file may grow while it is read.
        var chunk = [UInt8](repeating: 0, count: max(4_096, Int(status.st_size) + 1))
        while true {
            let count = unsafe chunk.withUnsafeMutableBytes { unsafe Glibc.read(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw .error(errno) }
            if count == 0 { return bytes }
            bytes.append(contentsOf: chunk[..<count])
            guard bytes.count <= JSONReader.mostBytes else { throw .tooLong }
        }
    }
}
