// SPDX-License-Identifier: GPL-2.0-or-later

import Time

/// The table of beacons: drawn in place each second on a terminal, printed once where no person looks.
struct FieldWatch {
    /// How often the field is looked at.
    static let every = Duration.seconds(1)

    private let isLive: Bool
    private let follows: Bool
    private let ink = Ink.usual()
    private var screen = Screen()
    private var order = SteadyOrder()
    /// The last document, and when it came.
    private var last: (document: FieldDocument, at: Instant)?

    /// `isLive`: on a terminal. `follows`: again and again elsewhere, too.
    init(isLive: Bool, follows: Bool) {
        self.isLive = isLive
        self.follows = follows
    }

    /// Shows the field until somebody ends it or the source does.
    consuming func run(_ origin: inout any FieldOrigin, _ loop: borrowing EventLoop) throws(GatewayError) {
        var next = BoxClock.now() + (isLive ? .zero : origin.warmUp)
        while true {
            let passing: Passing
            do throws(GatewayError) {
                passing = try origin.pass(loop, until: next)
            } catch {
                // What was heard before the source failed is worth a last look.
                _ = try? look(&origin)
                throw error
            }
            if passing == .stopped, isLive || follows {
                if isLive { Console.print("") }  // The terminal has written ^C where the shell goes on.
                return
            }
            guard try look(&origin), passing == .due, isLive || follows else { return }
            next = max(next + Self.every, BoxClock.now())
        }
    }

    /// Asks and shows; false when nobody reads it any more.
    private mutating func look(_ origin: inout any FieldOrigin) throws(GatewayError) -> Bool {
        var trouble: [String] = []
        do throws(GatewayError) {
            guard let document = FieldDocument(try origin.document()) else {
                throw GatewayError(.failed, "what the gateway answers is no field: is it of another version?")
            }
            last = (document, BoxClock.now())
        } catch {
            guard isLive || follows, let last else { throw error }
            let silent = Int((BoxClock.now() - last.at).inSeconds)
            trouble = ["No answer for \(silent) s: \(error). What stands below is old."]
        }
        guard let last else { return true }
        let table = BeaconTable(
            document: last.document, beacons: order.sort(last.document.beacons), origin: origin.words,
            late: (BoxClock.now() - last.at).inSeconds, trouble: trouble)
        if isLive {
            let size = Screen.currentSize()
            let paper = BeaconTable.Paper(columns: size.columns, rows: size.rows, ink: ink)
            return screen.draw(table.lines(on: paper), size: size)
        }
        let lines = table.lines(on: BeaconTable.Paper(columns: nil, rows: nil, ink: ink))
        let end = follows ? "\n\n" : "\n"
        return Console.write(Array((lines.joined(separator: "\n") + end).utf8), to: Console.output)
    }
}
