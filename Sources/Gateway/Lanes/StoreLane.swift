// SPDX-License-Identifier: GPL-2.0-or-later

import RegionCore
import StoreSQLite
import Time

/// Stop 5: the one thread that writes. It commits what waits, then lets the tellers know.
struct StoreLane: ~Copyable {
    private let store: EventStore
    private let mailbox: Mailbox
    private let board: StatusBoard
    /// Told the newest seq after each commit.
    private let committed: @Sendable (Int64) -> Void
    /// Told of a registry that has become a settings version.
    private let registryStored: @Sendable (Registry, Int64) -> Void
    private let configuration: String
    private let anchor: ClockAnchor
    private var commits = RecentCommits()
    private var failure: String?

    /// How it waits.
    private enum Pace {
        /// With more commits than this in the last second …
        static let busyCommits = 20
        /// … what comes is collected for so long: it saves flash, and no subscriber can tell.
        static let collect = Duration.milliseconds(20)
        /// After a failed commit the first try follows after this, each later one after twice as long …
        static let firstRetry = Duration.milliseconds(500)
        /// … up to this.
        static let longestRetry = Duration.seconds(10)
        /// Tries at a stop, half a second apart.
        static let triesAtTheEnd = 10
        /// Without work it looks whether the write-ahead log is worth bringing home.
        static let idle = Duration.seconds(5)
    }

    init(
        store: EventStore, mailbox: Mailbox, board: StatusBoard, configuration: String, anchor: ClockAnchor,
        committed: @escaping @Sendable (Int64) -> Void,
        registryStored: @escaping @Sendable (Registry, Int64) -> Void
    ) {
        self.store = store
        self.mailbox = mailbox
        self.board = board
        self.configuration = configuration
        self.anchor = anchor
        self.committed = committed
        self.registryStored = registryStored
    }

    /// Works until the mailbox is closed and empty. Gives how many events could not be stored at the end: they were
    /// told to nobody.
    mutating func run() -> Int {
        var retry = Pace.firstRetry
        var lastTries = Pace.triesAtTheEnd
        while true {
            if commits.inLastSecond(at: BoxClock.now()) > Pace.busyCommits { mailbox.rest(atMost: Pace.collect) }
            guard let delivery = mailbox.look(atMost: Pace.idle) else {
                try? store.checkpointIfNeeded(idle: true)  // What is not brought home now is so later.
                continue
            }
            do throws(StoreError) {
                try commit(delivery)
                recover()
                retry = Pace.firstRetry
                if delivery.isClosed { return 0 }
            } catch {
                fail(error)
                if delivery.isClosed {
                    lastTries -= 1
                    if lastTries == 0 { return mailbox.standing.waiting + mailbox.standing.lost }
                    BoxClock.pause(Pace.firstRetry)
                } else {
                    mailbox.rest(atMost: retry)
                }
                retry = min(retry * 2, Pace.longestRetry)
            }
        }
    }

    /// Each part is taken out of the mailbox as soon as it is on disk, so that a later failure doubles nothing.
    private mutating func commit(_ delivery: Mailbox.Delivery) throws(StoreError) {
        if !delivery.batches.isEmpty {
            let events = try store.append(contentsOf: delivery.batches)
            mailbox.committed(delivery.batches.count)
            commits.add(at: BoxClock.now())
            board.add(events)
            if !events.isEmpty { committed(store.newestSeq) }
        }
        if let loss = delivery.loss {
            try store.recordLoss(
                count: loss.count, from: loss.from, to: loss.to, inside: loss.inside, anchor: anchor)
            mailbox.recorded(loss)
        }
        if let new = delivery.newRegistry {
            let version = try store.settingsVersion(
                registry: new.text, configuration: configuration, at: BoxClock.wallNow())
            mailbox.stored(new)
            registryStored(new.registry, version)
        }
        try? store.checkpointIfNeeded(idle: false)  // A log that stays long costs room, and no event.
    }

    /// One line for each change of state, however often it is tried.
    private mutating func fail(_ error: StoreError) {
        mailbox.storeFailed()
        let message = "The store is in trouble: \(error)."
        if message != failure { Console.say(message) }
        failure = message
        board.set(storeFailure: message)
    }

    private mutating func recover() {
        guard failure != nil else { return }
        failure = nil
        board.set(storeFailure: nil)
        Console.say("The store works again; what waited is stored.")
    }
}

/// When the last commits were made, as far as their number in the last second matters.
private struct RecentCommits {
    private var times: [Instant] = []

    mutating func add(at now: Instant) {
        times.append(now)
        if times.count > 64 { times.removeFirst(32) }
    }

    func inLastSecond(at now: Instant) -> Int { times.count { now - $0 < .seconds(1) } }
}
