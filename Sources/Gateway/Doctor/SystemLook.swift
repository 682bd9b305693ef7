// SPDX-License-Identifier: GPL-2.0-or-later

import CShim  // Where the compiler sees the kinds of sockets.
import Glibc
import Time

/// Reads what the kernel shows of itself in /sys and /proc. The folder before them is `/`, or a test's.
struct SystemLook {
    /// Without a slash at its end.
    var root = ""

    /// Adapters, as the kernel's folders name them. Addresses, power and LE are asked of the adapters themselves.
    func adapters() -> AdapterFacts {
        guard isThere("/sys/class/bluetooth") else { return AdapterFacts(adapters: nil) }
        let names = DirectoryList.names(in: root + "/sys/class/bluetooth")
        // `hci0:42` is a connection of hci0.
        let adapters = names.filter { $0.hasPrefix("hci") && Int($0.dropFirst(3)) != nil }
        return AdapterFacts(
            adapters: adapters.sorted { $0.utf8.count == $1.utf8.count ? $0 < $1 : $0.utf8.count < $1.utf8.count }
                .map { AdapterFacts.Adapter(name: $0) })
    }

    /// The switches for Bluetooth.
    func rfkill() -> RfkillFacts {
        guard isThere("/sys/class/rfkill") else { return RfkillFacts(switches: nil) }
        let folders = DirectoryList.names(in: root + "/sys/class/rfkill").map { "/sys/class/rfkill/\($0)" }.sorted()
        return RfkillFacts(
            switches: folders.filter { text("\($0)/type") == "bluetooth" }.map { folder in
                RfkillFacts.Switch(
                    name: text("\(folder)/name") ?? folder, isSoftBlocked: flag("\(folder)/soft"),
                    isHardBlocked: flag("\(folder)/hard"))
            })
    }

    /// Rights of this process and of gateways that run.
    func rights(own pid: Int, wantsRadio: Bool?) -> RightsFacts {
        let others = processes().filter { $0.name == "regiond" && $0.pid != pid }
        let gateways = others.filter { arguments(of: $0.pid).first == "run" }
        return RightsFacts(
            own: effectiveCapabilities(of: "self"),
            gateways: gateways.map { .init(pid: $0.pid, effective: effectiveCapabilities(of: "\($0.pid)")) },
            wantsRadio: wantsRadio)
    }

    /// Programs that are known to command adapters, others of ours among them.
    ///
    /// - Parameters:
    ///   - own: This process.
    ///   - isAnswered: Whether a gateway answers.
    ///   - taken: How often its scan was changed; nil: it has no radio.
    ///   - hearsScan: Whether reports came where none answers.
    func scanners(own pid: Int, isAnswered: Bool, taken: Int64? = nil, hearsScan: Bool? = nil) -> ScannersFacts {
        let running = processes()
        let ours = running.filter { $0.name == ScannersFacts.own && $0.pid != pid && mayScan($0.pid) }
        // Which of several gateways it is that answers cannot be told.
        let gateways = ours.filter { arguments(of: $0.pid).first == "run" }
        let others = isAnswered && gateways.count == 1 ? ours.filter { $0 != gateways[0] } : ours
        let known = running.filter { ScannersFacts.known.contains($0.name) || others.contains($0) }
        return ScannersFacts(programs: running.isEmpty ? nil : known, taken: taken, hearsScan: hearsScan)
    }

    /// Whether a process of ours may command an adapter, by what it was told and by its sockets, where they can be seen.
    private func mayScan(_ pid: Int) -> Bool {
        let words = arguments(of: pid)
        let listens = ["run", "beacons"].contains(words.first) || words.contains("--radio")
        guard words.first != nil, listens else { return false }
        let sockets = DirectoryList.names(in: root + "/proc/\(pid)/fd").compactMap { target("/proc/\(pid)/fd/\($0)") }
        guard !sockets.isEmpty, let list = text("/proc/net/hci") else { return true }
        // sk RefCnt Rmem Wmem User Inode Parent
        let inodes = list.split(separator: "\n").dropFirst().compactMap { line -> Substring? in
            let fields = line.split(separator: " ")
            return fields.count > 5 ? fields[5] : nil
        }
        return inodes.contains { sockets.contains("socket:[\($0)]") }
    }

