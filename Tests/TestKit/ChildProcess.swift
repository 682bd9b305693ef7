// SPDX-License-Identifier: GPL-2.0-or-later

import Foundation
import Glibc

/// A program that a test starts, reads from line by line, signals and waits for. Nothing here sleeps: every wait is a
/// `poll` on the child's output, with an end.
public final class ChildProcess {
    /// Where the child writes.
    public enum Stream: Int, Sendable {
        case output, errors
    }

    /// How it ended.
    public enum End: Equatable, Sendable {
        case exited(Int32)
        case killed(signal: Int32)
    }

    /// A system call that failed.
    public struct Failure: Error, CustomStringConvertible {
        /// What was being done, and why it failed.
        public let description: String
    }

    /// What came from one of its streams.
    private struct Tap {
        var descriptor: Int32
        var bytes: [UInt8] = []
        /// How far lines have been taken.
        var taken = 0
    }

    private static let starting = NSLock()

    /// Its number.
    public let pid: pid_t
    private var taps: [Tap]
    private var end: End?

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - path: The program.
    ///   - arguments: Without the program's name.
    ///   - environment: Changes to this process's environment; nil takes a variable away.
    ///   - input: A file as its standard input; nil: nothing to read.
    ///   - outputFile: A file that its output is appended to, instead of being read here.
    public init(
        _ path: String, _ arguments: [String], environment: [String: String?] = [:], input: String? = nil,
        outputFile: String? = nil
    ) throws {
        // One at a time: a child that inherits the ends of another's pipes would keep its streams open.
        Self.starting.lock()
        defer { Self.starting.unlock() }
        let output = try Self.pipe()
        let errors = try Self.pipe()
        defer { for pipe in [output, errors] { close(pipe.write) } }
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        unsafe posix_spawn_file_actions_addopen(&actions, 0, input ?? "/dev/null", O_RDONLY, 0)
        if let outputFile {
            unsafe posix_spawn_file_actions_addopen(&actions, 1, outputFile, O_WRONLY | O_CREAT | O_APPEND, 0o644)
        } else {
            unsafe posix_spawn_file_actions_adddup2(&actions, output.write, 1)
        }
        unsafe posix_spawn_file_actions_adddup2(&actions, errors.write, 2)
        var variables = ProcessInfo.processInfo.environment
        for (name, value) in environment { variables[name] = value }
        var words = unsafe ([path] + arguments).map { unsafe strdup($0) } + [nil]
        var settings = unsafe variables.map { unsafe strdup("\($0.key)=\($0.value)") } + [nil]
        defer { unsafe (words + settings).forEach { unsafe free($0) } }
        var child: pid_t = 0
        let code = unsafe posix_spawn(&child, path, &actions, nil, &words, &settings)
        guard code == 0 else {
            for pipe in [output, errors] { close(pipe.read) }
            throw Failure(description: "cannot start \(path): \(unsafe String(cString: strerror(code)))")
        }
        pid = child
        taps = [Tap(descriptor: output.read), Tap(descriptor: errors.read)]
    }

    deinit {
        if end == nil {
            kill(pid, SIGKILL)
            _ = waitpid(pid, nil, 0)
        }
        for tap in taps where tap.descriptor >= 0 { close(tap.descriptor) }
    }

    /// Sends it a signal.
    public func signal(_ number: Int32) { if end == nil { kill(pid, number) } }

    /// Everything a stream has given so far.
    public func text(_ stream: Stream = .output) -> String {
        String(decoding: taps[stream.rawValue].bytes, as: UTF8.self)
    }

    /// Stops reading: what it writes there fails from now on.
    public func closeOutput() {
        close(taps[Stream.output.rawValue].descriptor)
        taps[Stream.output.rawValue].descriptor = -1
    }

