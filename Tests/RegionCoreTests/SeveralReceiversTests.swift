// SPDX-License-Identifier: GPL-2.0-or-later

import RegionCore
import Testing
import Time

/// Receivers that are deaf, dead, late, carried, and restarts, where there are several.
struct SeveralReceiversTests {
    private static let north = ReceiverEntry(id: "north")
    private static let south = ReceiverEntry(id: "south")
    private static let cart = ReceiverEntry(id: "cart", kind: .carried)

    // MARK: Deaf and dead

    @Test(arguments: [false, true])
    func `a dead receiver does not make the next room win (E-12)`(sendMessages: Bool) {
        var rooms = Rooms(sendMessages: sendMessages)
        rooms.hear(from: 0, to: 30, [-55, -88])
        if !sendMessages { rooms.listening(false, of: 0, at: 30) }
        rooms.hear(from: 30, to: 3_000, [nil, -88])
        #expect(rooms.changes == [])
        #expect(rooms.row(at: 3_000)?.nearest == "north")
        // It really comes nearer.
        rooms.hear(from: 3_000, to: 3_030, [nil, -60])
        #expect(rooms.changes == ["north>south"])
    }

    @Test func `who was not heard elsewhere before needs only to beat the last level less ten`() {
        var rooms = Rooms()
        rooms.hear(from: 0, to: 30, [-70, nil])
        rooms.listening(false, of: 0, at: 30)
        rooms.hear(from: 31, to: 90, [nil, -80])
        #expect(rooms.changes == [])
        rooms.hear(from: 90, to: 120, [nil, -72])
        #expect(rooms.changes == ["north>south"])
    }

    @Test func `a level that stands still because its receiver is deaf is no claim`() {
        var rooms = Rooms()
        rooms.hear(from: 0, to: 30, [-60, -75])
        rooms.listening(false, of: 1, at: 30)
        rooms.hear(from: 30, to: 120, [-90, nil])
        #expect(rooms.changes == [])
        #expect(rooms.row(at: 120)?.nearest == "north")
    }

    @Test func `of two receivers within the margin a deaf one changes nothing, nor when it is back`() {
        var rooms = Rooms()
        rooms.hear(from: 0, to: 30, [-70, -70])
        rooms.listening(false, of: 0, at: 30)
        rooms.hear(from: 30, to: 300, [nil, -69])
        rooms.listening(true, of: 0, at: 300)
        rooms.hear(from: 300, to: 400, [-70, -69])
        #expect(rooms.changes == [])
        #expect(rooms.visits.count == 1)
    }

    @Test func `a receiver twenty seconds behind is told, and its beacons are no longer verified`() throws {
        var rooms = Rooms(sendMessages: true)
        rooms.hear(from: 0, to: 30, [-60, nil])
        for second in stride(from: 0.0, to: 49, by: 4) { rooms.message(by: 1, at: 31 + second) }
        let note = try #require(rooms.decisions.receivers.first)
        #expect(note.receiver == "north" && !note.isBack && note.since == .boot + .seconds(29.5))
        #expect(note.at > .boot + .seconds(49.5) && note.at < .boot + .seconds(54))
        #expect(rooms.decisions.receivers.count == 1)
        #expect(rooms.region("room-north", at: 80)?.occupancy == 1)
        #expect(rooms.region("room-north", at: 80)?.verified == 0)
        rooms.hear(by: 0, at: 80)
        #expect(rooms.decisions.receivers.map(\.isBack) == [false, true])
        #expect(rooms.region("room-north", at: 80)?.verified == 1)
        #expect(rooms.visits.count == 1)
    }

    @Test func `who waited for a dead receiver and then moved leaves when the new one hears nothing`() {
        var rooms = Rooms(sendMessages: true)
        rooms.hear(from: 0, to: 10, [-80, nil])
        for second in stride(from: 10.0, to: 200, by: 10) { rooms.message(by: 1, at: second) }
        #expect(rooms.visits.count == 1)
        rooms.hear(from: 200, to: 210, [nil, -55])
        for second in stride(from: 210.0, to: 400, by: 10) { rooms.message(by: 1, at: second) }
        #expect(rooms.changes == ["north>south"])
        #expect(rooms.visits.last == "exit silence hall,room-south 209.51")
    }

    // MARK: Late

    @Test func `a late sighting is a hit in its order`() {
        var rooms = Rooms([Self.north, Self.south], [.enterHits: 3], sendMessages: true)
        rooms.hear(by: 0, at: 11)
        rooms.hear(by: 0, at: 12)
        rooms.message(by: 0, at: 13)
        rooms.hear(by: 1, at: 10)
        #expect(rooms.visits == ["enter hits hall,room-north 10.0"])
        #expect(rooms.decisions.events[0].detectedAt == .boot + .seconds(13))
    }

