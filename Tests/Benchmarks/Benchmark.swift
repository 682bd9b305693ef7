// SPDX-License-Identifier: GPL-2.0-or-later

/// What the program can measure, one row a sub-command.
enum Benchmark: String, CaseIterable {
    case hot, mallocs, memory, instructions

    private var summary: String {
        switch self {
        case .hot:
            """
            hot --corpus FILE --stream FOLDER [--rounds N]
                ns and ratio to C of decoding, matching, and the engine, interleaved in one process;
                FILE is corpus.h4 of gen_corpus.py, FOLDER is what gen_stream.py wrote
            """
        case .mallocs:
            """
            mallocs
                allocations in 100,000 reports of each kind; every one is too many
            """
        case .memory:
            """
            memory
                bytes that a registered and a heard beacon keep
            """
        case .instructions:
            """
            instructions PATH COUNT [--stream FOLDER]
                takes one path so many times, for callgrind: run it with N and 2 N, the difference is N times the path;
                PATH is one of \(InstructionPath.allCases.map(\.rawValue).joined(separator: ", "))
            """
        }
    }

    /// Runs what the arguments say; gives the exit code: 0 done, 1 a gate is broken, 2 usage.
    static func run(_ arguments: [String]) -> Int32 {
        guard let options = Options(arguments) else {
            print("Benchmarks [--json] COMMAND\n\n" + allCases.map(\.summary).joined(separator: "\n"))
            return arguments == ["--help"] ? 0 : 2
        }
        var report = Report(isJSON: options.isJSON)
        do {
            switch options.command {
            case .hot: try HotPath(options).measure(into: &report)
            case .mallocs: Mallocs.measure(into: &report)
            case .memory: Memory.measure(into: &report)
            case .instructions: try options.path?.take(options.count, options)
            }
        } catch {
            print("Benchmarks: \(error)")
            return 1
        }
        return report.isBroken ? 1 : 0
    }
}

/// The command line, read.
struct Options {
    var command: Benchmark
    var path: InstructionPath?
    var count = 0
    var corpus: String?
    var stream: String?
    var rounds = 15
    var isJSON = false

    /// Nil: usage.
    init?(_ arguments: [String]) {
        var words: [String] = []
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            switch argument {
            case "--json": isJSON = true
            case "--corpus": corpus = rest.popFirst()
            case "--stream": stream = rest.popFirst()
            case "--rounds":
                guard let number = rest.popFirst().flatMap({ Int($0) }), number > 0 else { return nil }
                rounds = number
            default: words.append(argument)
            }
        }
        guard let command = words.first.flatMap(Benchmark.init) else { return nil }
        self.command = command
        switch command {
        case .hot: guard words.count == 1, corpus != nil, stream != nil else { return nil }
        case .mallocs, .memory: guard words.count == 1 else { return nil }
        case .instructions:
            guard words.count == 3, let path = InstructionPath(rawValue: words[1]), let count = Int(words[2]),
                count > 0, path != .whole || stream != nil
            else { return nil }
            self.path = path
            self.count = count
        }
    }
}
