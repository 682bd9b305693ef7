// SPDX-License-Identifier: GPL-2.0-or-later

import RegionCore
import Time

/// A live radio: carries out what `ScanControl` asks for, and gives what is heard.
///
/// `next` gives nil when nothing waits; it is to be asked again when `descriptor` is readable, or at `wakeAt`. It
/// never ends and never throws: what goes wrong is a state, a note, and something to be tried again.
public final class HCIRadio: FrameSource {
    /// The box's clocks, read by whoever owns this.
    public struct Clocks: Sendable {
        /// The boot clock.
        let boot: @Sendable () -> Instant
        /// The wall clock, nanoseconds: the kernel's receive stamps are made by it.
        let wallNanoseconds: @Sendable () -> Int64

        /// Clocks that are read so.
        public init(boot: @escaping @Sendable () -> Instant, wallNanoseconds: @escaping @Sendable () -> Int64) {
            self.boot = boot
            self.wallNanoseconds = wallNanoseconds
        }
    }

    private let choice: AdapterChoice
    private let clocks: Clocks
    // Checking at run time that two accesses never overlap costs more than reading a frame. Sound: a radio calls nobody
    // back, and belongs to one thread.
    @exclusivity(unchecked) private var control: ScanControl
    @exclusivity(unchecked) private var batch = ReceiveBatch()
    @exclusivity(unchecked) private var counts = Counts()
    private var schedule: FilterSchedule
    private var socket: HCISocket?
    private var isFiltered = false
    /// Counts the sockets that were opened: descriptors are numbers that come back.
    public private(set) var openings: UInt64 = 0

    /// What changes with every frame.
    private struct Counts {
        var delivered: UInt64 = 0
        var lost: UInt64 = 0
        /// Up to here everything that waited was read; nanoseconds of the boot clock.
        var drainedAt: Int64 = 0
        /// The instant of the last input: none goes back behind it.
        var lastInstant: Int64 = 0
        /// The clocks as they were when the batch was read.
        var readAt: (boot: Int64, wall: Int64) = (0, 0)
        /// Nothing waited at the last reading: no need to ask again before the next wait.
        var isDrained = false
    }

    /// A radio that has not begun.
    public init(_ choice: AdapterChoice, duty: Duty, clocks: Clocks) {
        let now = clocks.boot()
        self.choice = choice
        self.clocks = clocks
        unsafe control = ScanControl(choice, duty: duty, at: now)
        schedule = FilterSchedule(from: now)
        unsafe counts.drainedAt = now.nanoseconds
        unsafe counts.lastInstant = now.nanoseconds
    }

    /// What becomes readable when something was received; nil while there is no socket.
    public var descriptor: Int32? { socket?.descriptor }

    /// When `next` has to be asked again, if nothing is received before.
    public var wakeAt: Instant { unsafe min(control.wakeAt, schedule.nextChange(after: clocks.boot())) }

    /// How it stands.
    public var status: RadioStatus {
        var status = unsafe control.status
        status.delivered = unsafe counts.delivered
        status.lost = unsafe counts.lost
        status.isFiltered = isFiltered
        return status
    }

    /// A radio has no length.
    public var progress: Double? { nil }

    /// What happened since the last call, one sentence each.
    public func takeNotes() -> [String] { unsafe control.takeNotes() }

    /// The last report that carried data came at this instant.
    public func heard(at instant: Instant) {
        unsafe control.heard(at: instant)
        schedule.heard(at: instant)
    }

    /// The silence is taken for deafness.
    public func silent(at now: Instant) { unsafe control.silent(at: now) }

    /// Somebody looks at everything that is heard: nothing is hidden meanwhile.
    public func watched(at now: Instant) { schedule.watched(at: now) }

    /// The adapter that is this one's to use: the one it was found with, or was told by address; nil: none yet.
    public var ownAdapter: DeviceAddress? { unsafe control.ownAdapter }

    /// These adapters are others' to use.
    public func leave(toOthers addresses: [DeviceAddress]) { unsafe control.othersAdapters = addresses }

    /// Leaves the adapter as it was found.
    public func leave() {
        guard let farewell = unsafe control.farewell else { return }
        try? socket?.send(farewell.packet)  // It was tried; nobody is left to do more about it.
    }

