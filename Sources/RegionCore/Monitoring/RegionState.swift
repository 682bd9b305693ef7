// SPDX-License-Identifier: GPL-2.0-or-later

/// How a region stands: what a client that asks for its state is told, without an event.
public struct RegionState: Equatable, Sendable {
    /// The region's identifier.
    public var region: String
    /// For people.
    public var name: String?
    /// Whether anybody is inside.
    public var isInside: Bool { occupancy > 0 }
    /// How many are inside.
    public var occupancy: Int
    /// How many of them were heard since listening last began.
    public var verified: Int
    /// Whether any receiver that makes members of it can hear, as far as anybody can tell. Else the state is that of
    /// the time before.
    public var listening: Bool
    /// How many it is meant for.
    public var capacity: Int?

    /// A state of these parts.
    public init(
        region: String, name: String? = nil, occupancy: Int, verified: Int, listening: Bool, capacity: Int? = nil
    ) {
        self.region = region
        self.name = name
        self.occupancy = occupancy
        self.verified = verified
        self.listening = listening
        self.capacity = capacity
    }
}

extension RegionEngine {
    /// How every region stands after the last input, in registry order. Nothing is decided by asking.
    public func regionStates() -> [RegionState] {
        let verified = verifiedCounts()
        let listening = receivers.indices.reduce(0 as UInt64) { isListening($1) ? $0 | 1 << UInt64($1) : $0 }
        return registry.regions.enumerated().map { number, region in
            RegionState(
                region: region.identifier, name: region.name, occupancy: occupancy[number], verified: verified[number],
                listening: listening & regionReceivers[number] != 0, capacity: region.capacity)
        }
    }

    /// By region: how many of those inside were heard since listening last began.
    private func verifiedCounts() -> [Int] {
        var verified = Array(repeating: 0, count: registry.regions.count)
        for (number, track) in tracks.enumerated() {
            let isVerified =
                switch track.presence {
                case .inside(let visit): visit.isVerified
                case .held(_, let isHeard): isHeard
                case .outside, .entering: false
                }
            guard isVerified, counts(track.beacon) else { continue }
            for region in membership(of: number) { verified[Int(region)] += 1 }
        }
        return verified
    }

    /// Whether a receiver can hear, as far as anybody can tell.
    func isListening(_ receiver: Int) -> Bool {
        receivers[receiver].horizon > ReceiverState.never && receivers[receiver].hears
    }
}
