// SPDX-License-Identifier: GPL-2.0-or-later

/// A Bluetooth adapter as the system lists it.
public struct Adapter: Equatable, Sendable {
    /// The kernel's number: 0 is `hci0`. It may be another one after plugging in again.
    public var index: Int
    /// Its own address; the only thing that stays.
    public var address: DeviceAddress
    /// Whether it is powered on.
    public var isUp: Bool
    /// Whether rfkill holds it off.
    public var isBlocked: Bool

    /// An adapter of these parts.
    public init(index: Int, address: DeviceAddress, isUp: Bool, isBlocked: Bool) {
        self.index = index
        self.address = address
        self.isUp = isUp
        self.isBlocked = isBlocked
    }

    /// As people know it.
    public var name: String { "hci\(index) \(address)" }
}

/// Which adapter a source text means.
public enum AdapterChoice: Equatable, Sendable {
    /// `hci`: any; the lowest number that can be used.
    case any
    /// `hci:0`: this number at first, and from then on the adapter that was found there.
    case index(Int)
    /// `hci:00:1A:7D:DA:71:13`: this one, under whatever number.
    case address(DeviceAddress)
    /// `hci:unix:PATH`: no adapter of the kernel's, but HCI packets on a SEQPACKET socket.
    case socket(path: String)

    /// The adapter to use among those that are there, and never one that was just given up on.
    ///
    /// - Parameters:
    ///   - known: the address of the one in use before; it is kept where the choice leaves room.
    ///   - avoided: the address of one that did not do what it was told; only `any` can do without it.
    public func pick(from adapters: [Adapter], known: DeviceAddress?, avoided: DeviceAddress?) -> Adapter? {
        switch self {
        case .socket: return nil
        case .address(let address): return adapters.first { $0.address == address }
        case .index(let index):
            // A number may be given to another adapter while ours is unplugged; without ours it is better than none.
            return adapters.first { $0.address == known } ?? adapters.first { $0.index == index }
        case .any:
            let usable = adapters.filter { $0.isUp && !$0.isBlocked }
            let ranked = usable.filter { $0.address != avoided } + usable + adapters
            let ours = avoided == known ? nil : usable.first { $0.address == known }
            return ours ?? ranked.first
        }
    }
}
