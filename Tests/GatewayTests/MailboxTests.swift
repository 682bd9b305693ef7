// SPDX-License-Identifier: GPL-2.0-or-later

import RegionCore
import Testing
import Time

@testable import Gateway

struct MailboxTests {
    private func batch(_ events: Int, from second: Int64) -> LedgerBatch {
        let anchor = ClockAnchor(instant: .boot, wallTime: .epoch, synchronised: true)
        var batch = LedgerBatch(upTo: .boot + .seconds(second), anchor: anchor, settings: 1)
        let identity = BeaconIdentity(uuid: BeaconUUID(high: 1, low: 2), major: 3, minor: 4)
        batch.decisions.events = (0..<events).map { number in
            let at = Instant.boot + .seconds(second + Int64(number))
            return RegionEvent(
                ordinal: UInt64(number + 1), kind: .enter, reason: .hits, at: at, detectedAt: at,
                beacon: BeaconDescription(identity: identity), regions: [], visit: 1, enteredAt: at, endsVisit: false,
                uncertain: false,
                evidence: Evidence(
                    hits: 3, rssi: nil, filteredRSSI: nil, tier: nil, distance: nil, receiver: "box", listened: .zero))
        }
        return batch
    }

    @Test func `what is put in comes out in order and stays until it is committed`() throws {
        let mailbox = Mailbox()
        mailbox.put(batch(1, from: 1)) { [] }
        mailbox.put(batch(2, from: 5)) { [] }
        let first = try #require(mailbox.look(atMost: .zero))
        #expect(first.batches.map(\.decisions.events.count) == [1, 2])
        #expect(try #require(mailbox.look(atMost: .zero)).batches == first.batches)
        mailbox.committed(2)
        #expect(mailbox.look(atMost: .zero) == nil)
        #expect(mailbox.standing == Mailbox.Standing(isInTrouble: false, waiting: 0, lost: 0))
    }

    @Test func `a store in trouble is not waited for, and what finds no room is counted with its span`() throws {
        let mailbox = Mailbox()
        mailbox.storeFailed()
        for number in 0..<Int64(MailboxLimit.eventsInTrouble / 1_000) {
            mailbox.put(batch(1_000, from: 1_000 * number)) { [] }
        }
        #expect(mailbox.standing.waiting == MailboxLimit.eventsInTrouble)
        let inside = EngineSnapshot.Presence(
            beacon: BeaconIdentity(uuid: BeaconUUID(high: 1, low: 2), major: 3, minor: 4), visit: 1, enteredAt: .boot,
            lastHeard: .boot, lastEventAt: .boot, silenceFrom: .boot)
        mailbox.put(batch(3, from: 500_000)) { [inside] }
        mailbox.put(batch(2, from: 600_000)) { [] }
        #expect(mailbox.standing == .init(isInTrouble: true, waiting: MailboxLimit.eventsInTrouble, lost: 5))

        let delivery = try #require(mailbox.look(atMost: .zero))
        let loss = try #require(delivery.loss)
        #expect(loss.from == .boot + .seconds(500_000))
        #expect(loss.to == .boot + .seconds(600_001))
        // Two more are lost while the store writes.
        mailbox.put(batch(2, from: 700_000)) { [] }
        mailbox.committed(delivery.batches.count)
        mailbox.recorded(loss)
        let rest = try #require(mailbox.look(atMost: .zero))
        #expect(rest.loss?.count == 2)
        #expect(rest.loss?.to == .boot + .seconds(700_001))
        #expect(mailbox.standing.waiting == 0)
    }

    @Test func `statistics are dropped before events when a store is in trouble for long`() throws {
        let mailbox = Mailbox()
        mailbox.storeFailed()
        for number in 0..<Int64(MailboxLimit.batchesInTrouble + 10) { mailbox.put(batch(0, from: number)) { [] } }
        mailbox.put(batch(1, from: 99)) { [] }
        let delivery = try #require(mailbox.look(atMost: .zero))
        #expect(delivery.batches.count == MailboxLimit.batchesInTrouble + 1)
        #expect(delivery.batches.last?.decisions.events.count == 1)
    }

    @Test func `a registry that comes while the one before is stored is not lost`() throws {
        let mailbox = Mailbox()
        let registry = Registry(openTo: "heard")
        mailbox.put(Mailbox.NewRegistry(registry: registry, text: "first"))
        let first = try #require(mailbox.look(atMost: .zero)?.newRegistry)
        mailbox.put(Mailbox.NewRegistry(registry: registry, text: "second"))
        mailbox.stored(first)
        let second = try #require(mailbox.look(atMost: .zero)?.newRegistry)
        #expect(second.text == "second")
        mailbox.stored(second)
        #expect(mailbox.look(atMost: .zero) == nil)
    }

    @Test func `a closed mailbox says so once everything is taken`() throws {
        let mailbox = Mailbox()
        mailbox.put(batch(1, from: 1)) { [] }
        mailbox.close()
        #expect(try #require(mailbox.look(atMost: .zero)).isClosed)
        mailbox.committed(1)
        let last = try #require(mailbox.look(atMost: .zero))
        #expect(last.isClosed && last.batches.isEmpty)
    }
}
