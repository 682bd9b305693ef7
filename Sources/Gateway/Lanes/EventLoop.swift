// SPDX-License-Identifier: GPL-2.0-or-later

import CShim
import Glibc
import Time

/// What the radio lane sleeps on: one epoll set with the process's signals and a bell that other lanes ring.
struct EventLoop: ~Copyable {
    /// A signal the gateway acts on.
    enum Signal {
        /// SIGINT or SIGTERM: end in order.
        case stop
        /// SIGHUP: look at the registry now.
        case reload
    }

    private let epoll: CInt
    private let signals: CInt
    /// Rung by other lanes to wake this one.
    let bell: Bell

    /// Takes the signals over; to be made before any thread, so that all threads inherit the mask.
    init() throws(GatewayError) {
        // Both come as errors of the write that met them; by default either would end the process.
        for number in [SIGPIPE, SIGXFSZ] { signal(number, SIG_IGN) }
        var mask = sigset_t()
        unsafe sigemptyset(&mask)
        for number in [SIGINT, SIGTERM, SIGHUP] { unsafe sigaddset(&mask, number) }
        unsafe pthread_sigmask(SIG_BLOCK, &mask, nil)
        epoll = epoll_create1(Int32(EPOLL_CLOEXEC))
        signals = unsafe signalfd(-1, &mask, Int32(SFD_CLOEXEC | SFD_NONBLOCK))
        bell = Bell(descriptor: eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK)))
        guard epoll >= 0, signals >= 0, bell.descriptor >= 0, watch(signals), watch(bell.descriptor) else {
            throw GatewayError(.failed, "the system gives no more descriptors: raise the limit (ulimit -n)")
        }
    }

    deinit {
        close(epoll)
        close(signals)
        close(bell.descriptor)
    }

    /// From now on also wakes when there is something to read here, until it is closed.
    func watchToo(_ descriptor: CInt) { _ = watch(descriptor) }

    /// Sleeps until a signal, the bell, something to read, or the end of the time; gives the signals that came.
    func wait(atMost span: Duration) -> [Signal] {
        var event = unsafe epoll_event()
        let milliseconds = (max(0, span.wholeNanoseconds) + 999_999) / 1_000_000
        let count = unsafe epoll_wait(epoll, &event, 1, Int32(min(milliseconds, 3_600_000)))
        guard count > 0 else { return [] }
        // One at a time: the system gives what else is ready at the next wait.
        let ready = unsafe event.data.fd
        if ready == bell.descriptor { bell.silence() }
        guard ready == signals else { return [] }
        var taken: [Signal] = []
        var info = signalfd_siginfo()
        while unsafe read(signals, &info, MemoryLayout<signalfd_siginfo>.size) > 0 {
            taken.append(info.ssi_signo == UInt32(SIGHUP) ? .reload : .stop)
        }
        return taken
    }

    private func watch(_ descriptor: CInt) -> Bool {
        var event = unsafe epoll_event()
        unsafe event.events = EPOLLIN.rawValue
        unsafe event.data.fd = descriptor
        return unsafe epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, &event) == 0
    }

    /// Wakes the loop from another thread.
    struct Bell: Sendable {
        fileprivate let descriptor: CInt

        /// Wakes the loop.
        func ring() {
            var one: UInt64 = 1
            _ = unsafe write(descriptor, &one, 8)
        }

        fileprivate func silence() {
            var count: UInt64 = 0
            _ = unsafe read(descriptor, &count, 8)
        }
    }
}
