// SPDX-License-Identifier: GPL-2.0-or-later

import Time

/// What `regiond doctor` is asked for.
public struct DoctorOptions: Sendable {
    /// Files and settings.
    public var files = FileOptions()
    /// Print findings as JSON lines.
    public var json = false
    /// Pack what a distant colleague needs into this file.
    public var report: String?
    /// How long reports are counted, in seconds.
    public var listenSeconds: Int64 = 10

    /// Nothing asked for yet.
    public init() {}
}

/// Looks at each layer that a radio's report goes through, from the kernel to the port, and changes nothing.
public enum Doctor {
    /// Prints what it finds; throws when something is wrong.
    public static func run(_ options: DoctorOptions) throws(GatewayError) {
        guard (1...3_600).contains(options.listenSeconds) else {
            throw GatewayError(.usage, "--listen takes 1 to 3600 seconds, not \(options.listenSeconds)")
        }
        var examination = try examination(options)
        examination.listening = .seconds(options.listenSeconds)
        let report = try options.report.map { path throws(GatewayError) in try DoctorReport(path: path) }
        var findings: [Finding] = []
        let table = FindingTable(json: options.json)
        if Console.isTerminal(Console.errors) { Console.say("This takes \(Int(examination.longest.inSeconds)) s.") }
        examination.findings { finding in
            findings.append(finding)
            table.print(finding)
        }
        try report?.write(findings, examination)
        let wrong = findings.filter { $0.verdict == .wrong }.map(\.layer.rawValue)
        guard wrong.isEmpty else { throw GatewayError(.failed, "wrong: \(wrong.joined(separator: ", "))") }
    }

    /// A configuration that is refused is a finding, not the end.
    private static func examination(_ options: DoctorOptions) throws(GatewayError) -> Examination {
        do throws(GatewayError) {
            return Examination(configuration: try options.files.resolved())
        } catch  where error.kind != .usage {
            var configuration = Configuration()
            configuration.registry = options.files.registry
            configuration.database = options.files.database
            return Examination(configuration: configuration, refusal: "The configuration is refused: \(error)")
        }
    }
}

/// Prints findings one by one.
struct FindingTable {
    private let json: Bool
    private let ink = Ink.usual()
    private let width = Screen.isThere ? Screen.currentSize().columns : nil

    init(json: Bool) { self.json = json }

    func print(_ finding: Finding) {
        var output = OutputBuffer()
        if json {
            output.line(finding.json)
        } else {
            for line in finding.lines(width: width, ink: ink) { output.line(line) }
        }
        output.flush()
    }
}
