// SPDX-License-Identifier: GPL-2.0-or-later

import Foundation
import TestKit
import Testing

@testable import Gateway

struct SystemLookTests {
    private let folder: Folder
    private var look: SystemLook { SystemLook(root: folder.path) }

    init() throws { folder = try Folder() }

    private func write(_ path: String, _ text: String) throws {
        let whole = folder.file(path)
        let parent = URL(fileURLWithPath: whole).deletingLastPathComponent()
        try FileManager.default.createDirectory(at: parent, withIntermediateDirectories: true)
        try folder.write(path, text)
    }

    @Test func `nothing of Bluetooth is known as that, not as no adapter`() {
        #expect(look.adapters().adapters == nil)
        #expect(look.rfkill().switches == nil)
        #expect(look.scanners(own: 1, isAnswered: false).programs == nil)
        #expect(look.rights(own: 1, wantsRadio: nil) == RightsFacts(own: nil))
    }

    @Test func `adapters are those of the kernel's folders, in the order of their numbers`() throws {
        for name in ["hci10", "hci2", "hci2:64", "rfkill0"] { try write("sys/class/bluetooth/\(name)/x", "") }
        #expect(look.adapters().adapters?.map(\.name) == ["hci2", "hci10"])
    }

    @Test func `switches of Wi-Fi are none of ours`() throws {
        for (name, type, soft) in [("rfkill0", "wlan", "1"), ("rfkill1", "bluetooth", "1")] {
            try write("sys/class/rfkill/\(name)/type", type + "\n")
            try write("sys/class/rfkill/\(name)/name", "radio of \(type)\n")
            try write("sys/class/rfkill/\(name)/soft", soft + "\n")
        }
        try write("sys/class/rfkill/rfkill1/hard", "0\n")
        #expect(
            look.rfkill().switches == [
                .init(name: "radio of bluetooth", isSoftBlocked: true, isHardBlocked: false)
            ])
    }

    @Test func `gateways are found by what they were told, and other programs by name`() throws {
        try write("proc/self/status", "Name:\tregiond\nCapEff:\t0000000000000000\n")
        let processes = [
            (10, "regiond", "/usr/bin/regiond\0run\0hci:0\0", "0000000000002000"),
            (11, "regiond", "regiond\0events\0", "0"), (12, "regiond", "regiond\0run\0", "1ffffffffff"),
            (13, "bluetoothd", "/usr/libexec/bluetooth/bluetoothd\0", "0"), (14, "bash", "bash\0", "0"),
        ]
        for (pid, name, arguments, capabilities) in processes {
            try write("proc/\(pid)/comm", name + "\n")
            try write("proc/\(pid)/cmdline", arguments)
            try write("proc/\(pid)/status", "Name:\t\(name)\nCapPrm:\t0\nCapEff:\t\(capabilities)\n")
        }
        let rights = look.rights(own: 12, wantsRadio: true)
        #expect(rights.own == 0)
        #expect(rights.gateways == [.init(pid: 10, effective: 0x2000)])
        let daemon = ScannersFacts.Program(name: "bluetoothd", pid: 13)
        #expect(look.scanners(own: 12, isAnswered: false).programs == [.init(name: "regiond", pid: 10), daemon])
        // The one that answers is no other.
        #expect(look.scanners(own: 12, isAnswered: true).programs == [daemon])
    }

    @Test func `others of ours that command an adapter are named, and those that only ask are not`() throws {
        try write("proc/net/hci", "sk RefCnt Rmem Wmem User Inode Parent\n0 2 0 0 0 777 0\n")
        let processes = [
            (20, "run\0", 777), (21, "beacons\0hci:0\0", 777), (22, "beacons\0hci:0\0", 778), (23, "check\0", 777),
            (24, "doctor\0--radio\09\0", 777), (25, "run\0simulated:hall\0", 779), (26, "run\0", nil),
        ]
        for (pid, arguments, inode) in processes {
            try write("proc/\(pid)/comm", "regiond\n")
            try write("proc/\(pid)/cmdline", "regiond\0\(arguments)")
            guard let inode else { continue }
            try write("proc/\(pid)/fd/.keep", "")
            try FileManager.default.createSymbolicLink(
                atPath: folder.file("proc/\(pid)/fd/3"), withDestinationPath: "socket:[\(inode)]")
        }
        // 26 cannot be looked into, so that it may.
        #expect(look.scanners(own: 1, isAnswered: false).programs?.map(\.pid) == [20, 21, 24, 26])
        #expect(look.scanners(own: 1, isAnswered: true).programs?.map(\.pid) == [20, 21, 24, 26])
        #expect(look.scanners(own: 26, isAnswered: true).programs?.map(\.pid) == [21, 24])
    }

    @Test func `a store's folder is looked at, or the nearest above it`() {
        let here = DiskFacts(store: folder.file("run.db"))
        #expect(here.path == folder.path)
        #expect(here.folder == .there(isWritable: true, isOwn: true))
        #expect(here.free > 0)
        let deeper = DiskFacts(store: folder.file("not/there/run.db"))
        #expect(deeper.folder == .missing)
        #expect(deeper.free > 0)
    }
}
