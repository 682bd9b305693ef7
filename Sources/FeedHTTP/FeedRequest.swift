// SPDX-License-Identifier: GPL-2.0-or-later

/// One HTTP request, as far as it decides the answer.
struct FeedRequest: Equatable {
    var method: String
    /// The path without its query, percent signs decoded.
    var path: String
    /// `receiver` of the query, percent signs decoded; nil: there is none.
    var receiver: String?
    /// The port the server listens on.
    var port: UInt16
    /// Its Host fields, two at most.
    var hosts: [String] = []
    /// Its Origin fields, two at most.
    var origins: [String] = []
    /// Its Content-Type fields, two at most.
    var contentTypes: [String] = []
    /// Whether a body follows, or is said to.
    var hasBody = false
    /// How long that is said to be; nil: it will show.
    var contentLength: UInt64?
    /// The body, once it is read; nil: it was longer than `FeedLimit.bodyBytes`.
    var body: [UInt8]? = []

    init(method: String, path: String, port: UInt16) {
        self.method = method
        self.path = path
        self.port = port
    }

    /// Takes note of a header field, where it matters.
    mutating func addHeader(_ name: String, _ value: String) {
        switch name.lowercased() {
        case "host":
            if hosts.count < FeedLimit.repeats { hosts.append(value) }
        case "origin":
            if origins.count < FeedLimit.repeats { origins.append(value) }
        case "content-type":
            if contentTypes.count < FeedLimit.repeats { contentTypes.append(value) }
        case "content-length":
            if value != "0" { hasBody = true }
            contentLength = UInt64(value) ?? .max
        case "transfer-encoding":
            hasBody = true
        default:
            break
        }
    }

    /// Whom the request says it is for.
    var hostCheck: HostCheck {
        guard hosts.count == 1, let host = hosts.first else { return .notOne }
        let name = host.lowercased()
        return Self.ownNames.contains { name == $0 || name == "\($0):\(port)" } ? .own : .foreign
    }

    /// Whether no stranger's page asks. Browsers put an Origin on whatever can change something; programs, which no
    /// stranger's page can make ask, mostly send none.
    var isFromOwnPage: Bool {
        guard let origin = origins.first else { return true }
        // On another port of this box there is another page.
        let own = Self.ownNames.map { port == 80 ? "http://\($0)" : "http://\($0):\(port)" }
        return origins.count == 1 && own.contains(origin.lowercased())
    }

    /// Whether the body is said to be JSON. A stranger's page may send texts and forms unasked, and never this.
    var isJSON: Bool {
        guard contentTypes.count == 1, let type = contentTypes[0].split(separator: ";").first else { return false }
        return type.lowercased().filter { $0 != " " && $0 != "\t" } == "application/json"
    }

    private static let ownNames = ["127.0.0.1", "localhost", "[::1]"]
}

/// A page of a stranger whose name was rebound to this address carries the stranger's name in Host, and is refused.
enum HostCheck {
    /// One of the box's own names, with the bound port or none.
    case own
    /// Somebody else's name, or another port.
    case foreign
    /// No Host field, or several.
    case notOne
}
