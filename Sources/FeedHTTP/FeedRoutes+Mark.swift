// SPDX-License-Identifier: GPL-2.0-or-later

/// What became of a mark.
public enum MarkAnswer: Equatable, Sendable {
    /// It is on disk as this line.
    case written([UInt8])
    /// It is no mark; why not.
    case malformed(String)
    /// It names something that does not exist; what.
    case unknown(String)
    /// Nothing is being recorded that it could belong to.
    case notRecording
    /// It could not be written; why not.
    case failed(String)
    /// Nobody knows whether what it names exists: the radio lane does not answer.
    case noAnswer
}

/// `POST /v1/mark`: the one request that changes something, so that it is looked at more closely.
extension FeedRoutes {
    static let markPath = "/v1/mark"

    func refusal(ofMark request: FeedRequest) -> FeedAnswer? {
        guard request.method == "POST" else {
            return .problem(405, "Method Not Allowed", "A mark is made by POST.", [("Allow", "POST")])
        }
        guard request.isFromOwnPage else {
            return .problem(403, "Forbidden", "Only the gateway's own page may mark.", [("Connection", "close")])
        }
        guard request.isJSON else {
            return .problem(
                415, "Unsupported Media Type", "A mark is JSON: Content-Type application/json.",
                [("Accept", "application/json"), ("Connection", "close")])
        }
        guard request.contentLength ?? 0 <= FeedLimit.bodyBytes else { return Self.tooLong }
        return nil
    }

    func answer(toMark body: [UInt8]?) -> FeedAnswer {
        guard let body else { return Self.tooLong }
        switch mark(body) {
        case .written(let line): return .json(line)
        case .malformed(let why): return .problem(400, "Bad Request", why)
        case .unknown(let what): return .problem(404, "Not Found", what)
        case .notRecording:
            return .problem(
                409, "Conflict", "Nothing is being recorded: start the gateway with run SOURCE --record FILE.")
        case .failed(let why): return .problem(500, "Internal Server Error", why)
        case .noAnswer:
            return .problem(
                503, "Service Unavailable", "The radio's thread does not answer: ask again in a second.",
                [("Retry-After", "1")])
        }
    }

    private static var tooLong: FeedAnswer {
        .problem(
            413, "Content Too Large", "A mark has \(FeedLimit.bodyBytes) bytes at most.", [("Connection", "close")])
    }
}
