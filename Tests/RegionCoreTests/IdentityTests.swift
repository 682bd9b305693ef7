// SPDX-License-Identifier: GPL-2.0-or-later

import RegionCore
import Testing

struct IdentityTests {
    static let text = "A1B2C3D4-E5F6-4708-8910-1112131415AB"

    @Test(arguments: [
        text, "a1b2c3d4-e5f6-4708-8910-1112131415ab", "A1b2C3d4-e5F6-4708-8910-1112131415aB",
        "A1B2C3D4E5F6470889101112131415AB",
    ])
    func `all spellings of a UUID are one beacon with one canonical form`(spelling: String) throws {
        #expect(try #require(BeaconUUID(spelling)).description == Self.text)
    }

    @Test(arguments: [
        "", "A1B2C3D4", "A1B2C3D4-E5F6-4708-8910-1112131415A", "A1B2C3D4-E5F6-4708-8910-1112131415ABC",
        "AWW1DA8D-65B5-48A3-973F-ACD36B6525EF", "A1B2-C3D4E5F6-4708-8910-1112131415AB",
        "A1B2C3D4-E5F6470889101112131415AB",
    ])
    func `what is no UUID is refused`(text: String) {
        #expect(BeaconUUID(text) == nil)
    }

    @Test func `an address reads back as it was written`() {
        #expect(DeviceAddress("c0:ff:ee:00:00:01")?.description == "C0:FF:EE:00:00:01")
        #expect(DeviceAddress("C0:FF:EE:00:00:1") == nil)
        #expect(DeviceAddress("C0:FF:EE:00:00:011") == nil)
        #expect(DeviceAddress("C0-FF-EE-00-00-01") == nil)
    }
}
