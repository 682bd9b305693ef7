// SPDX-License-Identifier: GPL-2.0-or-later

import CMicroHTTPD
import CShim
import Glibc
import Synchronization

/// What this server holds at most: what comes over the wire is as hostile as what comes over the air.
enum FeedLimit {
    /// A technician's phone opens six connections, a handful of tabs a few dozen. Full: further ones wait until one
    /// idles out. They are all from this box, so that a limit for each address would say nothing.
    static let connections: UInt32 = 64
    /// The page asks once a second; a connection that is silent for longer has gone, or never meant to ask.
    static let idleSeconds: UInt32 = 15
    /// Request line, headers and answer headers together; browsers send 1 to 2 KiB. Full: the library answers 413,
    /// 414 or 431 and closes.
    static let bytesPerConnection = 16 * 1_024
    /// Fields of one name that are kept of a request; a second one is already refused.
    static let repeats = 2
    /// The one body that is taken, a mark, has some 200 bytes. Longer: 413.
    static let bodyBytes = 4_096
    /// Files on their way out: each holds on to what it is made of, up to the ring's 64 MB. Full: 503.
    static let files = 2
    /// A file goes out in portions of this size.
    static let portionBytes = 64 * 1_024
}

/// The HTTP server on the loopback address, with a thread of its own. It stops when its owner lets go of it.
///
/// All of libmicrohttpd stays in this file; what is answered stands in `FeedRoutes`.
@safe public struct FeedServer: ~Copyable {
    private let daemon: OpaquePointer
    private let context: Unmanaged<Context>

    /// Listens on `127.0.0.1:port`; port 0 takes any that is free.
    ///
    /// `fieldJSON` gives the newest `/v1/field` document in UTF-8, or nil when there is none; `ring` the file of
    /// `/v1/ring` for a receiver, or for the first; `mark` takes the body of a `/v1/mark`. They are called on the server's thread for each request, and
    /// other requests wait for them: a second at most is what a page can bear.
    public init(
        port: UInt16, fieldJSON: @escaping @Sendable () -> [UInt8]?,
        ring: @escaping @Sendable (String?) -> RingAnswer = { _ in .noAnswer },
        mark: @escaping @Sendable ([UInt8]) -> MarkAnswer = { _ in .notRecording }
    ) throws(FeedError) {
        let routes = FeedRoutes(fieldJSON: fieldJSON, ring: ring, mark: mark)
        let context = unsafe Unmanaged.passRetained(Context(port: port, routes: routes))
        let daemon = unsafe shim_http_start(
            port, 1, nil, nil, answerRequest, context.toOpaque(), forgetRequest,
            FeedLimit.connections, FeedLimit.idleSeconds, FeedLimit.bytesPerConnection)
        guard let daemon = unsafe daemon else {
            let code = errno
            unsafe context.release()
            throw FeedError.cannotListen(port: port, code: code)
        }
        unsafe self.daemon = daemon
        unsafe self.context = context
        let bound = unsafe shim_http_port(daemon)
        unsafe context.takeUnretainedValue().port.store(bound, ordering: .releasing)
    }

    deinit {
        unsafe MHD_stop_daemon(daemon)  // Joins its thread: nobody holds the context after this.
        unsafe context.release()
    }

    /// The port it listens on.
    public var port: UInt16 { unsafe context.takeUnretainedValue().port.load(ordering: .acquiring) }
}

/// The library that speaks HTTP.
public enum MicroHTTPD {
    /// What is running here.
    public static let version = unsafe String(cString: MHD_get_version())
}

/// Why the server could not start; the text names the address and what to do.
public struct FeedError: Error, Equatable, CustomStringConvertible, Sendable {
    /// For a person: what, where, and what to do about it.
    public let description: String

    static func cannotListen(port: UInt16, code: Int32) -> FeedError {
        let reason = unsafe strerror(code).map { unsafe String(cString: $0) } ?? "error \(code)"
        let remedy =
            code == EADDRINUSE ? "another gateway may be running: stop it, or choose another port" : "is it free?"
        return FeedError(description: "cannot listen on 127.0.0.1:\(port): \(reason); \(remedy)")
    }
}

/// What the library's thread is given.
private final class Context: Sendable {
    /// The bound port; known only after the start where port 0 was asked for.
    let port: Atomic<UInt16>
    let routes: FeedRoutes
    /// Files on their way out.
    let files = Atomic(0)

    init(port: UInt16, routes: FeedRoutes) {
        self.port = Atomic(port)
        self.routes = routes
    }
}

/// What came of a request's body so far.
private final class Upload {
    /// nil: more than is taken.
    private(set) var body: [UInt8]? = []

    func take(_ bytes: UnsafeRawBufferPointer) {
        guard let count = body?.count, count + bytes.count <= FeedLimit.bodyBytes else { return body = nil }
        unsafe body?.append(contentsOf: bytes)
    }
}

/// MHD_RequestCompletedCallback: the end of a request, however it ended.
private func forgetRequest(
    _ context: UnsafeMutableRawPointer?, _ connection: OpaquePointer?,
    _ requestState: UnsafeMutablePointer<UnsafeMutableRawPointer?>?, _ how: MHD_RequestTerminationCode
) {
    guard let state = unsafe requestState?.pointee else { return }
    unsafe Unmanaged<Upload>.fromOpaque(state).release()
    unsafe requestState?.pointee = nil
}

