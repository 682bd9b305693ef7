// SPDX-License-Identifier: GPL-2.0-or-later

/// Which answer a request gets. A function of the request and the newest field document; it knows no socket.
struct FeedRoutes: Sendable {
    /// The newest `/v1/field` document, or nil before there is one.
    let fieldJSON: @Sendable () -> [UInt8]?
    /// A receiver's last ten minutes; nil: the first receiver's.
    let ring: @Sendable (String?) -> RingAnswer
    /// Takes the body of a mark.
    let mark: @Sendable ([UInt8]) -> MarkAnswer

    func answer(to request: FeedRequest) -> FeedAnswer {
        if let refusal = refusal(of: request) { return refusal }
        return request.path == Self.markPath ? answer(toMark: request.body) : answer(at: request)
    }

    /// Why a request is refused by what its header says, its body unread; nil: it is not.
    func refusal(of request: FeedRequest) -> FeedAnswer? {
        switch request.hostCheck {
        case .own: break
        case .notOne: return .problem(400, "Bad Request", "A request needs exactly one Host field.")
        case .foreign:
            return .problem(
                421, "Misdirected Request",
                "This gateway answers to its own names only: ask for http://127.0.0.1:\(request.port)/ or "
                    + "http://localhost:\(request.port)/.")
        }
        if request.path == Self.markPath { return refusal(ofMark: request) }
        guard request.method == "GET" || request.method == "HEAD" else {
            return .problem(
                405, "Method Not Allowed", "Only GET and HEAD: nothing can be changed here.", [("Allow", "GET, HEAD")])
        }
        guard !request.hasBody else {
            return .problem(413, "Content Too Large", "No request here takes a body.", [("Connection", "close")])
        }
        return nil
    }

    private func answer(at request: FeedRequest) -> FeedAnswer {
        switch request.path {
        case "/": .redirect(to: "/field")
        case "/field": .page(PackageResources.field_html, type: "text/html")
        case "/field.css": .page(PackageResources.field_css, type: "text/css")
        case "/field.js": .page(PackageResources.field_js, type: "text/javascript")
        case "/v1/field": field
        case "/v1/ring": ringFile(of: request.receiver)
        default: .problem(404, "Not Found", "Nothing is here; there are /field, /v1/field and /v1/ring.")
        }
    }

    private var field: FeedAnswer {
        guard let document = fieldJSON() else {
            return .problem(
                503, "Service Unavailable", "The gateway is starting: ask again in a second.", [("Retry-After", "1")])
        }
        return .json(document)
    }

    private func ringFile(of receiver: String?) -> FeedAnswer {
        switch ring(receiver) {
        case .file(let file): .download(file)
        case .unknown(let receivers):
            .problem(404, "Not Found", "There is no such receiver; there are \(receivers.joined(separator: ", ")).")
        case .noAnswer:
            .problem(
                503, "Service Unavailable", "The radio's thread does not answer: ask again in a second.",
                [("Retry-After", "1")])
        }
    }
}