    /// What happened since the last call, in order of hearing; nil: nothing is left for now.
    public func next(into frame: inout FrameBuffer) -> (input: SourceInput, instant: Instant)? {
        while true {
            if unsafe batch.next < batch.count { return take(into: &frame) }
            if let input = unsafe control.takeInput() {
                unsafe counts.lastInstant = max(counts.lastInstant, input.instant.nanoseconds)
                return unsafe (input.input, Instant(nanoseconds: counts.lastInstant))
            }
            let now = clocks.boot()
            // What waits was heard before whatever is found out now, and would be lost with the socket.
            if read(at: now) { continue }
            if let request = unsafe control.next(at: now) {
                carryOut(request, at: now)
                continue
            }
            filter(at: now)
            unsafe counts.isDrained = false
            return nil
        }
    }

    // MARK: Receiving

    /// Refills the batch; false when nothing waits, or nothing did since `next` last gave nil.
    private func read(at now: Instant) -> Bool {
        if unsafe counts.isDrained { return false }
        unsafe counts.readAt = (now.nanoseconds, clocks.wallNanoseconds())
        do throws(HCIError) {
            let isAnything = unsafe try socket?.receive(into: &batch) ?? false
            // Only a socket that says that nothing waits is known to work still: a broken one gives first what waits.
            unsafe counts.isDrained = !isAnything
            if !isAnything { unsafe counts.drainedAt = now.nanoseconds }
            return isAnything
        } catch {
            // It worked when it was last read; since when not, nobody knows.
            socket = nil
            isFiltered = false
            unsafe counts.isDrained = true
            unsafe control.broke(at: now, workedUntil: Instant(nanoseconds: counts.drainedAt))
            return true  // It has something to say about it.
        }
    }

    /// The next packet of the batch.
    private func take(into frame: inout FrameBuffer) -> (input: SourceInput, instant: Instant)? {
        let stamp = unsafe batch.take(into: &frame)
        unsafe counts.delivered += 1
        let instant = Instant(nanoseconds: received(stamp))
        let span = frame.storage.span.extracting(0..<frame.count)
        if !AdvertisingParser.isAdvertising(span) { unsafe control.event(span, at: instant) }
        return (.frame, instant)
    }

    /// When a packet was received, nanoseconds of the boot clock: the stamps are made by a clock that may be stepped, so
    /// that only their age counts, and it is no older than the last time when nothing waited.
    private func received(_ stamp: Int64) -> Int64 {
        let read = unsafe counts.readAt
        let age = stamp > 0 ? max(0, read.wall - stamp) : 0
        let instant = unsafe min(max(counts.drainedAt, read.boot - age), read.boot)
        unsafe counts.lastInstant = max(counts.lastInstant, instant)
        return unsafe counts.lastInstant
    }

    // MARK: Requests

    private func carryOut(_ request: ScanControl.Request, at now: Instant) {
        switch request {
        case .look:
            do throws(AdapterListError) {
                unsafe control.looked(try AdapterList.read(), at: now)
            } catch { unsafe control.failed(error.fault, at: now) }
            unsafe counts.lost += socket?.dropped() ?? 0
        case .open(let adapter):
            do throws(HCIError) {
                try open(adapter)
                unsafe control.opened(at: now)
            } catch { unsafe control.failed(error.fault, at: now) }
        case .send(let command):
            do throws(HCIError) {
                try socket?.send(command.packet)
            } catch { unsafe control.failed(error.fault, at: now) }
        case .close:
            socket = nil
            isFiltered = false
        }
    }

    private func open(_ adapter: Adapter?) throws(HCIError) {
        if let adapter {
            socket = try HCISocket.open(adapter: adapter.index)
        } else if case .socket(let path) = choice {
            socket = try HCISocket.connect(path: path)
        }
        openings += 1
    }

    private func filter(at now: Instant) {
        let hides = schedule.hides(at: now)
        guard hides != isFiltered, let isDone = socket?.apply(hides ? .iBeacon : nil) else { return }
        isFiltered = hides && isDone
    }
}