/// MHD_AccessHandlerCallback: called once when the headers are there, for each piece of a body, and at its end.
private func answerRequest(
    _ context: UnsafeMutableRawPointer?, _ connection: OpaquePointer?, _ url: UnsafePointer<CChar>?,
    _ method: UnsafePointer<CChar>?, _ version: UnsafePointer<CChar>?, _ uploadData: UnsafePointer<CChar>?,
    _ uploadBytes: UnsafeMutablePointer<Int>?, _ requestState: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
) -> MHD_Result {
    guard let context = unsafe context, let connection = unsafe connection, let url = unsafe url,
        let method = unsafe method, let requestState = unsafe requestState
    else { return .NO }
    let shared = unsafe Unmanaged<Context>.fromOpaque(context).takeUnretainedValue()
    var request = unsafe FeedRequest(
        method: String(cString: method), path: String(cString: url), port: shared.port.load(ordering: .acquiring))
    unsafe readHeaders(of: connection, into: &request)
    unsafe request.receiver = MHD_lookup_connection_value(connection, .GET_ARGUMENT_KIND, "receiver")
        .map { unsafe String(cString: $0) }
    guard let state = unsafe requestState.pointee else {
        // A body that nobody wants is refused before it is read; all else is answered at the last call, which keeps
        // the connection alive.
        if request.hasBody, let refusal = shared.routes.refusal(of: request) {
            return unsafe send(refusal, of: shared, to: connection)
        }
        unsafe requestState.pointee = Unmanaged.passRetained(Upload()).toOpaque()
        return .YES
    }
    let upload = unsafe Unmanaged<Upload>.fromOpaque(state).takeUnretainedValue()
    if let uploadBytes = unsafe uploadBytes, unsafe uploadBytes.pointee > 0 {
        unsafe upload.take(UnsafeRawBufferPointer(start: uploadData, count: uploadBytes.pointee))
        unsafe uploadBytes.pointee = 0
        return .YES
    }
    request.body = upload.body
    var answer = shared.routes.answer(to: request)
    if answer.file != nil, shared.files.load(ordering: .relaxed) >= FeedLimit.files {
        answer = .problem(
            503, "Service Unavailable", "\(FeedLimit.files) files are on their way out: ask again when they are.",
            [("Retry-After", "10")])
    }
    return unsafe send(answer, of: shared, to: connection)
}

private func readHeaders(of connection: OpaquePointer, into request: inout FeedRequest) {
    unsafe withUnsafeMutablePointer(to: &request) { request in
        _ = unsafe MHD_get_connection_values(
            connection, .HEADER_KIND,
            { request, _, name, value in
                guard let request = unsafe request?.assumingMemoryBound(to: FeedRequest.self), let name = unsafe name
                else { return .NO }
                let text = unsafe value.map { unsafe String(cString: $0) } ?? ""
                unsafe request.pointee.addHeader(String(cString: name), text)
                return .YES
            }, request)
    }
}

private func send(_ answer: FeedAnswer, of shared: Context, to connection: OpaquePointer) -> MHD_Result {
    let response = unsafe answer.file.map { unsafe fileResponse($0, of: shared) } ?? bodyResponse(answer.body)
    guard let response = unsafe response else { return .NO }  // No memory: the connection is closed.
    defer { unsafe MHD_destroy_response(response) }
    for (name, value) in answer.headers {
        guard unsafe MHD_add_response_header(response, name, value) == .YES else { return .NO }
    }
    return unsafe MHD_queue_response(connection, answer.status, response)
}

private func bodyResponse(_ body: [UInt8]) -> OpaquePointer? {
    unsafe body.withUnsafeBytes { body in
        // The library copies it; its parameter is not const only because another mode frees it.
        unsafe MHD_create_response_from_buffer(
            body.count, UnsafeMutableRawPointer(mutating: body.baseAddress), .RESPMEM_MUST_COPY)
    }
}

/// The library asks for the bytes while they go out, and lets go of the sending when it is over or the client gone.
private func fileResponse(_ file: FeedFile, of shared: Context) -> OpaquePointer? {
    let sending = unsafe Unmanaged.passRetained(Sending(file, of: shared))
    let response = unsafe MHD_create_response_from_callback(
        UInt64(file.byteCount), FeedLimit.portionBytes,
        { sending, _, room, count in
            guard let sending = unsafe sending, let room = unsafe room else { return contentReaderFailed }
            let filled = unsafe Unmanaged<Sending>.fromOpaque(sending).takeUnretainedValue().reading
                .fill(UnsafeMutableRawBufferPointer(start: room, count: count))
            return filled > 0 ? filled : contentReaderFailed
        },
        sending.toOpaque(), { sending in unsafe sending.map { unsafe Unmanaged<Sending>.fromOpaque($0).release() } })
    if unsafe response == nil { unsafe sending.release() }
    return unsafe response
}

/// MHD_CONTENT_READER_END_WITH_ERROR, a macro with a cast: the connection is closed, and the client knows by the
/// length that something is missing.
private let contentReaderFailed = -2

/// A file on its way out.
private final class Sending {
    let reading: FileReading
    private let shared: Context

    init(_ file: FeedFile, of shared: Context) {
        reading = FileReading(file)
        self.shared = shared
        shared.files.add(1, ordering: .relaxed)
    }

    deinit { shared.files.subtract(1, ordering: .relaxed) }
}
