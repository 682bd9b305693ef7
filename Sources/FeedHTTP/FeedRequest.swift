// SPDX-License-Identifier: GPL-2.0-or-later

/// One HTTP request, as far as it decides the answer.
struct FeedRequest: Equatable {
    var method: String
    /// The path without its query, percent signs decoded.
    var path: String
    /// The port the server listens on.
    var port: UInt16
    /// Its Host fields, two at most.
    var hosts: [String] = []
    /// Whether a body follows, or is said to.
    var hasBody = false

    init(method: String, path: String, port: UInt16) {
        self.method = method
        self.path = path
        self.port = port
    }

    /// Takes note of a header field, where it matters.
    mutating func addHeader(_ name: String, _ value: String) {
        switch name.lowercased() {
        case "host":
            if hosts.count < FeedLimit.hosts { hosts.append(value) }
        case "content-length":
            if value != "0" { hasBody = true }
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
        for own in ["127.0.0.1", "localhost", "[::1]"] where name == own || name == "\(own):\(port)" { return .own }
        return .foreign
    }
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
