// SPDX-License-Identifier: GPL-2.0-or-later

import RegionCore
import StoreSQLite
import Time

/// The thread for what may take its time: prints what is on disk, watches the registry file, keeps what was heard
/// before a fault.
///
/// It reads events back from the store instead of being handed them, so that a reader who is slow, or gone, holds up
/// nobody, and what is printed is what an audit will find.
struct ServiceLane: ~Copyable {
    /// What other lanes let it know.
    struct News {
        /// The newest seq that is on disk.
        var newestSeq: Int64 = 0
        /// Somebody wants the registry file looked at now.
        var wantsLook = false
        /// What went wrong with radios; of each the newest of what waits.
        var faults: [RadioFault] = []
        /// Nothing more will come.
        var isClosed = false

        mutating func put(_ fault: RadioFault) {
            faults.removeAll { $0.receiver == fault.receiver }
            faults.append(fault)
        }
    }

    private let events: EventReader
    private let news: Monitor<News>
    private var watch: RegistryWatch?
    private var printed: Int64
    private let form: EventForm
    private var output = PatientOutput()
    private var isPrinting = true
    private var faults: FaultRecordings

    /// How long it waits for whoever reads what it prints before it looks after the registry again.
    private static let readerPatience = Duration.seconds(1)
    /// How often the registry file is looked at: a stat.
    private static let pollEvery = Duration.seconds(2)
    /// Events read from the store at once.
    private static let page = 500

    init(
        events: EventReader, after seq: Int64, news: Monitor<News>, form: EventForm, watch: consuming RegistryWatch?,
        faults: FaultRecordings
    ) {
        self.events = events
        self.news = news
        self.form = form
        self.watch = watch
        self.faults = faults
        printed = seq
    }

    /// Works until it is told that nothing more will come.
    mutating func run() {
        while true {
            let known = printed
            var waiting: [RadioFault] = []
            let isClosed = news.wait(atMost: watch == nil ? .seconds(60) : Self.pollEvery) { news -> Bool? in
                defer { news.wantsLook = false }
                waiting = news.faults
                news.faults = []
                let isWanted = news.newestSeq > known || news.wantsLook || !waiting.isEmpty || news.isClosed
                return isWanted ? news.isClosed : nil
            }
            printNew()
            watch?.look()
            for fault in waiting { faults.record(fault, at: BoxClock.now()) }
            if isClosed == true { return }
        }
    }

    private mutating func printNew() {
        guard isPrinting else { return }
        do throws(StoreError) {
            while output.push(atMost: Self.readerPatience) {
                guard output.isOpen else {
                    isPrinting = false
                    return Console.say("Nobody reads the events printed here any more; the gateway goes on.")
                }
                let page = try events.events(after: printed, limit: Self.page)
                guard let last = page.last else { return }
                for event in page { output.line(form.line(event)) }
                printed = last.seq
            }
        } catch {
            Console.say("Events cannot be printed now: \(error)")
        }
    }
}
