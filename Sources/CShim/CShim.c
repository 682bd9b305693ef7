#define _GNU_SOURCE
#include "CShim.h"

#include <arpa/inet.h>
#include <pthread.h>
#include <string.h>
#include <sys/timex.h>

struct MHD_Daemon *shim_http_start(uint16_t port, int loopbackOnly, MHD_AcceptPolicyCallback accept, void *acceptContext,
                                   MHD_AccessHandlerCallback handle, void *context,
                                   unsigned connections, unsigned idleSeconds, size_t bytesPerConnection) {
    struct sockaddr_in address;
    memset(&address, 0, sizeof address);
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(loopbackOnly ? INADDR_LOOPBACK : INADDR_ANY);
    return MHD_start_daemon(MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME, port, accept, acceptContext, handle, context,
                            MHD_OPTION_SOCK_ADDR, (struct sockaddr *)&address,
                            MHD_OPTION_CONNECTION_LIMIT, connections,
                            MHD_OPTION_CONNECTION_TIMEOUT, idleSeconds,
                            MHD_OPTION_CONNECTION_MEMORY_LIMIT, bytesPerConnection,
                            MHD_OPTION_END);
}

uint16_t shim_http_port(struct MHD_Daemon *daemon) {
    const union MHD_DaemonInfo *info = MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_BIND_PORT);
    return info ? info->port : 0;
}

int shim_sqlite_configure(sqlite3 *database, int option, int on) { return sqlite3_db_config(database, option, on, (int *)0); }

sqlite3_destructor_type shim_sqlite_transient(void) { return SQLITE_TRANSIENT; }

int shim_clock_is_synchronised(void) {
    struct timex state;
    memset(&state, 0, sizeof state);
    return adjtimex(&state) >= 0 && !(state.status & STA_UNSYNC);
}

void shim_name_thread(const char *name) { pthread_setname_np(pthread_self(), name); }
