// SPDX-License-Identifier: GPL-2.0-or-later

import JSONText

/// What goes back: a status, header fields and a body, or a file as the body.
struct FeedAnswer {
    var status: UInt32
    var headers: [(name: String, value: String)]
    var body: [UInt8]
    /// Sent instead of the body.
    private(set) var file: FeedFile?

    /// On every answer. There is no CORS field: no other page may read what is said here.
    private static let always: [(name: String, value: String)] = [
        ("X-Content-Type-Options", "nosniff"),
        ("Referrer-Policy", "no-referrer"),
        ("Cross-Origin-Resource-Policy", "same-origin"),
    ]

    /// Only what the page brings along itself; images in `data:` for its icon.
    static let contentSecurityPolicy = """
        default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; \
        base-uri 'none'; form-action 'none'; frame-ancestors 'none'
        """

    private init(status: UInt32, headers: [(name: String, value: String)], body: [UInt8] = []) {
        self.status = status
        self.headers = Self.always + headers
        self.body = body
    }

    /// A file of the page. Browsers ask again each time: a new version of the gateway is a new page at once.
    static func page(_ body: [UInt8], type: String) -> FeedAnswer {
        FeedAnswer(
            status: 200,
            headers: [
                ("Content-Type", "\(type); charset=utf-8"), ("Cache-Control", "no-cache"),
                ("Content-Security-Policy", contentSecurityPolicy),
            ], body: body)
    }

    /// A document of the API.
    static func json(_ body: [UInt8]) -> FeedAnswer {
        FeedAnswer(
            status: 200, headers: [("Content-Type", "application/json"), ("Cache-Control", "no-store")], body: body)
    }

    /// Bytes to be saved under a name.
    static func download(_ file: FeedFile) -> FeedAnswer {
        var answer = FeedAnswer(
            status: 200,
            headers: [
                ("Content-Type", "application/octet-stream"), ("Cache-Control", "no-store"),
                ("Content-Disposition", "attachment; filename=\"\(file.name)\""),
            ] + file.fields)
        answer.file = file
        return answer
    }

    /// Somewhere else on this server.
    static func redirect(to path: String) -> FeedAnswer {
        FeedAnswer(status: 302, headers: [("Location", path), ("Cache-Control", "no-store")])
    }

    /// An error, as RFC 9457 has it.
    static func problem(
        _ status: UInt32, _ title: String, _ detail: String, _ more: [(name: String, value: String)] = []
    ) -> FeedAnswer {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("title", title)
        writer.member("status", Int64(status))
        writer.member("detail", detail)
        writer.endObject()
        return FeedAnswer(
            status: status,
            headers: [("Content-Type", "application/problem+json"), ("Cache-Control", "no-store")] + more,
            body: writer.bytes)
    }
}
