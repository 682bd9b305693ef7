// SPDX-License-Identifier: GPL-2.0-or-later

import FeedHTTP
import Glibc
import Synchronization
import Time

/// The truth about a recording, written down beside it by whoever walks: one line a mark, on disk when it is answered.
///
/// `walk.btsnoop` has its truth in `walk.btsnoop.truth.ndjson`; the times of both are those of the same clock.
final class MarkBook: Sendable {
    private struct State {
        var isRecording: Bool
        /// Open once the first mark is made.
        var descriptor: CInt?
    }

    private let path: String
    private let state: Mutex<State>

    /// A book beside a recording; nil: nothing is recorded, and nothing can be marked.
    init(beside recording: String?) throws(GatewayError) {
        path = Self.path(beside: recording ?? "")
        state = Mutex(State(isRecording: recording != nil))
        var status = stat()
        if recording != nil, unsafe stat(path, &status) == 0, status.st_size > 0 {
            throw GatewayError(
                .failed, "\(path) holds the truth about another recording; name a new file to record into")
        }
    }

    deinit { state.withLock { if let descriptor = $0.descriptor { close(descriptor) } } }

    /// Where the truth about a recording stands.
    static func path(beside recording: String) -> String { "\(recording).truth.ndjson" }

    /// Whether there is a recording that a mark would belong to.
    var isRecording: Bool { state.withLock { $0.isRecording } }

    /// The recording has failed: what is marked from now on would belong to nothing.
    func recordingEnded() { state.withLock { $0.isRecording = false } }

    /// Adds a line, and answers when it is on disk.
    func add(_ line: [UInt8]) -> MarkAnswer {
        state.withLock { state in
            guard state.isRecording else { return .notRecording }
            guard let descriptor = state.descriptor ?? open() else { return failed(errno) }
            state.descriptor = descriptor
            let length = lseek(descriptor, 0, SEEK_END)
            guard Console.write(line + [UInt8(ascii: "\n")], to: descriptor), fdatasync(descriptor) == 0 else {
                let code = errno
                // Half a line would spoil the next one. If this fails too, whoever reads it is told the line.
                _ = ftruncate(descriptor, length)
                return failed(code)
            }
            return .written(line)
        }
    }

    private func open() -> CInt? {
        let readableByGroup: mode_t = 0o640
        let descriptor = unsafe Glibc.open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, readableByGroup)
        return descriptor >= 0 ? descriptor : nil
    }

    private func failed(_ code: CInt) -> MarkAnswer {
        .failed(
            "\(path) cannot be written: \(unsafe String(cString: strerror(code))); make room, or look at its rights")
    }
}
