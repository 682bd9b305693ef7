// SPDX-License-Identifier: GPL-2.0-or-later

import RegionCore
import RegistryJSON
import Testing

@testable import Gateway

struct RegistryDraftTests {
    private func document(_ sightings: [UInt16: Int]) throws -> FieldDocument {
        try #require(FieldSamples.document(sightings.map { FieldSamples.row($0.key, sightings: $0.value) }))
    }

    private func minors(_ draft: RegistryDraft) -> [UInt16] { draft.identities.map(\.minor) }

    @Test func `what is heard three times from the start is written, in order`() throws {
        var draft = RegistryDraft(uuid: nil, fromStart: true)
        draft.add(try document([300: 3, 2: 7, 1: 2]))
        #expect(minors(draft) == [2, 300])
        #expect(draft.heard == 3)
        #expect(draft.tooSeldom == 1)
        #expect(draft.account == "3 beacons heard, 2 written, left out: 1 with fewer than 3 sightings.")
    }

    @Test func `of a gateway only what it hears meanwhile counts`() throws {
        var draft = RegistryDraft(uuid: nil, fromStart: false)
        draft.add(try document([1: 1_000, 2: 1_000, 3: 1_000]))
        #expect(draft.heard == 0)
        draft.add(try document([1: 1_002, 2: 1_000, 3: 1_003, 4: 5]))
        draft.add(try document([1: 1_003, 2: 1_000, 3: 1_003, 4: 5]))
        #expect(minors(draft) == [1, 3, 4])
        #expect(draft.heard == 3)
    }

    @Test func `a gateway started anew in between counts from nothing`() throws {
        var draft = RegistryDraft(uuid: nil, fromStart: false)
        draft.add(try document([1: 1_000, 2: 1_000]))
        draft.add(try document([1: 1_001, 2: 1_000]))
        draft.add(try document([1: 2]))
        draft.add(try document([1: 2, 2: 1]))
        #expect(minors(draft) == [1])
        #expect(draft.tooSeldom == 1)
    }

    @Test func `one UUID only, where it is asked for`() throws {
        let other = "A1B2C3D4-E5F6-4708-8910-1112131415AB"
        var draft = RegistryDraft(uuid: BeaconUUID(other), fromStart: true)
        draft.add(try #require(FieldSamples.document([FieldSamples.row(1), FieldSamples.row(2, uuid: other)])))
        #expect(draft.identities.map(\.uuid) == [try #require(BeaconUUID(other))])
        #expect(draft.ofOthers == 1)
        #expect(draft.uuids.count == 2)
    }

    @Test func `the file reads back as what was heard, an entry a line`() throws {
        var draft = RegistryDraft(uuid: nil, fromStart: true)
        draft.add(try document([1: 3, 2: 3, 3: 3, 7: 3]))
        let venue = try RegistryReader.read(Array(draft.text.utf8))
        #expect(venue.venueId == RegistryDraft.venueId)
        #expect(venue.beacons.map(\.minors) == [1...1, 2...2, 3...3, 7...7])
        #expect(venue.beacons.allSatisfy { !$0.isRange && $0.kind == .carried && $0.name == nil })
        #expect(draft.text.split(separator: "\n").count == 6)
    }
}
