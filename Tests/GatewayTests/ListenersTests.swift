// SPDX-License-Identifier: GPL-2.0-or-later

import RegionCore
import Testing
import Time

@testable import Gateway

struct ListenersTests {
    /// Gives inputs at these seconds, and breaks at the end if it is to.
    private struct Script: FrameSource {
        var seconds: [Double]
        var breaks = false
        var progress: Double? { nil }

        mutating func next(
            into frame: inout FrameBuffer
        ) throws(SourceError) -> (input: SourceInput, instant: Instant)? {
            guard !seconds.isEmpty else {
                if breaks { throw SourceError("it broke") }
                return nil
            }
            let second = seconds.removeFirst()
            frame.refill { $0 = [UInt8(truncatingIfNeeded: Int(second * 10))] }
            return (.frame, .boot + .seconds(decimal: second))
        }
    }

    /// Played so that all of it is in the past.
    private func listeners(_ sources: [Script]) -> Listeners {
        let now = BoxClock.anchor()
        return Listeners(sources, clock: SourceClock(start: now.wallTime + .seconds(-10), speed: 1, now: now))
    }

    private func inputs(of listeners: inout Listeners) throws -> [String] {
        var inputs: [String] = []
        while let (source, input, _) = try listeners.next() {
            inputs.append(input == .frame ? "\(source):\(listeners[source].frame.bytes)" : "\(source):\(input)")
        }
        return inputs
    }

    @Test func `inputs of several sources come in the order in which they happened, each with its bytes`() throws {
        var listeners = listeners([Script(seconds: [0, 0.1, 0.1]), Script(seconds: [0, 0.1, 0.15])])
        listeners.catchUp()
        let heard = try inputs(of: &listeners).filter { !$0.contains("listening") }
        #expect(heard == ["0:[0]", "1:[0]", "0:[1]", "0:[1]", "1:[1]", "1:[1]"])
    }

    @Test func `a source that ends beside others leaves its receiver deaf, and the others going on`() throws {
        var listeners = listeners([Script(seconds: [0]), Script(seconds: [0, 3_600])])
        listeners.catchUp()
        #expect(try inputs(of: &listeners) == ["0:[0]", "0:listening(false)", "1:[0]"])
        #expect(!listeners.haveEnded)
    }

    @Test func `a source that ends alone says nothing of its receiver`() throws {
        var listeners = listeners([Script(seconds: [0])])
        listeners.catchUp()
        #expect(try inputs(of: &listeners) == ["0:[0]"])
        #expect(listeners.haveEnded)
    }

    @Test func `a source that breaks is told of`() {
        var listeners = listeners([Script(seconds: [0, 3_600]), Script(seconds: [0], breaks: true)])
        listeners.catchUp()
        #expect(throws: SourceError.self) { try inputs(of: &listeners) }
    }
}
