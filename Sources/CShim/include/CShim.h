// What Swift cannot call itself: variadic functions, function-like macros, and Linux headers outside its Glibc module.
#ifndef REGIOND_CSHIM_H
#define REGIOND_CSHIM_H

#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>

#include <microhttpd.h>
#include <sqlite3.h>

/// An adapter as the kernel lists it; the address least significant byte first.
struct shim_adapter {
    uint16_t index;
    uint8_t address[6];
    uint32_t flags;
};

/// Lists the Bluetooth adapters; how many there are, or -1 with errno.
int shim_hci_adapters(struct shim_adapter *adapters, int most);

/// Takes waiting packets without waiting for more: packet n lies at `bytes + n * room`, its length in `lengths[n]`, when
/// the kernel received it (nanoseconds of the wall clock, 0: it does not say) in `stamps[n]`.
/// How many were taken (at most 64); 0: none is there, or the other end has gone; -1 with errno.
int shim_receive(int descriptor, uint8_t *bytes, int room, int most, uint16_t *lengths, int64_t *stamps);

/// Puts a classic BPF program of `struct sock_filter` on a socket; none of them takes it off. 0, or -1 with errno.
int shim_filter(int descriptor, const void *program, uint16_t instructions);

/// What the kernel dropped at this socket because nobody read it.
uint32_t shim_dropped(int descriptor);

/// Opens a daemon with a thread of its own (epoll), bound to 127.0.0.1 or to every address. `completed` is told of the
/// end of each request that `handle` was asked for, however it ended.
/// Limits: connections in all, seconds a connection may idle, bytes of memory a connection may use.
/// NULL when the port is taken or a thread cannot be made; errno says which.
struct MHD_Daemon *shim_http_start(uint16_t port, int loopbackOnly, MHD_AcceptPolicyCallback accept, void *acceptContext,
                                   MHD_AccessHandlerCallback handle, void *context,
                                   MHD_RequestCompletedCallback completed,
                                   unsigned connections, unsigned idleSeconds, size_t bytesPerConnection);

/// The port the daemon listens on (what port 0 became), or 0.
uint16_t shim_http_port(struct MHD_Daemon *daemon);

/// Sets one of SQLite's on/off options (SQLITE_DBCONFIG_…); an SQLite result code.
int shim_sqlite_configure(sqlite3 *database, int option, int on);

/// SQLITE_TRANSIENT: the library copies what it is given.
sqlite3_destructor_type shim_sqlite_transient(void);

/// Whether the kernel says that the wall clock is disciplined (adjtimex), 1 or 0.
int shim_clock_is_synchronised(void);

/// Names the calling thread, as `top -H` shows it (15 bytes are kept).
void shim_name_thread(const char *name);

#endif