    /// Where a link leads; nil: not to be seen.
    private func target(_ path: String) -> String? {
        var bytes = [CChar](repeating: 0, count: 128)
        let length = unsafe readlink(root + path, &bytes, bytes.count)
        return length > 0 ? String(decoding: bytes.prefix(length).map { UInt8(bitPattern: $0) }, as: UTF8.self) : nil
    }

    private func processes() -> [ScannersFacts.Program] {
        DirectoryList.names(in: root + "/proc").compactMap { name in
            guard let pid = Int(name), let command = text("/proc/\(name)/comm") else { return nil }
            return ScannersFacts.Program(name: command, pid: pid)
        }.sorted { $0.pid < $1.pid }
    }

    /// Zero bytes stand between them.
    private func arguments(of pid: Int) -> [String] {
        let bytes = (try? TextFile.read(root + "/proc/\(pid)/cmdline", limit: 1 << 20)) ?? []
        return bytes.split(separator: 0).dropFirst().map { String(decoding: $0, as: UTF8.self) }
    }

    private func effectiveCapabilities(of process: String) -> UInt64? {
        let line = text("/proc/\(process)/status")?.split(separator: "\n").first { $0.hasPrefix("CapEff:") }
        return line?.split(whereSeparator: { $0 == "\t" || $0 == " " }).last.flatMap { UInt64($0, radix: 16) }
    }

    private func flag(_ path: String) -> Bool? { text(path).flatMap { $0 == "1" ? true : $0 == "0" ? false : nil } }

    /// A small file without the line's end at its end; nil when it cannot be read.
    func text(_ path: String) -> String? {
        guard var bytes = try? TextFile.read(root + path, limit: 1 << 16) else { return nil }
        while bytes.last == UInt8(ascii: "\n") { bytes.removeLast() }
        return String(decoding: bytes, as: UTF8.self)
    }

    private func isThere(_ path: String) -> Bool { unsafe access(root + path, F_OK) == 0 }
}

extension KernelLook {
    /// Asks for a socket and closes it at once: nothing is sent.
    static func ask() -> KernelLook {
        let (bluetooth, hci): (CInt, CInt) = (31, 1)  // AF_BLUETOOTH, BTPROTO_HCI: of no header Glibc has.
        let descriptor = socket(bluetooth, Int32(SOCK_RAW.rawValue) | Int32(SOCK_CLOEXEC.rawValue), hci)
        guard descriptor >= 0 else { return .refused(errno) }
        close(descriptor)
        return .opened
    }
}

extension DiskFacts {
    /// Looks at the folder that a store lies in.
    init(store: String) {
        let parts = store.split(separator: "/", omittingEmptySubsequences: false).dropLast()
        let joined = parts.joined(separator: "/")
        let path = joined.isEmpty ? (store.hasPrefix("/") ? "/" : ".") : joined
        self.init(path: path, folder: Self.look(at: path))
        var system = statvfs()
        guard let nearest = Self.nearest(to: path), unsafe statvfs(nearest, &system) == 0 else { return }
        free = Int64(clamping: UInt64(system.f_bavail) * UInt64(system.f_frsize))
        isReadOnly = system.f_flag & UInt(ST_RDONLY) != 0
        if folder == .missing, unsafe access(nearest, W_OK | X_OK) != 0 {
            folder = .hidden("it is not there, and this user may not make it in \(nearest)")
        }
    }

    private static func look(at path: String) -> Folder {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else {
            return errno == ENOENT ? .missing : .hidden(unsafe String(cString: strerror(errno)))
        }
        return .there(isWritable: unsafe access(path, W_OK | X_OK) == 0, isOwn: status.st_uid == geteuid())
    }

    /// The folder itself or the nearest above it that is there.
    private static func nearest(to path: String) -> String? {
        var path = path
        while unsafe access(path, F_OK) != 0 {
            guard let slash = path.lastIndex(of: "/") else { return "." }
            path = slash == path.startIndex ? "/" : String(path[..<slash])
        }
        return path
    }
}

extension ClockFacts {
    /// Reads both clocks.
    static func read() -> ClockFacts {
        let anchor = BoxClock.anchor()
        return ClockFacts(wallTime: anchor.wallTime, isSynchronised: anchor.synchronised, boot: anchor.instant)
    }
}
