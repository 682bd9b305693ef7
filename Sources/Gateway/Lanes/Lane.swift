// SPDX-License-Identifier: GPL-2.0-or-later

import CShim
import Glibc

/// A thread of the gateway. There are three beside libmicrohttpd's own: radio (the main thread), store and service.
struct Lane: ~Copyable {
    private var thread = pthread_t()

    /// Starts a thread that runs `body` once.
    init(_ name: StaticString, _ body: @escaping @Sendable () -> Void) {
        let start = unsafe Unmanaged.passRetained(Start(name: name, body: body)).toOpaque()
        let code = unsafe pthread_create(
            &thread, nil,
            { context in
                guard let context = unsafe context else { return nil }
                let start = unsafe Unmanaged<Start>.fromOpaque(context).takeRetainedValue()
                unsafe shim_name_thread(UnsafeRawPointer(start.name.utf8Start).assumingMemoryBound(to: CChar.self))
                start.body()
                return nil
            }, start)
        precondition(code == 0, "the system gives no more threads")
    }

    /// Waits for its end.
    consuming func join() { _ = pthread_join(thread, nil) }

    private final class Start {
        let name: StaticString
        let body: @Sendable () -> Void

        init(name: StaticString, body: @escaping @Sendable () -> Void) {
            self.name = name
            self.body = body
        }
    }
}
