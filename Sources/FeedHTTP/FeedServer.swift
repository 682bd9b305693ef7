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
    /// Host fields that are kept of a request; a second one is already refused.
    static let hosts = 2
}

/// The HTTP server on the loopback address, with a thread of its own. It stops when its owner lets go of it.
///
/// All of libmicrohttpd stays in this file; what is answered stands in `FeedRoutes`.
@safe public struct FeedServer: ~Copyable {
    private let daemon: OpaquePointer
    private let context: Unmanaged<Context>

    /// Listens on `127.0.0.1:port`; port 0 takes any that is free.
    ///
    /// `fieldJSON` gives the newest `/v1/field` document in UTF-8, or nil when there is none. It is called on the
    /// server's thread for each request, and other requests wait for it: a second at most is what a page can bear.
    public init(port: UInt16, fieldJSON: @escaping @Sendable () -> [UInt8]?) throws(FeedError) {
        let context = unsafe Unmanaged.passRetained(Context(port: port, routes: FeedRoutes(fieldJSON: fieldJSON)))
        let daemon = unsafe shim_http_start(
            port, 1, nil, nil, answerRequest, context.toOpaque(),
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

    init(port: UInt16, routes: FeedRoutes) {
        self.port = Atomic(port)
        self.routes = routes
    }
}

/// MHD_AccessHandlerCallback: called once when the headers are there and again when the (empty) body is.
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
    // A body is refused before it is read; all else is answered at the second call, which keeps the connection alive.
    if unsafe requestState.pointee == nil, !request.hasBody {
        unsafe requestState.pointee = context
        return .YES
    }
    return unsafe send(shared.routes.answer(to: request), to: connection)
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

private func send(_ answer: FeedAnswer, to connection: OpaquePointer) -> MHD_Result {
    let response = unsafe answer.body.withUnsafeBytes { body in
        // The library copies it; its parameter is not const only because another mode frees it.
        unsafe MHD_create_response_from_buffer(
            body.count, UnsafeMutableRawPointer(mutating: body.baseAddress), .RESPMEM_MUST_COPY)
    }
    guard let response = unsafe response else { return .NO }  // No memory: the connection is closed.
    defer { unsafe MHD_destroy_response(response) }
    for (name, value) in answer.headers {
        guard unsafe MHD_add_response_header(response, name, value) == .YES else { return .NO }
    }
    return unsafe MHD_queue_response(connection, answer.status, response)
}
