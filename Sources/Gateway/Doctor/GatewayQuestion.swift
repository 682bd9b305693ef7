// SPDX-License-Identifier: GPL-2.0-or-later

extension PortLook {
    /// Asks who listens there.
    static func ask(port: UInt16) -> PortLook {
        guard port > 0 else { return .unnamed }
        do throws(LoopbackFailure) {
            let answer = try LoopbackRequest(port: port, path: "/v1/field").answer()
            if answer.status == 200, let facts = GatewayFacts(field: answer.body) { return .gateway(facts) }
            return answer.status == 503 ? .starting : .foreign("it answers /v1/field with status \(answer.status)")
        } catch {
            switch error.kind {
            case .nobody: return .nobody
            case .silent: return .silent
            case .notHTTP: return .foreign("it does not speak HTTP")
            case .tooLarge: return .foreign("its answer is too long for a gateway")
            case .cutShort: return .foreign("it ends the connection without an answer")
            case .system: return .refused(error.description)
            }
        }
    }
}
