// SPDX-License-Identifier: GPL-2.0-or-later

import FeedHTTP
import RadioCapture
import Time

extension RadioDesk {
    /// What `/v1/ring` gives of a receiver; nil: of the first.
    func ringAnswer(of receiver: String?) -> RingAnswer {
        guard let place = receiver.map({ receivers.firstIndex(of: $0) }) ?? 0 else { return .unknown(receivers) }
        guard let ring = askRing(of: place) else { return .noAnswer }
        return .file(FeedFile(ring, at: BoxClock.wallNow()))
    }
}

extension FeedFile {
    /// The ring as a btsnoop file; its header fields say from when on it reaches and how much it holds.
    init(_ ring: RingSnapshot, at time: WallTime) {
        var fields = [(name: "X-Ring-Frames", value: "\(ring.frames)")]
        if let from = ring.from { fields.append(("X-Ring-From", from.rfc3339)) }
        self.init(name: "ring-\(time.fileStamp).btsnoop", byteCount: ring.byteCount, fields: fields) {
            var pieces = ring.pieces()
            return { pieces.next() }
        }
    }
}
