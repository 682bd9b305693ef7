// SPDX-License-Identifier: GPL-2.0-or-later

import Glibc

/// Reads small files whole: configuration, kernel facts.
enum TextFile {
    /// The bytes of a file, at most `limit`.
    static func read(_ path: String, limit: Int) throws(GatewayError) -> [UInt8] {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw GatewayError(reading: path, errno) }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = unsafe buffer.withUnsafeMutableBytes { unsafe Glibc.read(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw GatewayError(reading: path, errno) }
            if count == 0 { return bytes }
            bytes.append(contentsOf: buffer.prefix(count))
            guard bytes.count <= limit else {
                throw GatewayError(.refused, "\(path) is larger than \(limit) bytes: it is not what is expected there")
            }
        }
    }
}
