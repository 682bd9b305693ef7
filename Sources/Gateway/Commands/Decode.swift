// SPDX-License-Identifier: GPL-2.0-or-later

import EventJSON
import Glibc
import JSONText
import RegionCore

/// What `regiond decode` is asked for.
public struct DecodeOptions: Sendable {
    /// Take every line as an HCI event.
    public var asHCI = false
    /// Take every line as advertising data.
    public var asAD = false
    /// Print JSON lines.
    public var json = false

    /// Nothing asked for yet.
    public init() {}
}

/// Decodes hex on standard input, one answer a line.
public enum Decode {
    /// Reads until the end of the input; throws at the end when lines were no hex.
    public static func run(_ options: DecodeOptions) throws(GatewayError) {
        guard !(options.asHCI && options.asAD) else {
            throw GatewayError(.usage, "--hci and --ad exclude each other; give none, and each line tells by itself")
        }
        if Console.isTerminal(0) { Console.say("Hex lines, please; Ctrl-D ends.") }
        var reader = DecodeReader(mode: options.asHCI ? .hci : options.asAD ? .ad : .automatic)
        var answers: [DecodeAnswer] = []
        var output = OutputBuffer()
        var faults = 0
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while output.isOpen {
            let count = unsafe buffer.withUnsafeMutableBytes { unsafe read(0, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw GatewayError(reading: "standard input", errno) }
            if count == 0 { break }
            reader.take(Array(buffer.prefix(count)), into: &answers)
            faults += print(&answers, json: options.json, to: &output)
            output.flush()  // A person, or a program at the other end of a pipe, waits for each line.
        }
        reader.finish(into: &answers)
        faults += print(&answers, json: options.json, to: &output)
        output.flush()
        if faults > 0 {
            throw GatewayError(.failed, "\(faults) lines were not read; each has its answer above")
        }
    }

    private static func print(
        _ answers: inout [DecodeAnswer], json: Bool, to output: inout OutputBuffer
    ) -> Int {
        var faults = 0
        for answer in answers {
            if case .fault = answer.outcome { faults += 1 }
            if json {
                var writer = JSONWriter()
                answer.write(to: &writer)
                output.line(writer.bytes)
            } else {
                output.line(answer.text)
            }
        }
        answers.removeAll(keepingCapacity: true)
        return faults
    }
}