    @Test(arguments: [0.0, 1.8, 5])
    func `two recorders whose clocks differ have one visit (T-06)`(skew: Double) {
        var rooms = Rooms([Self.north, Self.south], [.enterHits: 3, .exit: 90], sendMessages: true)
        for second in 0..<60 {
            rooms.hear(by: 0, at: Double(second))
            rooms.hear(by: 1, at: Double(second) + 0.2 + skew, rssi: -75)
        }
        for second in stride(from: 70.0, to: 300, by: 10) {
            for receiver in 0..<2 { rooms.message(by: receiver, at: second) }
        }
        #expect(rooms.visits.count == 2)
        #expect(rooms.visits.first == "enter hits hall,room-north 0.0")
        #expect(rooms.visits.last?.hasPrefix("exit silence hall,room-north") == true)
    }

    @Test func `what comes late after a restart begins no visit before the last one ended`() {
        var rooms = Rooms([Self.north, Self.south], [.exit: 10], sendMessages: true)
        rooms.hear(from: 0, to: 30, [-70, nil])
        for second in stride(from: 30.0, to: 60, by: 5) { rooms.message(by: 0, at: second) }
        #expect(rooms.visits.last == "exit silence hall,room-north 29.5")
        rooms.restart(at: 60)
        rooms.hear(from: 20, to: 29, [nil, -70])
        #expect(rooms.visits.count == 2)
        rooms.hear(by: 1, at: 61)
        #expect(rooms.visits.last == "enter hits hall,room-south 61.0")
    }

    // MARK: Restart

    @Test func `a restart keeps what is nearest, against a louder one that is not much louder`() {
        var rooms = Rooms()
        rooms.hear(from: 0, to: 30, [-70, nil])
        rooms.restart(at: 30)
        #expect(rooms.region("room-north", at: 30)?.occupancy == 1)
        rooms.hear(from: 31, to: 36, [nil, -78])
        #expect(rooms.changes == [])
        #expect(rooms.row(at: 36)?.nearest == "north")
        rooms.hear(from: 36, to: 60, [nil, -60])
        #expect(rooms.changes == ["north>south"])
    }

    // MARK: Carried receivers

    @Test func `a carried receiver tells which exhibit it is near, and where that is`() throws {
        var rooms = Rooms([Self.cart], [.exit: 60])
        rooms.hear(Rooms.painting, from: 0, to: 10, [-60])
        rooms.hear(Rooms.exhibit, from: 0, to: 10, [-80])
        for half in 20..<60 {
            rooms.hear(Rooms.painting, by: 0, at: Double(half) / 2, rssi: -80)
            rooms.hear(Rooms.exhibit, by: 0, at: Double(half) / 2 + 0.1, rssi: -58)
        }
        let event = try #require(rooms.decisions.events.first { $0.kind == .nearest })
        #expect(rooms.changes == ["Painting>Vase"])
        #expect(event.beacon.identity == Rooms.exhibit)
        #expect(event.place == Place(exhibit: "vase", floor: "1", x: 3, y: 4))
        let enter = try #require(rooms.decisions.events.first { $0.beacon.identity == Rooms.exhibit })
        #expect(event.visit == enter.visit && event.enteredAt == enter.enteredAt)
        #expect(rooms.engine.field(at: .boot + .seconds(30)).receivers.first?.nearest == "Vase")
    }

    @Test func `a box on the wall that hears an exhibit prolongs no guide's visit to it`() {
        var rooms = Rooms([Self.north, Self.cart], [.exit: 20])
        rooms.hear(Rooms.exhibit, from: 0, to: 10, [-70, -60])
        rooms.hear(Rooms.exhibit, from: 10, to: 60, [-70, nil])
        #expect(rooms.visits.first == "enter hits hall,room-cart 0.01")
        #expect(rooms.visits.last == "exit silence hall,room-cart 9.51")
        #expect(rooms.visits.count == 2)
    }

    @Test func `of two guides the first has the exhibit until it hears it no more`() {
        var rooms = Rooms([Self.cart, ReceiverEntry(id: "robot", kind: .carried)], [.exit: 60])
        rooms.hear(Rooms.exhibit, from: 0, to: 10, [-60, -60])
        #expect(rooms.visits == ["enter hits hall,room-cart 0.0"])
        rooms.hear(Rooms.exhibit, from: 10, to: 40, [nil, -60])
        #expect(rooms.visits.dropFirst().map { $0.prefix(21) } == ["exit moved room-cart ", "enter moved room-robo"])
        #expect(rooms.region("hall", at: 40)?.occupancy == 1)
        rooms.tick(at: 200)
        #expect(rooms.visits.last == "exit silence hall,room-robot 39.51")
    }
}
