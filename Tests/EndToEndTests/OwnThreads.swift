// SPDX-License-Identifier: GPL-2.0-or-later

import Foundation
import Testing

/// Tests that wait for other processes do so on threads of their own: on those of the test runner, one for each
/// processor, they would hold up tests that compute.
struct OwnThreads: SuiteTrait, TestTrait, TestScoping {
    let isRecursive = true

    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        guard testCase != nil else { return try await function() }
        try await withTaskExecutorPreference(WaitingThreads.shared) { try await function() }
    }
}

extension Trait where Self == OwnThreads {
    /// On threads of their own.
    static var ownThreads: OwnThreads { OwnThreads() }
}

/// A few threads that carry out jobs in turn. Each may hold a gateway and its controller: more would disturb each
/// other's times.
private final class WaitingThreads: TaskExecutor, @unchecked Sendable {
    // Sound although unchecked: `jobs` is touched under `condition` alone.
    static let shared = WaitingThreads()

    private static let count = 5
    private let condition = NSCondition()
    private var jobs: [UnownedJob] = []

    private init() {
        for _ in 0..<Self.count { Thread { self.work() }.start() }
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        condition.lock()
        jobs.append(job)
        condition.signal()
        condition.unlock()
    }

    private func work() -> Never {
        while true {
            condition.lock()
            while jobs.isEmpty { condition.wait() }
            let job = jobs.removeFirst()
            condition.unlock()
            unsafe job.runSynchronously(on: asUnownedTaskExecutor())
        }
    }
}
