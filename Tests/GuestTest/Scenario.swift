// SPDX-License-Identifier: GPL-2.0-or-later

/// Something that happens to a gateway, and what must come of it.
struct Scenario: Sendable {
    /// When it runs. One phase begins when the one before it is over.
    enum Phase: CaseIterable, Sendable {
        /// No adapter is there yet.
        case first
        /// For the only gateway on the box: doctor looks at all that run.
        case alone
        /// The same, and others scan.
        case shared
        case beside
        /// For what is timed closely: two processors are all there are.
        case quiet
        /// It takes all adapters in hand.
        case last
    }

    let name: String
    var phase: Phase = .beside
    /// Seconds into its phase: long ones begin early, and what is measured keeps out of the way of what loads.
    var starts: Double = 0
    let body: @Sendable (Stage) throws -> Void

    /// All of them.
    static let all = withoutRadio + visits + severalRadios + load + faults + commands + recordings
}

extension Scenario {
    /// Plays it and reports what came of it.
    func perform(number: Int, programs: Programs, report: Report) {
        let start = ContinuousClock.now
        var problems: [String] = []
        var figures: [String] = []
        var recovery: Double?
        do {
            let stage = try Stage(number: number, programs: programs)
            do { try body(stage) } catch { stage.expect(false, "\(error)") }
            problems = stage.problems
            figures = stage.figures
            recovery = stage.recovery
        } catch {
            problems = ["\(error)"]
        }
        report.take(
            name, seconds: (ContinuousClock.now - start) / .seconds(1), problems: problems, figures: figures,
            recovery: recovery)
    }
}
