// SPDX-License-Identifier: GPL-2.0-or-later

/// Which settings would suit the beacons of a registry better, from minutes that a store kept of them.
public struct SettingHints: Sendable {
    private let registry: Registry
    private var heard: [Int: HeardMinutes] = [:]

    /// Nothing is known yet of the beacons of this registry.
    public init(registry: Registry) { self.registry = registry }

    /// Takes a minute into account. One of a beacon that is not listed, or that makes no visits, says nothing.
    public mutating func add(_ minute: BeaconMinute) {
        guard let number = registry.number(of: minute.beacon), makesVisits(number) else { return }
        heard[number, default: HeardMinutes()].add(minute, under: policy(of: number))
    }

    /// A line for each beacon that other settings would suit better, in the order of the registry:
    /// `Badge 17 (UUID/1/17): heard every 24 s at worst: set exit 75`.
    public var lines: [String] {
        heard.sorted { $0.key < $1.key }.compactMap { number, minutes in
            minutes.hint(under: policy(of: number)).map { "\(shownName(of: number)): \($0)" }
        }
    }

    /// A beacon that hangs for good moves only for a receiver that is carried.
    private func makesVisits(_ number: Int) -> Bool {
        registry.kind(of: number) == .carried || registry.venue.receivers.contains { $0.kind == .carried }
    }

    private func policy(of number: Int) -> RegionPolicy { registry.policies[registry.policyNumber(of: number)] }

    private func shownName(of number: Int) -> String {
        let (identity, entry) = (registry.identity(at: number), registry.entry(of: number))
        let name = entry.name.flatMap { $0.isEmpty ? nil : $0 } ?? entry.exhibit
        return name.map { "\($0) (\(identity))" } ?? identity.description
    }
}
