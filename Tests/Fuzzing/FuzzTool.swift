// SPDX-License-Identifier: GPL-2.0-or-later

import CFuzzDriver
import Glibc

/// The command line: what to fuzz, and then libFuzzer's own options.
enum FuzzTool {
    private static let usage = """
        Fuzzing TARGET [libFuzzer options] [corpus folders]
        Fuzzing seeds TARGET FOLDER
        TARGET is one of \(FuzzTarget.allCases.map(\.rawValue).joined(separator: ", "))
        """

    /// Runs what the arguments say; gives the exit code.
    static func run() -> Int32 {
        let words = CommandLine.arguments.dropFirst()
        if words.first == "seeds", words.count == 3, let target = words.dropFirst().first.flatMap(FuzzTarget.init),
            let folder = words.last
        {
            return write(target.seeds, to: folder) ? 0 : 1
        }
        guard let target = words.first.flatMap(FuzzTarget.init) else {
            print(usage)
            return 2
        }
        // libFuzzer sees the program's name and then its own options.
        let arguments = unsafe CommandLine.unsafeArgv
        unsafe arguments[1] = arguments[0]
        var count = CommandLine.argc - 1
        var rest: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = unsafe arguments + 1
        return unsafe LLVMFuzzerRunDriver(&count, &rest, target.callback)
    }

    /// One file for each seed.
    private static func write(_ seeds: [[UInt8]], to folder: String) -> Bool {
        seeds.enumerated().allSatisfy { number, seed in
            let descriptor = unsafe open("\(folder)/seed-\(number)", O_WRONLY | O_CREAT | O_TRUNC, 0o644)
            guard descriptor >= 0 else { return false }
            defer { close(descriptor) }
            return unsafe Glibc.write(descriptor, seed, seed.count) == seed.count
        }
    }
}

/// What can be fuzzed. Each check traps where the code under it does, or where its answer cannot be true.
enum FuzzTarget: String, CaseIterable {
    /// HCI events with advertising reports.
    case events
    /// Advertising data alone.
    case advertising
    /// Extended reports in pieces, as a script that tells who sends what and when.
    case chains
    /// HCI events behind one another.
    case streams
    /// Captures as btsnoop.
    case btsnoop
    /// Captures as lines of sightings.
    case sightings
    /// JSON texts.
    case json
    /// Registry files.
    case registry

    /// What libFuzzer calls; it cannot carry a context.
    var callback: @convention(c) (UnsafePointer<UInt8>?, Int) -> Int32 {
        switch self {
        case .events: { unsafe check($0, $1, AdvertisingTarget.checkEvent) }
        case .advertising: { unsafe check($0, $1, AdvertisingTarget.checkData) }
        case .chains: { unsafe check($0, $1, AdvertisingTarget.checkChains) }
        case .streams: { unsafe check($0, $1, AdvertisingTarget.checkStream) }
        case .btsnoop: { unsafe check($0, $1, CaptureTarget.checkBtsnoop) }
        case .sightings: { unsafe check($0, $1, CaptureTarget.checkSightings) }
        case .json: { unsafe check($0, $1, JSONTarget.checkText) }
        case .registry: { unsafe check($0, $1, JSONTarget.checkRegistry) }
        }
    }

    /// Inputs to begin with: good ones of every kind.
    var seeds: [[UInt8]] {
        switch self {
        case .events: Seeds.events
        case .advertising: Seeds.advertisingData
        case .chains: Seeds.pieces
        case .streams: Seeds.streams
        case .btsnoop: Seeds.btsnoop
        case .sightings: Seeds.sightings
        case .json: Seeds.json
        case .registry: Seeds.registry
        }
    }
}

/// One input as an array.
private func check(_ data: UnsafePointer<UInt8>?, _ count: Int, _ body: ([UInt8]) -> Void) -> Int32 {
    body(unsafe Array(UnsafeBufferPointer(start: data, count: count)))
    return 0
}
