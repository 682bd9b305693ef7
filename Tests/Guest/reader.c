// SPDX-License-Identifier: GPL-2.0-or-later
//
// reader DEVICE SECONDS: the least that a program can do to hear a scan: takes each LE event from the kernel, a
// hundred times a second, and throws it away. Prints "N frames P s": what that costs in processor time on this
// machine is the floor for every other program.
// Build: gcc -O2 -Wall -static -o reader reader.c
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

// As the kernel has them; its headers for HCI come with a library that is not needed for this.
enum { BLUETOOTH = 31, BTPROTO_HCI = 1, SOL_HCI = 0, HCI_FILTER = 2 };
struct address { unsigned short family, device, channel; };
struct filter { uint32_t types, events[2]; uint16_t opcode; };

int main(int argc, char **argv) {
    if (argc != 3) { fprintf(stderr, "usage: reader DEVICE SECONDS\n"); return 2; }
    struct address at = {BLUETOOTH, atoi(argv[1]), 0};
    struct filter le = {1 << 4, {0, 1u << (0x3e - 32)}, 0};
    int fd = socket(BLUETOOTH, SOCK_RAW | SOCK_NONBLOCK | SOCK_CLOEXEC, BTPROTO_HCI);
    if (fd < 0 || bind(fd, (struct sockaddr *)&at, sizeof at) || setsockopt(fd, SOL_HCI, HCI_FILTER, &le, sizeof le)) {
        perror("reader");
        return 1;
    }
    long frames = 0;
    uint8_t frame[512];
    struct timespec nap = {0, 10000000};
    time_t end = time(NULL) + atoi(argv[2]);
    while (time(NULL) < end) {
        nanosleep(&nap, NULL);
        while (read(fd, frame, sizeof frame) > 0) frames++;
    }
    struct rusage used;
    getrusage(RUSAGE_SELF, &used);
    printf("%ld frames %.3f s\n", frames, used.ru_utime.tv_sec + used.ru_stime.tv_sec
        + (used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1e6);
    return 0;
}
