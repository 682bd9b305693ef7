// SPDX-License-Identifier: GPL-2.0-or-later

import RegionCore
import RegistryJSON

/// Watches the registry file and passes a good one on; a refused one changes nothing but the page.
struct RegistryWatch {
    private var file: RegistryFile
    private let configuration: Configuration
    private let seed: UInt64
    /// Why a registry cannot be taken although it is good in itself.
    private let problem: @Sendable (Registry) -> String?
    private let mailbox: Mailbox
    private let board: StatusBoard

    init(
        file: RegistryFile, configuration: Configuration, seed: UInt64, mailbox: Mailbox, board: StatusBoard,
        problem: @escaping @Sendable (Registry) -> String?
    ) {
        self.file = file
        self.configuration = configuration
        self.seed = seed
        self.mailbox = mailbox
        self.board = board
        self.problem = problem
    }

    /// Looks once.
    mutating func look() {
        switch file.poll() {
        case .unchanged: break
        case .sameContent:
            board.set(registryRefusal: nil)
        case .refused(let refusal): refuse("\(file.path) is refused: \(refusal.summary)")
        case .loaded(let venue, let bytes):
            let registry = Registry(
                venue: configuration.applied(to: venue), seed: seed, defaults: configuration.defaults)
            if let problem = problem(registry) { return refuse("\(file.path) is refused: \(problem)") }
            board.set(registryRefusal: nil)
            board.keep { registry.takes($0) }
            mailbox.put(Mailbox.NewRegistry(registry: registry, text: String(decoding: bytes, as: UTF8.self)))
        }
    }

    private func refuse(_ message: String) {
        board.set(registryRefusal: message)
        Console.say(message)
    }
}
