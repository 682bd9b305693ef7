// SPDX-License-Identifier: GPL-2.0-or-later

import CBluetooth
import CShim
import Glibc
import RegionCore

/// The Bluetooth adapters of this box; listing them needs no right and changes nothing.
public enum AdapterList {
    /// Those that are there, by number. Throws when the system knows no Bluetooth sockets.
    public static func read() throws(AdapterListError) -> [Adapter] {
        var found = [shim_adapter](repeating: shim_adapter(), count: Int(HCI_MAX_DEV))
        let count = unsafe shim_hci_adapters(&found, HCI_MAX_DEV)
        guard count >= 0 else { throw AdapterListError(errno) }
        let adapters = found.prefix(Int(count)).map { adapter in
            let index = Int(adapter.index)
            return Adapter(
                index: index, address: address(adapter.address), isUp: adapter.flags & (1 << UInt32(HCI_UP)) != 0,
                isBlocked: isBlocked(index))
        }
        return adapters.sorted { $0.index < $1.index }
    }

    /// Least significant byte first, as the kernel has it.
    private static func address(_ bytes: (UInt8, UInt8, UInt8, UInt8, UInt8, UInt8)) -> DeviceAddress {
        let row = [bytes.5, bytes.4, bytes.3, bytes.2, bytes.1, bytes.0]
        return DeviceAddress(bits: row.reduce(0) { $0 << 8 | UInt64($1) })
    }

    /// rfkill's switch of an adapter lies beside it, as `rfkill3`.
    private static func isBlocked(_ index: Int) -> Bool {
        let folder = "/sys/class/bluetooth/hci\(index)"
        guard let directory = unsafe opendir(folder) else { return false }
        defer { unsafe closedir(directory) }
        while let entry = unsafe readdir(directory) {
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { name in
                unsafe name.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
            }
            guard name.hasPrefix("rfkill") else { continue }
            return isOne("\(folder)/\(name)/soft") || isOne("\(folder)/\(name)/hard")
        }
        return false
    }

    private static func isOne(_ path: String) -> Bool {
        guard let file = unsafe fopen(path, "r") else { return false }
        defer { unsafe fclose(file) }
        return unsafe fgetc(file) == CInt(UInt8(ascii: "1"))
    }
}

/// Why adapters could not be listed.
public struct AdapterListError: Error, Equatable, Sendable {
    /// The system's number for it.
    public let code: Int32

    init(_ code: CInt) { self.code = code }

    /// What it means for the scan.
    public var fault: ScanControl.Fault { HCIError(code).fault }
}
