// SPDX-License-Identifier: GPL-2.0-or-later

import FeedHTTP
import RadioCapture
import Time

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
