// SPDX-License-Identifier: GPL-2.0-or-later

import RegionCore
import TestKit
import Testing

@testable import Gateway

struct SourceListTests {
    private func refusal(_ texts: [String]) -> String? {
        do throws(GatewayError) {
            _ = try SourceList(texts)
            return nil
        } catch {
            #expect(error.kind == .usage)
            return error.description
        }
    }

    private func receivers(_ texts: [String], registry: String? = nil) throws -> [String] {
        let folder = try Folder()
        var configuration = Configuration()
        if let registry { configuration.registry = try folder.write("registry.json", registry) }
        let list = try SourceList(texts)
        let loaded = try LoadedRegistry(configuration, source: list.first, seed: 1)
        return try loaded.receivers(of: list, gateway: "box").map(\.id)
    }

    private static let gates = """
        { "venueId": "v", "receivers": [ { "id": "north" }, { "id": "south" } ],
          "beacons": [ { "uuid": "A1B2C3D4-E5F6-4708-8910-1112131415AB", "major": 7, "minors": "1-9" } ] }
        """

    @Test func `no source is any adapter`() throws {
        #expect(try SourceList([]).sources.map(\.kind) == [.radio(.any)])
    }

    @Test(arguments: [
        (["hci:0", "simulated:hall"], "different kinds"), (["hci:0", "hci:0?duty=gate"], "one receiver"),
        (["hci", "hci:1"], "hci is any adapter"), (["hci:0?receiver=a", "hci:1?receiver=a"], "one receiver"),
        (["hci:00:1a:7d:da:71:13", "hci:00:1A:7D:DA:71:13"], "one receiver"),
        (["hci:unix:/run/a", "hci:unix:/run/a"], "one receiver"),
        (["capture:a?speed=2", "capture:b"], "one clock"), (["simulated:hall?from=0", "simulated:hall"], "one clock"),
        ((0...8).map { "hci:\($0)" }, "too many"),
    ])
    func `what does not go together is refused with the reason`(texts: [String], part: String) throws {
        let said = try #require(refusal(texts))
        #expect(said.contains(part), "\(said)")
    }

    @Test func `two names of one adapter are found out where adapters can be listed`() throws {
        let address = DeviceAddress(bits: 0x001A_7DDA_7113)
        let adapters = [Adapter(index: 0, address: address, isUp: true, isBlocked: false)]
        let same = try SourceList(["hci:0", "hci:00:1A:7D:DA:71:13"])
        #expect(same.sharedAdapter(among: adapters)?.contains("are one adapter") == true)
        #expect(same.sharedAdapter(among: []) == nil)
        #expect(try SourceList(["hci:0", "hci:1"]).sharedAdapter(among: adapters) == nil)
    }

    @Test func `without a name the first is named as the box is, others after box and source`() throws {
        #expect(try receivers(["hci:0"]) == ["box"])
        #expect(
            try receivers(["hci:1", "hci:0", "hci:00:1A:7D:DA:71:13", "hci:unix:/run/second"])
                == ["box", "box-hci0", "box-00:1A:7D:DA:71:13", "box-second"])
        #expect(try receivers(["hci:0?receiver=gate", "hci:1"]) == ["gate", "box-hci1"])
    }

    @Test func `where the registry lists receivers each source says which it is`() throws {
        #expect(
            try receivers(["hci:0?receiver=south", "hci:1?receiver=north"], registry: Self.gates) == ["south", "north"])
        let refusal = #expect(throws: GatewayError.self) {
            try receivers(["hci:0?receiver=south", "hci:1"], registry: Self.gates)
        }
        #expect(refusal?.description.contains("hci:1 does not say which receiver it is") == true)
        #expect(refusal?.description.contains("north, south") == true)
    }

    @Test func `two that would be named alike are refused`() {
        let refusal = #expect(throws: GatewayError.self) {
            try receivers(["hci:0", "hci:unix:/run/a/hci", "hci:unix:/run/b/hci"])
        }
        #expect(refusal?.description.contains("would both be receiver 'box-hci'") == true)
    }
}
