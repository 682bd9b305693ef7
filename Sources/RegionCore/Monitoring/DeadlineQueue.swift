// SPDX-License-Identifier: GPL-2.0-or-later

/// Which beacon has to be looked at next: a binary heap with one entry for each heard beacon.
///
/// An entry may be earlier than the beacon's true deadline (a sighting moves that away without touching the heap);
/// who takes the first entry asks for the true one and puts it back. Order: time, then registry order.
struct DeadlineQueue: Sendable {
    /// One beacon's turn.
    struct Entry: Sendable {
        /// Nanoseconds of the boot clock, not later than the true deadline.
        var time: Int64
        /// The beacon's place in the registry.
        var beacon: Int32
        /// The beacon's track.
        var track: Int32

        func comesBefore(_ other: Entry) -> Bool { (time, beacon) < (other.time, other.beacon) }
    }

    private var heap: [Entry] = []
    /// Where each track's entry lies in the heap; −1: nowhere.
    private var positions: [Int32] = []

    /// The entry whose turn comes first.
    var first: Entry? { heap.first }

    /// Makes room for one more track.
    mutating func addTrack() {
        positions.append(-1)
        if heap.capacity < positions.count { heap.reserveCapacity(positions.capacity) }
    }

    /// Makes room for that many tracks at once.
    mutating func reserve(_ count: Int) {
        positions.reserveCapacity(count)
        heap.reserveCapacity(count)
    }

    /// Sees to it that a track's turn comes no later than this. An earlier turn stays: it costs one look.
    mutating func schedule(track: Int, beacon: Int32, notAfter time: Int64) {
        let position = Int(positions[track])
        if position < 0 {
            heap.append(Entry(time: time, beacon: beacon, track: Int32(track)))
            siftUp(heap.count - 1)
        } else if time < heap[position].time {
            heap[position].time = time
            siftUp(position)
        }
    }

    /// Gives the first entry its true, later time.
    mutating func postponeFirst(to time: Int64) {
        heap[0].time = time
        siftDown(0)
    }

    /// Takes the first entry out.
    mutating func removeFirst() {
        positions[Int(heap[0].track)] = -1
        let last = heap.removeLast()
        if !heap.isEmpty {
            heap[0] = last
            siftDown(0)
        }
    }

    private mutating func siftUp(_ start: Int) {
        let entry = heap[start]
        var position = start
        while position > 0 {
            let parent = (position - 1) / 2
            guard entry.comesBefore(heap[parent]) else { break }
            place(heap[parent], at: position)
            position = parent
        }
        place(entry, at: position)
    }

    private mutating func siftDown(_ start: Int) {
        let entry = heap[start]
        var position = start
        while true {
            var child = 2 * position + 1
            guard child < heap.count else { break }
            if child + 1 < heap.count, heap[child + 1].comesBefore(heap[child]) { child += 1 }
            guard heap[child].comesBefore(entry) else { break }
            place(heap[child], at: position)
            position = child
        }
        place(entry, at: position)
    }

    private mutating func place(_ entry: Entry, at position: Int) {
        heap[position] = entry
        positions[Int(entry.track)] = Int32(position)
    }
}
