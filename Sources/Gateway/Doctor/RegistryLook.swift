// SPDX-License-Identifier: GPL-2.0-or-later

/// Whether the registry loads.
enum RegistryLook: Equatable {
    /// Nobody named one.
    case unnamed
    /// Configuration or registry is refused: what is wrong.
    case refused(String)
    /// It lists nobody, and no region takes anybody.
    case empty(path: String)
    /// How many identities it lists, and what `check` warns of.
    case loaded(path: String, identities: Int, warnings: [String])

    var finding: Finding {
        switch self {
        case .unnamed:
            return .couldNotLook(
                .registry, "No registry is named.",
                remedy: "Name it: --registry FILE, or the key registry of the configuration.")
        case .refused(let why):
            return .wrong(.registry, why, remedy: "Correct it; regiond check --registry FILE lists every fault.")
        case .empty(let path):
            return .wrong(
                .registry, "\(path) lists no beacons: nothing will ever be decided.",
                remedy: "List them: regiond beacons --draft 60 writes a registry of what is heard.")
        case .loaded(let path, let identities, let warnings):
            let more = warnings.map { "; warning: \($0)" }.joined()
            return .fine(.registry, "\(path) is good: \(identities) identities\(more).")
        }
    }
}
