// SPDX-License-Identifier: GPL-2.0-or-later

/// Who is told about, or not: a beacon in a region, or a region as a whole.
struct WakeSubject: Hashable, Sendable {
    /// The region's place in the registry.
    var region: Int32
    /// The beacon's place in the registry; −1: the region as a whole.
    var beacon: Int32
}

/// The cooldowns that run (rule 7). Few at a time, and touched at events only.
struct Cooldowns: Sendable {
    /// One that runs.
    struct Running: Sendable {
        /// When it ends, nanoseconds.
        var until: Int64
        /// Exits that wait for that, in ledger order.
        var waiting: [EngineSnapshot.WaitingExit] = []
        /// Whether it began before the restart.
        var isRestored = false
    }

    private struct End: Sendable {
        var until: Int64
        var subject: WakeSubject

        var order: (Int64, Int32, Int32) { (until, subject.region, subject.beacon) }
    }

    private var running: [WakeSubject: Running] = [:]
    /// Latest first, so that the next one is the last element.
    private var ends: [End] = []

    /// When the next one ends.
    var nextEnd: Int64? { ends.last?.until }

    /// All that run, the next to end first.
    var inOrder: [(subject: WakeSubject, cooldown: Running)] {
        ends.reversed().compactMap { end in running[end.subject].map { (end.subject, $0) } }
    }

    /// Whether a subject's cooldown runs.
    func isRunning(for subject: WakeSubject) -> Bool { running[subject] != nil }

    /// Starts one; the subject has none.
    mutating func start(_ subject: WakeSubject, _ cooldown: Running) {
        running[subject] = cooldown
        let end = End(until: cooldown.until, subject: subject)
        var low = 0
        var high = ends.count
        while low < high {
            let middle = (low + high) / 2
            if ends[middle].order > end.order { low = middle + 1 } else { high = middle }
        }
        ends.insert(end, at: low)
    }

    /// Lets an exit wait for the end of its subject's cooldown.
    mutating func wait(_ exit: EngineSnapshot.WaitingExit, for subject: WakeSubject) {
        running[subject]?.waiting.append(exit)
    }

    /// Takes out the one that ends next.
    mutating func removeNext() -> (subject: WakeSubject, cooldown: Running)? {
        guard let end = ends.popLast(), let cooldown = running.removeValue(forKey: end.subject) else { return nil }
        if ends.isEmpty { self = Cooldowns() }  // Gives back the room of an hour when all came at once.
        return (end.subject, cooldown)
    }

    /// Ends a subject's cooldown before its time.
    mutating func remove(_ subject: WakeSubject) -> Running? {
        guard let cooldown = running.removeValue(forKey: subject) else { return nil }
        ends.removeAll { $0.subject == subject }
        return cooldown
    }
}
