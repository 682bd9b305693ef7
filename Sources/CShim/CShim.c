#define _GNU_SOURCE
#include "CShim.h"

#include <arpa/inet.h>
#include <bluetooth/bluetooth.h>
#include <bluetooth/hci.h>
#include <errno.h>
#include <linux/filter.h>
#include <linux/sock_diag.h>
#include <pthread.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/timex.h>
#include <unistd.h>

struct MHD_Daemon *shim_http_start(uint16_t port, int loopbackOnly, MHD_AcceptPolicyCallback accept, void *acceptContext,
                                   MHD_AccessHandlerCallback handle, void *context,
                                   MHD_RequestCompletedCallback completed,
                                   unsigned connections, unsigned idleSeconds, size_t bytesPerConnection) {
    struct sockaddr_in address;
    memset(&address, 0, sizeof address);
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(loopbackOnly ? INADDR_LOOPBACK : INADDR_ANY);
    return MHD_start_daemon(MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME, port, accept, acceptContext, handle, context,
                            MHD_OPTION_SOCK_ADDR, (struct sockaddr *)&address,
                            MHD_OPTION_NOTIFY_COMPLETED, completed, NULL,
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

int shim_hci_adapters(struct shim_adapter *adapters, int most) {
    union {
        struct hci_dev_list_req list;
        char room[sizeof(struct hci_dev_list_req) + HCI_MAX_DEV * sizeof(struct hci_dev_req)];
    } request;
    int descriptor = socket(AF_BLUETOOTH, SOCK_RAW | SOCK_CLOEXEC, BTPROTO_HCI);
    if (descriptor < 0) return -1;
    memset(&request, 0, sizeof request);
    request.list.dev_num = HCI_MAX_DEV;
    int count = ioctl(descriptor, HCIGETDEVLIST, &request.list) < 0 ? -1 : 0;
    for (int n = 0; count >= 0 && n < request.list.dev_num && count < most; n++) {
        struct hci_dev_info info = {.dev_id = request.list.dev_req[n].dev_id};
        if (ioctl(descriptor, HCIGETDEVINFO, &info) < 0) continue;  // Gone between the two questions.
        adapters[count].index = info.dev_id;
        adapters[count].flags = info.flags;
        memcpy(adapters[count].address, &info.bdaddr, sizeof adapters[count].address);
        count++;
    }
    int code = errno;
    close(descriptor);
    errno = code;
    return count;
}

static int64_t stamp(struct msghdr *message) {
    for (struct cmsghdr *part = CMSG_FIRSTHDR(message); part; part = CMSG_NXTHDR(message, part)) {
        int of_hci = part->cmsg_level == SOL_HCI && part->cmsg_type == HCI_CMSG_TSTAMP;
        int of_socket = part->cmsg_level == SOL_SOCKET && part->cmsg_type == SCM_TIMESTAMP;
        if (!of_hci && !of_socket) continue;
        struct timeval time;
        memcpy(&time, CMSG_DATA(part), sizeof time);
        return time.tv_sec * 1000000000LL + time.tv_usec * 1000LL;
    }
    return 0;
}

int shim_receive(int descriptor, uint8_t *bytes, int room, int most, uint16_t *lengths, int64_t *stamps) {
    enum { MOST = 64, CONTROL = 128 };
    struct mmsghdr messages[MOST];
    struct iovec places[MOST];
    _Alignas(struct cmsghdr) char control[MOST][CONTROL];
    if (most > MOST) most = MOST;
    for (int n = 0; n < most; n++) {
        places[n] = (struct iovec){bytes + (size_t)n * room, room};
        messages[n].msg_hdr = (struct msghdr){
            .msg_iov = &places[n], .msg_iovlen = 1, .msg_control = control[n], .msg_controllen = CONTROL};
    }
    int count = recvmmsg(descriptor, messages, most, MSG_DONTWAIT, NULL);
    if (count < 0) return errno == EAGAIN || errno == EINTR ? 0 : -1;
    for (int n = 0; n < count; n++) {
        if (messages[n].msg_len == 0) {  // The other end has gone.
            if (n == 0) errno = EPIPE;
            return n > 0 ? n : -1;
        }
        lengths[n] = messages[n].msg_len;
        stamps[n] = stamp(&messages[n].msg_hdr);
    }
    return count;
}

int shim_filter(int descriptor, const void *program, uint16_t instructions) {
    struct sock_fprog filter = {.len = instructions, .filter = (struct sock_filter *)program};
    if (instructions == 0) return setsockopt(descriptor, SOL_SOCKET, SO_DETACH_FILTER, &filter, sizeof filter);
    return setsockopt(descriptor, SOL_SOCKET, SO_ATTACH_FILTER, &filter, sizeof filter);
}

uint32_t shim_dropped(int descriptor) {
    uint32_t figures[SK_MEMINFO_VARS] = {0};
    socklen_t size = sizeof figures;
    return getsockopt(descriptor, SOL_SOCKET, SO_MEMINFO, figures, &size) == 0 ? figures[SK_MEMINFO_DROPS] : 0;
}
