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
    private var control: ScanControl
    private var schedule: FilterSchedule
    // Checking at run time that two accesses never overlap costs more than reading a frame. Sound: a radio calls nobody
    // back, and belongs to one thread.
    @exclusivity(unchecked) private var batch = ReceiveBatch()
    private var socket: HCISocket?
    /// Up to here everything that waited was read.
    private var drainedAt: Instant
    /// The instant of the last input: none goes back behind it.
    private var lastInstant: Instant
    /// Clocks as they were when the batch was read.
    private var readAt: (boot: Instant, wallNanoseconds: Int64)
    private var delivered: UInt64 = 0
    private var lost: UInt64 = 0
    private var isFiltered = false
    /// Counts the sockets that were opened: descriptors are numbers that come back.
    public private(set) var openings: UInt64 = 0

    /// A radio that has not begun.
    public init(_ choice: AdapterChoice, duty: Duty, clocks: Clocks) {
        let now = clocks.boot()
        self.choice = choice
        self.clocks = clocks
        control = ScanControl(choice, duty: duty, at: now)
        schedule = FilterSchedule(from: now)
        drainedAt = now
        lastInstant = now
        readAt = (now, 0)
    }

    /// What becomes readable when something was received; nil while there is no socket.
    public var descriptor: Int32? { socket?.descriptor }

    /// When `next` has to be asked again, if nothing is received before.
    public var wakeAt: Instant { min(control.wakeAt, schedule.nextChange(after: drainedAt)) }

    /// How it stands.
    public var status: RadioStatus {
        var status = control.status
        status.delivered = delivered
        status.lost = lost
        status.isFiltered = isFiltered
        return status
    }

    /// A radio has no length.
    public var progress: Double? { nil }

    /// What happened since the last call, one sentence each.
    public func takeNotes() -> [String] { control.takeNotes() }

    /// The last report that carried data came at this instant.
    public func heard(at instant: Instant) {
        control.heard(at: instant)
        schedule.heard(at: instant)
    }

    /// The silence is taken for deafness.
    public func silent(at now: Instant) { control.silent(at: now) }

    /// Somebody looks at everything that is heard: nothing is hidden meanwhile.
    public func watched(at now: Instant) { schedule.watched(at: now) }

    /// Leaves the adapter as it was found.
    public func leave() {
        guard let farewell = control.farewell else { return }
        try? socket?.send(farewell.packet)  // It was tried; nobody is left to do more about it.
    }

    /// What happened since the last call, in order of hearing; nil: nothing is left for now.
    public func next(into frame: inout FrameBuffer) -> (input: SourceInput, instant: Instant)? {
        while true {
            if let input = control.takeInput() {
                lastInstant = max(lastInstant, input.instant)
                return (input.input, lastInstant)
            }
            if unsafe batch.next < batch.count { return take(into: &frame) }
            let now = clocks.boot()
            if let request = control.next(at: now) {
                carryOut(request, at: now)
                continue
            }
            filter(at: now)
            guard read(at: now) else { return nil }
        }
    }

    // MARK: Receiving

    private func read(at now: Instant) -> Bool {
        readAt = (now, clocks.wallNanoseconds())
        do throws(HCIError) {
            guard unsafe try socket?.receive(into: &batch) == true else {
                drainedAt = now
                return false
            }
            return true
        } catch {
            control.broke(at: now)
            return true  // It has something to say about it.
        }
    }

    /// The next packet of the batch.
    private func take(into frame: inout FrameBuffer) -> (input: SourceInput, instant: Instant)? {
        let place = unsafe batch.next
        unsafe batch.next = place + 1
        let length = unsafe min(Int(batch.lengths[place]), ReceiveBatch.room)
        let start = place * ReceiveBatch.room
        frame.refill { storage in
            unsafe storage.append(contentsOf: batch.bytes[start..<(start + length)])
        }
        delivered += 1
        let instant = unsafe received(batch.stamps[place])
        let span = frame.storage.span.extracting(0..<frame.count)
        if !AdvertisingParser.isAdvertising(span) { control.event(span, at: instant) }
        return (.frame, instant)
    }

    /// When a packet was received: the stamps are made by a clock that may be stepped, so that only their age counts,
    /// and it is no older than the last time when nothing waited.
    private func received(_ stamp: Int64) -> Instant {
        let age = stamp > 0 ? readAt.wallNanoseconds - stamp : 0
        let instant = max(drainedAt, readAt.boot - .nanoseconds(max(0, age)))
        lastInstant = max(lastInstant, min(instant, readAt.boot))
        return lastInstant
    }

    // MARK: Requests

    private func carryOut(_ request: ScanControl.Request, at now: Instant) {
        switch request {
        case .look:
            do throws(AdapterListError) {
                control.looked(try AdapterList.read(), at: now)
            } catch { control.failed(error.fault, at: now) }
            lost += socket?.dropped() ?? 0
        case .open(let adapter):
            do throws(HCIError) {
                try open(adapter)
                control.opened(at: now)
            } catch { control.failed(error.fault, at: now) }
        case .send(let command):
            do throws(HCIError) {
                try socket?.send(command.packet)
            } catch { control.failed(error.fault, at: now) }
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
