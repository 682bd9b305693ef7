// SPDX-License-Identifier: GPL-2.0-or-later

/// Who answers where the gateway's page belongs.
enum PortLook: Equatable {
    case gateway(GatewayFacts)
    /// A gateway that has no field document yet.
    case starting
    case nobody
    /// Something else: what was said of it.
    case foreign(String)
    /// It took the connection and did not answer.
    case silent
    /// The system refused to ask: what it said.
    case refused(String)
    /// The configuration leaves the port to the system.
    case unnamed

    func finding(port: UInt16) -> Finding {
        let place = "127.0.0.1:\(port)"
        switch self {
        case .gateway(let facts):
            let who = "Gateway \(facts.gateway) (\(facts.version), \(facts.sourceText)) answers on \(place)"
            guard let worst = facts.trouble.first else { return .fine(.port, who + ".") }
            let more = facts.trouble.count > 1 ? " (and \(facts.trouble.count - 1) more)" : ""
            return .wrong(.port, "\(who) and says: \(worst.message)\(more)", remedy: worst.remedy)
        case .starting: return .fine(.port, "A gateway that is starting answers on \(place).")
        case .nobody: return .fine(.port, "\(place) is free; no gateway runs there.")
        case .foreign(let what):
            return .wrong(
                .port, "\(place) is taken by something else: \(what).",
                remedy: "Stop that program, or give the gateway another port (the key port, or --set port=N).")
        case .silent:
            return .wrong(
                .port, "Whoever listens on \(place) does not answer.",
                remedy: "If it is the gateway, look at its messages and restart it; else give it another port.")
        case .refused(let why):
            return .couldNotLook(.port, "\(place) cannot be asked: \(why).", remedy: "Ask again from the box itself.")
        case .unnamed:
            return .couldNotLook(
                .port, "The port is left to the system (0).",
                remedy: "Name the port that the gateway announced: --set port=N.")
        }
    }

    /// The gateway that answers, if one does.
    var gateway: GatewayFacts? {
        if case .gateway(let facts) = self { facts } else { nil }
    }
}
