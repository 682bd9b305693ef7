// SPDX-License-Identifier: GPL-2.0-or-later

import HallSimulator
import RadioCapture
import RadioHCI
import RegionCore
import Time

extension SourceText {
    /// A simulated hall by the name of its plan.
    static func hall(_ plan: String, seed: UInt64) -> SimulatedHall {
        SimulatedHall(seed: seed, plan: plans.first { $0.name == plan }?.plan ?? .hall)
    }

    /// Why the registry's exit times do not fit the duty cycle: a rhythm of exits would follow.
    func dutyProblem(with registry: Registry) -> String? {
        guard let cycle = duty.cycleLength, registry.shortestExit < cycle * 2 else { return nil }
        return "exit \(registry.shortestExit.inSeconds) s is shorter than two cycles of duty \(duty.rawValue) "
            + "(\((cycle * 2).inSeconds) s): set exit to that at least"
    }

    /// Opens the source at one of its moments.
    func open(at beginning: Instant, until end: Instant?, skipsBadLines: Bool = false) throws(GatewayError)
        -> any FrameSource
    {
        switch kind {
        case .radio(let choice): return HCIRadio(choice, duty: duty, clocks: BoxClock.forRadio)
        case .hall(let plan, let seed):
            return HallSource(hall: Self.hall(plan, seed: seed), from: beginning, until: end, duty: duty)
        case .capture(let path):
            do throws(SourceError) {
                let capture = try CaptureSource(path: path, skipsBadLines: skipsBadLines)
                return beginning == .boot ? capture : LaterCapture(capture, from: beginning)
            } catch { throw GatewayError(error) }
        }
    }
}

extension FrameSource {
    /// What a capture's reader met so far; nil for other sources.
    var captureStatus: CaptureStatus? { (self as? CaptureSource ?? (self as? LaterCapture)?.capture)?.status }
}

extension BtsnoopWriter {
    /// The recording of `--record FILE`, where it is given.
    static func forRecording(_ path: String?) throws(GatewayError) -> BtsnoopWriter? {
        guard let path else { return nil }
        do throws(SourceError) { return try create(path: path) } catch { throw GatewayError(error) }
    }
}

/// A capture from a moment on: what lies before it was not heard.
private struct LaterCapture: FrameSource {
    let capture: CaptureSource
    private let beginning: Instant

    init(_ capture: CaptureSource, from beginning: Instant) {
        self.capture = capture
        self.beginning = beginning
    }

    var progress: Double? { capture.progress }

    mutating func next(into frame: inout FrameBuffer) throws(SourceError) -> (input: SourceInput, instant: Instant)? {
        while let next = try capture.next(into: &frame) {
            if next.instant >= beginning { return next }
        }
        return nil
    }
}
