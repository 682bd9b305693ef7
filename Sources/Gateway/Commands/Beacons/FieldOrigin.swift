// SPDX-License-Identifier: GPL-2.0-or-later

import Time

/// Where field documents come from: a running gateway, or a source that is listened to here.
protocol FieldOrigin {
    /// In a few words, for the table.
    var words: String { get }
    /// Whether nothing was counted before it was opened.
    var beginsAnew: Bool { get }
    /// How long it must have listened before there is something to show.
    var warmUp: Duration { get }

    /// Lets time pass until a moment of the boot clock.
    mutating func pass(_ loop: borrowing EventLoop, until moment: Instant) throws(GatewayError) -> Passing

    /// The field now, as `/v1/field` answers it.
    mutating func document() throws(GatewayError) -> [UInt8]
}

/// Why time went no further.
enum Passing {
    /// The moment has come.
    case due
    /// Somebody wants it to end.
    case stopped
    /// The source has nothing more.
    case ended
}

/// Asks the gateway that runs on this box.
struct RunningGateway: FieldOrigin {
    private let request: LoopbackRequest

    /// A gateway that starts has no field for a moment.
    private static let triesAtStart = 10
    private static let betweenTries = Duration.milliseconds(500)

    init(port: UInt16) { request = LoopbackRequest(port: port, path: "/v1/field") }

    var words: String { "gateway on port \(request.port)" }
    let beginsAnew = false
    let warmUp = Duration.zero

    /// Asks for the first time; nil: nobody listens there.
    static func find(port: UInt16) throws(GatewayError) -> (gateway: RunningGateway, field: FieldDocument)? {
        let gateway = RunningGateway(port: port)
        var tries = triesAtStart
        while true {
            tries -= 1
            let answer: LoopbackRequest.Answer
            do throws(LoopbackFailure) {
                answer = try gateway.request.answer()
            } catch {
                if error.kind == .nobody { return nil }
                throw GatewayError(error)
            }
            if answer.status == 503, tries > 0 {
                BoxClock.pause(betweenTries)
                continue
            }
            let bytes = try gateway.body(of: answer)
            guard let field = FieldDocument(bytes) else {
                throw GatewayError(LoopbackFailure(.notHTTP, port: port))
            }
            return (gateway, field)
        }
    }

    func pass(_ loop: borrowing EventLoop, until moment: Instant) throws(GatewayError) -> Passing {
        while true {
            let left = moment - BoxClock.now()
            guard left > .zero else { return .due }
            // Any signal means the end here: there is nothing to read anew.
            if !loop.wait(atMost: left).isEmpty { return .stopped }
        }
    }

    func document() throws(GatewayError) -> [UInt8] {
        let answer: LoopbackRequest.Answer
        do throws(LoopbackFailure) { answer = try request.answer() } catch { throw GatewayError(error) }
        return try body(of: answer)
    }

    private func body(of answer: LoopbackRequest.Answer) throws(GatewayError) -> [UInt8] {
        switch answer.status {
        case 200: return answer.body
        case 503:
            throw GatewayError(
                .failed, "the gateway on port \(request.port) has no field yet: it is starting, or waits for its store")
        default: throw GatewayError(LoopbackFailure(.notHTTP, port: request.port))
        }
    }
}
