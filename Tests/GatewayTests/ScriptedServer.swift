// SPDX-License-Identifier: GPL-2.0-or-later

import Foundation
import Glibc

/// A server for one connection that does what a test tells it, good or bad.
struct ScriptedServer {
    let port: UInt16

    /// Listens on a free port; takes one connection, reads its request and runs the script on it.
    init(_ script: @escaping @Sendable (Peer) -> Void) {
        let (descriptor, port) = Self.listener()
        self.port = port
        Thread.detachNewThread {
            let accepted = accept(descriptor, nil, nil)
            close(descriptor)
            let peer = Peer(descriptor: accepted)
            while peer.read()?.isEmpty == true {}  // Closed with the request unread, what was sent would be lost.
            script(peer)
            close(accepted)
        }
    }

    /// A port that nobody listens on.
    static func deadPort() -> UInt16 {
        let (descriptor, port) = listener()
        close(descriptor)
        return port
    }

    private static func listener() -> (CInt, UInt16) {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = INADDR_LOOPBACK.bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        unsafe withUnsafeMutablePointer(to: &address) { address in
            unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                unsafe bind(descriptor, address, length)
                unsafe getsockname(descriptor, address, &length)
            }
        }
        listen(descriptor, 1)
        return (descriptor, address.sin_port.bigEndian)
    }

    /// The other side of the connection.
    struct Peer: Sendable {
        fileprivate let descriptor: CInt

        /// Sends bytes; false when the other side is gone.
        func send(_ text: String) -> Bool {
            let bytes = Array(text.utf8)
            return unsafe Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) > 0
        }

        /// Waits for what the other side sends; nil when it is gone, empty after a moment without anything.
        func read() -> String? {
            var limit = timeval(tv_sec: 0, tv_usec: 20_000)
            unsafe setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
            var buffer = [UInt8](repeating: 0, count: 4_096)
            let count = unsafe recv(descriptor, &buffer, buffer.count, 0)
            return count == 0 ? nil : String(decoding: buffer.prefix(max(0, count)), as: UTF8.self)
        }

        /// Says nothing until the other side goes.
        func waitForTheEnd() { while read() != nil {} }
    }
}
