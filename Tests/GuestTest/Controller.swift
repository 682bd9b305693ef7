// SPDX-License-Identifier: GPL-2.0-or-later

import Foundation
import Glibc
import TestKit

/// A virtual controller of its own, told what to hear as the scenario goes. Times are its own, in seconds.
final class Controller {
    /// What it printed.
    private struct Line {
        let at: Double
        let text: Substring
    }

    let address: String
    private let process: ChildProcess
    private let script: Int32
    private var lines: [Line] = []
    private var marks = 0

    /// Plugs it in. It is not powered yet.
    init(program: String, address: String, extended: Bool, folder: Folder) throws {
        self.address = address
        let path = folder.file("controller-\(address)")
        // Open for both ways, so that neither end waits for the other.
        guard unsafe mkfifo(path, 0o600) == 0 else { throw Obstacle("no FIFO at \(path)") }
        script = unsafe open(path, O_RDWR | O_CLOEXEC)
        process = try ChildProcess(program, (extended ? ["-x"] : []) + ["-a", address, path])
        _ = try awaitLine(within: 10) { $0.hasPrefix("hci") }
    }

    deinit { close(script) }

    /// Hands it steps of its script.
    func tell(_ steps: String...) {
        let text = steps.joined(separator: "\n") + "\n"
        _ = unsafe write(script, text, text.utf8.count)
    }

    /// Which number the kernel gave it last.
    var index: Int {
        hear()
        return lines.last { $0.text.hasPrefix("hci") }.flatMap { Int($0.text.dropFirst(3)) } ?? -1
    }

    /// Its name in tools.
    var device: String { "hci\(index)" }

    /// Powers it on, as the system's power unit does: again and again until it takes.
    func power() throws {
        let isUp = try eventually(within: 15, every: 0.1) {
            try Tool.run(["/usr/bin/hciconfig", device, "up"]).code == 0
        }
        guard isUp else { throw Obstacle("\(device) does not come up") }
    }

    /// Its present time.
    func mark() throws -> Double {
        marks += 1
        let text = "mark \(marks)"
        tell("say \(text)")
        return try awaitLine { $0 == text }
    }

    /// How many reports it has sent.
    func sent() throws -> Int64 {
        hear()
        let before = lines.count
        tell("count")
        guard
            let found =
                eventually(
                    within: 5, every: 0.02,
                    {
                        hear()
                        return lines[before...].contains { $0.text.hasPrefix("sent ") }
                    }) ? lines.last(where: { $0.text.hasPrefix("sent ") }) : nil
        else { throw Obstacle("the controller does not count") }
        return Int64(found.text.split(separator: " ")[1]) ?? -1
    }

    /// What it has printed, with its times.
    var said: [String] {
        hear()
        return lines.map { "\(tenths($0.at)) \($0.text)" }
    }

    /// When the scan began that goes on now and hears everything; nil where there is none.
    var scanBegan: Double? {
        hear()
        var began: Double?
        var isWhole = false
        var isMute = false
        for line in lines {
            switch line.text {
            case "mute": isMute = true
            case "hearing": isMute = false
            case "gone", "scan off": isWhole = false
            case let text where text.hasPrefix("scan on"): isWhole = text.hasSuffix("passive all every")
            default: continue
            }
            began = isWhole && !isMute ? began ?? line.at : nil
        }
        return began
    }

    /// Waits for something it prints and gives its time.
    @discardableResult
    func awaitLine(within seconds: Double = 5, where fits: (Substring) -> Bool) throws -> Double {
        var found: Line?
        let came = eventually(within: seconds, every: 0.02) {
            hear()
            found = lines.last { fits($0.text) }
            return found != nil
        }
        guard came, let found else { throw Obstacle("the controller is silent: \(process.text(.errors))") }
        return found.at
    }

    /// Takes what it printed since.
    private func hear() {
        while let line = process.line(within: .milliseconds(3)) {
            let parts = line.split(separator: " ", maxSplits: 1)
            guard parts.count == 2, let milliseconds = Double(parts[0]) else { continue }
            lines.append(Line(at: milliseconds / 1_000, text: parts[1]))
        }
    }
}