    /// The next line of a stream that fits, lines before it passed over; nil when it ends or the time is over.
    public func line(
        of stream: Stream = .output, within limit: Duration = .seconds(20), where fits: (String) -> Bool = { _ in true }
    ) -> String? {
        let deadline = ContinuousClock.now + limit
        while true {
            while let line = nextLine(stream) { if fits(line) { return line } }
            guard taps[stream.rawValue].descriptor >= 0, read(until: deadline) else { return nil }
        }
    }

    /// How it ended, all its output read; nil when it goes on after that time.
    public func wait(within limit: Duration = .seconds(20)) -> End? {
        let deadline = ContinuousClock.now + limit
        while taps.contains(where: { $0.descriptor >= 0 }) {
            guard read(until: deadline) else { return nil }
        }
        return reap()
    }

    /// Ends it at once, as a power cut would, and waits for that.
    public func crash() {
        signal(SIGKILL)
        _ = wait()
    }

    private func reap() -> End? {
        if let end { return end }
        var status: Int32 = 0
        guard unsafe waitpid(pid, &status, 0) == pid else { return nil }
        let signal = status & 0x7F
        end = signal == 0 ? .exited(status >> 8 & 0xFF) : .killed(signal: signal)
        return end
    }

    private func nextLine(_ stream: Stream) -> String? {
        let tap = taps[stream.rawValue]
        guard let feed = tap.bytes[tap.taken...].firstIndex(of: UInt8(ascii: "\n")) else { return nil }
        taps[stream.rawValue].taken = feed + 1
        return String(decoding: tap.bytes[tap.taken..<feed], as: UTF8.self)
    }

    /// Reads what there is, or waits for more; false when the time is over.
    private func read(until deadline: ContinuousClock.Instant) -> Bool {
        let left = ContinuousClock.now.duration(to: deadline)
        let milliseconds = left.components.seconds * 1_000 + left.components.attoseconds / 1_000_000_000_000_000
        guard milliseconds > 0 else { return false }
        var polled = taps.map { pollfd(fd: $0.descriptor, events: Int16(POLLIN), revents: 0) }
        guard unsafe poll(&polled, nfds_t(polled.count), Int32(milliseconds)) > 0 else { return false }
        for index in taps.indices where polled[index].revents != 0 {
            var buffer = [UInt8](repeating: 0, count: 65_536)
            let count = unsafe Glibc.read(taps[index].descriptor, &buffer, buffer.count)
            if count > 0 {
                taps[index].bytes += buffer[..<count]
            } else {
                close(taps[index].descriptor)
                taps[index].descriptor = -1
            }
        }
        return true
    }

    private static func pipe() throws -> (read: Int32, write: Int32) {
        var ends: [Int32] = [0, 0]
        guard unsafe Glibc.pipe(&ends) == 0 else { throw Failure(description: "no more pipes") }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        return (ends[0], ends[1])
    }
}

/// Programs of this package, built into the folder that the running test is in.
public enum BuiltProgram {
    /// The path of one of them.
    public static func path(_ name: String) -> String {
        let own = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
        return URL(fileURLWithPath: own).deletingLastPathComponent().appendingPathComponent(name).path
    }
}

/// A folder for one test, removed with it.
public final class Folder {
    /// Where it is.
    public let path: String
    /// Whether it stays for somebody to look at.
    public var isKept = false

    /// A new, empty folder.
    public init() throws {
        let place = FileManager.default.temporaryDirectory.appendingPathComponent("regiond-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
        path = place.path
    }

    deinit { if !isKept { try? FileManager.default.removeItem(atPath: path) } }

    /// The path of a file in it.
    public func file(_ name: String) -> String { "\(path)/\(name)" }

    /// Writes a file and gives its path.
    @discardableResult
    public func write(_ name: String, _ bytes: some Sequence<UInt8>) throws -> String {
        try Data(bytes).write(to: URL(fileURLWithPath: file(name)))
        return file(name)
    }

    /// Writes a file and gives its path.
    @discardableResult
    public func write(_ name: String, _ text: String) throws -> String { try write(name, text.utf8) }
}
