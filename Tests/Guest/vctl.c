// SPDX-License-Identifier: GPL-2.0-or-later
//
// vctl: a scripted virtual LE controller for the kernel's /dev/vhci. It hears whatever its script says, at the times
// and signal strengths that the script says, and fails the way the script says. Several may run at once.
// Build: gcc -O2 -Wall -static -o vctl vctl.c
//
//   vctl [-x] [-v] [-a ADDRESS] SCRIPT
//     -x: can do extended scanning, and then, as real ones do, refuses (0x0c) legacy scan commands once extended ones
//     were used, or the other way round, until it is reset; -v: every command received, with the time, to stderr;
//     -a: its public address; SCRIPT: a file or FIFO (which may be written as the test goes), or - for standard input.
// Script, one step a line, carried out in order; times are in ms:
//   scanning [MAX]                      wait until the host has switched scanning on; exit status 3
//                                       when it has not within MAX (default 30000)
//   wait MS                             let MS pass
//   beacon NAME UUID MAJOR MINOR TX EVERY RSSI [SPREAD]   an iBeacon starts: one report every EVERY ms
//                                       at RSSI, plus or minus up to SPREAD (same noise in each run)
//   crowd N RATE RSSI [SPREAD]          N further iBeacons (UUID 0..0, major 1, minor 0..N-1), taking
//                                       turns so that together they make RATE reports a second
//   foreign N RATE RSSI                 the same with N devices that advertise data of company 0x0006
//   rssi NAME RSSI                      a beacon moves
//   stop NAME                           it falls silent; `crowd` and `foreign` are names
//   advert TYPE ADDRTYPE ADDRESS RSSI HEX   one report with any advertising data
//   batch N                             put N reports into each event from now on (reports wait for it)
//   event HEX                           any HCI event, from the event code on: malformed ones, 100142
//                                       (hardware error), and so on
//   mute [reset|forever]                reports are withheld and commands answered, until the host has disabled scanning
//                                       and enabled it again; reset: until an HCI Reset; forever: until unmute
//   empty RATE [reset|forever]          the same, and in place of what it hears it sends RATE reports a second
//                                       without data, each from another address
//   unmute
//   stall [N] / resume                  after N more commands none is answered / all are again
//   vanish MS                           the controller is unplugged and comes back MS later
//   say TEXT                            print TEXT
//   count                               print "sent N reports"
// What it prints to stdout begins with the time in ms since it started: what is said, "hciN" when the kernel has
// numbered it, "gone" when it is unplugged, "mute" and "hearing", "scan off", and
// "scan on legacy|extended passive|active all|accepted every|once" (accepted: the host hears its accept list only, as
// the kernel does while it connects; once: duplicates are filtered).
// Reports are sent only while scanning is on and the host's event masks let them through. At the script's end vctl
// prints "sent N reports", stays as it is for 200 ms, then ends: the controller is unplugged.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { MAX_BEACONS = 4096, IBEACON = 30 };
struct beacon {
    char name[32];
    uint8_t address[6], data[31];
    int size, on, rssi, spread, in_stream;
    double every, due;
};
struct stream {                                       // beacons that take turns
    int first, size, next;
    double every, due;
};
enum mute { HEARING, UNTIL_SCAN, UNTIL_RESET, FOR_EVER };

static struct beacon beacons[MAX_BEACONS];
static int beacon_count;
static struct stream crowd, foreign;
static int dev = -1, extended, verbose;
static long answers_left = -1;                        // before a stall; negative: no stall
static int scanning, scan_extended, scan_active, filter_duplicates, only_accepted, family;
static uint64_t event_mask, le_event_mask;
static uint8_t accepted[16][7];                       // address type, address
static int accepted_count;
static uint8_t address[6] = {0x01, 0x00, 0x00, 0x5e, 0x00, 0x02};
static uint8_t pending[256];
static int pending_size, pending_reports, batch = 1, pending_extended;
static enum mute mute;
static int was_disabled;                              // since it fell mute
static double empty_every, empty_due;
static long sent;
static double start;
static uint32_t seed = 12345;

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1e3 + t.tv_nsec / 1e6 - start;
}

static void say(const char *text) {
    printf("%.1f %s\n", now(), text);
    fflush(stdout);
}

static unsigned draw(void) {
    seed = seed * 1664525 + 1013904223;
    return seed >> 16;
}

static int noise(int spread) {                        // the sum of two draws: peaked in the middle
    int v = 0;
    if (!spread) return 0;
    for (int i = 0; i < 2; i++) v += (int)(draw() % (unsigned)(2 * spread + 1)) - spread;
    return v / 2;
}

static int put(const uint8_t *packet, int n) {
    int done = 0;
    while (dev >= 0 && done < n) {
        int w = write(dev, packet + done, n - done);
        if (w > 0) done += w;
        else if (errno == EAGAIN) { struct pollfd p = {dev, POLLOUT, 0}; poll(&p, 1, 100); }
        else if (errno != EINTR) break;               // the host is gone; the read side notices
    }
    return done == n;
}

static void flush_reports(void) {
    if (!pending_reports) return;
    uint8_t p[260] = {0x04, 0x3e, pending_size + 2, pending_extended ? 0x0d : 0x02, pending_reports};
    memcpy(p + 5, pending, pending_size);
    if (put(p, 5 + pending_size)) sent += pending_reports;
    pending_size = pending_reports = 0;
}

// Bit 61 lets LE events through; in the LE mask bit 1 the legacy report and bit 12 the extended one. A reset clears
// all three but the legacy bit, so a host that resets a controller and says nothing more hears nothing more.
static int is_masked(void) {
    return !(event_mask >> 61 & 1) || !(le_event_mask >> (scan_extended ? 12 : 1) & 1);
}

static void report(int type, int addr_type, const uint8_t *addr, int rssi, const uint8_t *data, int n) {
    // Event_Type of a legacy PDU as the extended report has it
    static const uint8_t legacy_type[5] = {0x13, 0x15, 0x12, 0x10, 0x1b};
    if (!scanning || is_masked()) return;
    int k = 0;
    while (only_accepted && k < accepted_count && (accepted[k][0] != addr_type || memcmp(accepted[k] + 1, addr, 6))) k++;
    if (only_accepted && k == accepted_count) return;
    int need = (scan_extended ? 24 : 10) + n;
    if (pending_size + need > 250) flush_reports();
    uint8_t *p = pending + pending_size;
    if (scan_extended) {
        uint8_t head[24] = {type < 5 ? legacy_type[type] : type, 0, addr_type, [9] = 1, 0, 0xff, 0x7f, rssi, [23] = n};
        memcpy(p, head, 24);
        memcpy(p + 3, addr, 6);
        memcpy(p + 24, data, n);
    } else {
        p[0] = type; p[1] = addr_type; p[8] = n;
        memcpy(p + 2, addr, 6);
        memcpy(p + 9, data, n);
        p[9 + n] = rssi;
    }
    pending_extended = scan_extended;
    pending_size += need;
    if (++pending_reports >= batch) flush_reports();
}

static void heard(struct beacon *b) {
    if (!scanning || mute || (filter_duplicates && b->on == 2)) return;
    b->on = 2;                                        // heard since scanning was switched on
    report(3, 1, b->address, b->rssi + noise(b->spread), b->data, b->size);
}

static void heard_empty(void) {
    uint8_t a[6] = {draw(), draw(), draw(), draw(), draw(), 0xc0 | draw()};
    report(3, 1, a, -70, a, 0);
}

static void hear(void) {
    if (mute) say("hearing");
    mute = HEARING;
}

static void set_scanning(int on, int duplicates, int ext) {
    char text[80];
    flush_reports();
    if (!on) was_disabled = 1;
    if (on && was_disabled && mute == UNTIL_SCAN) hear();
    if (on || scanning) {
        snprintf(text, sizeof text, on ? "scan on %s %s %s %s" : "scan off", ext ? "extended" : "legacy",
                 scan_active ? "active" : "passive", only_accepted ? "accepted" : "all", duplicates ? "once" : "every");
        say(text);
    }
    scanning = on; filter_duplicates = duplicates; scan_extended = ext;
    for (int i = 0; i < beacon_count; i++) {
        if (beacons[i].on) beacons[i].on = 1;
        if (beacons[i].due < now()) beacons[i].due = now() + beacons[i].every * (i % 16) / 16;
    }
    crowd.due = foreign.due = empty_due = now();
}

static void forget(void) {                            // what a reset or the power takes away
    set_scanning(0, 0, 0);
    family = scan_active = only_accepted = accepted_count = 0;
    event_mask = 0x00001fffffffffff;                  // defaults of the specification: no LE events
    le_event_mask = 0x1f;
}

static void complete(unsigned opcode, const uint8_t *ret, int n) {
    uint8_t p[260] = {0x04, 0x0e, 3 + n, 1, opcode, opcode >> 8};
    memcpy(p + 6, ret, n);
    put(p, 6 + n);
}

static uint64_t octets(const uint8_t *p) {
    uint64_t v = 0;
    for (int i = 7; i >= 0; i--) v = v << 8 | p[i];
    return v;
}

static void on_command(const uint8_t *c) {
    unsigned opcode = c[0] | c[1] << 8;
    const uint8_t *q = c + 3;
    uint8_t r[250] = {0};
    int n = 1;
    if (verbose) {
        fprintf(stderr, "%.0f command %04x", now(), opcode);
        for (int i = 0; i < c[2]; i++) fprintf(stderr, " %02x", q[i]);
        fprintf(stderr, "\n");
    }
    if (answers_left == 0) return;
    if (answers_left > 0) answers_left--;
    if (opcode == 0x200b || opcode == 0x200c || opcode == 0x2041 || opcode == 0x2042) {
        int mine = opcode & 0x40 ? 2 : 1, parameters = opcode == 0x200b || opcode == 0x2041;
        if (mine == 2 && !extended) r[0] = 0x01;
        else if ((family && family != mine) || (scanning && parameters)) r[0] = 0x0c;
        if (r[0]) { complete(opcode, r, 1); return; }
        if (extended) family = mine;
    }
    switch (opcode) {
    case 0x0c03:                                                                   // reset
        forget();
        if (mute != FOR_EVER) hear();
        break;
    case 0x0c01: event_mask = octets(q); break;
    case 0x2001: le_event_mask = octets(q); break;
    case 0x1001: n = 9; r[1] = r[4] = 9; r[5] = r[6] = 0xff; break;                // version: 5.0
    case 0x1002: n = 65; r[6] = 0xc0; r[26] = 0x17; r[27] = 0xcc;                  // supported commands
        if (extended) r[38] = 0x60;
        break;
    case 0x1003: n = 9; r[5] = 0x60; break;                                        // LE, no BR/EDR
    case 0x0c14: n = 249; break;                                                   // local name: none
    case 0x1009: n = 7; memcpy(r + 1, address, 6); break;
    case 0x2002: n = 4; r[1] = 251; r[3] = 8; break;                               // LE buffers
    case 0x2003: n = 9; if (extended) r[2] = 0x10; break;                          // LE features
    case 0x2007: n = 2; break;                                                     // advertising power
    case 0x200f: n = 2; r[1] = 16; break;                                          // accept list size
    case 0x201c: n = 9; memset(r + 1, 0xff, 5); break;                             // supported states
    case 0x2018: n = 9; break;                                                     // LE rand
    case 0x203b: n = 2; r[1] = 1; break;                                           // advertising sets
    case 0x200b: scan_active = q[0]; only_accepted = q[6] & 1; break;              // scan parameters
    case 0x2041: scan_active = q[3]; only_accepted = q[1] & 1; break;
    case 0x200c: set_scanning(q[0], q[1], 0); break;                               // scan enable
    case 0x2042: set_scanning(q[0], q[1], 1); break;
    case 0x2010: accepted_count = 0; break;                                        // accept list
    case 0x2011: if (accepted_count < 16) memcpy(accepted[accepted_count++], q, 7); break;
    case 0x0c63: case 0x0c6d: case 0x2005: case 0x2006: case 0x2008: case 0x2009: case 0x200a: case 0x2012:
    case 0x2035: case 0x2037: case 0x2038: case 0x2039: case 0x203c: case 0x203d: break;   // just success
    case 0x2036: n = 2; break;                                                     // with the power chosen
    default: r[0] = 0x01;                                                          // unknown command
    }
    complete(opcode, r, n);
}

static void appear(void) {
    uint8_t create[2] = {0xff, 0};
    forget();
    dev = open("/dev/vhci", O_RDWR | O_CLOEXEC);
    if (dev < 0 || write(dev, create, 2) != 2) { perror("/dev/vhci"); exit(1); }
    fcntl(dev, F_SETFL, O_NONBLOCK);
}

static void vanish(void) {
    if (dev >= 0) { close(dev); say("gone"); }
    dev = -1;
    scanning = pending_reports = pending_size = 0;
    mute = HEARING;
}

static void from_host(void) {
    uint8_t b[4096];                                  // one read gives one packet
    char text[16];
    int n = read(dev, b, sizeof b);
    if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR)) { vanish(); return; }
    if (n >= 4 && b[0] == 0x01) on_command(b + 1);
    if (n >= 4 && b[0] == 0xff) {                     // the kernel's answer to the creation: its index
        snprintf(text, sizeof text, "hci%d", b[2] | b[3] << 8);
        say(text);
    }
}

static double run_stream(struct stream *s, double t, double next) {
    if (!scanning || !s->size) return next;
    while (s->due <= t) { heard(&beacons[s->first + s->next++ % s->size]); s->due += s->every; }
    return s->due < next ? s->due : next;
}

// Advertises and answers until then, or until this file has something to read (-1: none).
static void run_until(double end, int file) {
    for (;;) {
        double t = now(), next = end;
        if (t >= end) return;
        for (int i = 0; i < beacon_count && scanning; i++) {
            struct beacon *b = &beacons[i];
            if (!b->on || b->in_stream) continue;
            while (b->due <= t) { heard(b); b->due += b->every; }
            if (b->due < next) next = b->due;
        }
        next = run_stream(&crowd, t, next);
        next = run_stream(&foreign, t, next);
        if (scanning && mute && empty_every) {
            while (empty_due <= t) { heard_empty(); empty_due += empty_every; }
            if (empty_due < next) next = empty_due;
        }
        struct pollfd p[2] = {{dev, POLLIN, 0}, {file, POLLIN, 0}};
        double wait = next - now();
        struct timespec ts = {0, 0};
        if (wait > 0) { ts.tv_sec = wait / 1e3; ts.tv_nsec = (wait - ts.tv_sec * 1e3) * 1e6; }
        if (ppoll(p, 2, &ts, NULL) <= 0) continue;
        if (p[0].revents) from_host();
        if (p[1].revents) return;
    }
}

static int hex(const char *s, uint8_t *to, int max) {
    int n = 0;
    for (; s[0] && s[1] && n < max; s += 2) {
        while (*s == '-' || *s == ':') s++;
        if (sscanf(s, "%2hhx", &to[n]) != 1) break;
        n++;
    }
    return n;
}

static struct beacon *find(const char *name) {
    for (int i = 0; i < beacon_count; i++) if (!strcmp(beacons[i].name, name)) return &beacons[i];
    return NULL;
}

static struct beacon *add(const char *name, const uint8_t *data, int size, int rssi, int spread) {
    struct beacon *b = find(name);
    if (!b) {
        if (beacon_count == MAX_BEACONS) { fprintf(stderr, "vctl: too many beacons\n"); exit(2); }
        b = &beacons[beacon_count++];
    }
    int i = b - beacons;
    uint8_t a[6] = {i, i >> 8, 0, 0, 0, 0xc0};        // a static random address each
    memcpy(b->data, data, size);
    memcpy(b->address, a, 6);
    snprintf(b->name, sizeof b->name, "%s", name);
    b->size = size; b->on = 1; b->rssi = rssi; b->spread = spread;
    return b;
}

static struct beacon *add_ibeacon(const char *name, const char *uuid, int major, int minor, int tx, int rssi, int spread) {
    uint8_t d[IBEACON] = {2, 1, 6, 26, 0xff, 0x4c, 0, 2, 21, [25] = major >> 8, major, minor >> 8, minor, tx};
    hex(uuid, d + 9, 16);
    return add(name, d, IBEACON, rssi, spread);
}

static void start_stream(struct stream *s, const char *name, int n, double rate, int rssi, int spread) {
    char a[32];
    uint8_t d[31] = {2, 1, 6, 27, 0xff, 0x06, 0x00, 0x01, 0x09, 0x20, 0x02};     // as Windows says what it is
    *s = (struct stream){.first = beacon_count, .size = n, .every = 1000 / rate, .due = now()};
    for (int k = 0; k < n; k++) {
        snprintf(a, sizeof a, "%s%d", name, k);
        d[30] = k;
        struct beacon *b = s == &crowd ? add_ibeacon(a, "00000000000000000000000000000000", 1, k, -59, rssi, spread)
                                       : add(a, d, sizeof d, rssi, spread);
        b->in_stream = 1;
    }
}

static void fall_mute(const char *until) {
    flush_reports();
    say("mute");
    mute = !strcmp(until, "reset") ? UNTIL_RESET : !strcmp(until, "forever") ? FOR_EVER : UNTIL_SCAN;
    was_disabled = !scanning;
    empty_due = now();
}

static void step(char *line) {
    char a[80] = "", b[80] = "", c[600] = "";
    int i1 = 0, i2 = 0, i3 = 0, i4 = 0, i5 = 0;
    double f = 0;
    struct beacon *at;
    uint8_t bytes[300], addr[6], le[6];
    if (sscanf(line, "beacon %31s %79s %d %d %d %lf %d %d", a, b, &i1, &i2, &i3, &f, &i4, &i5) >= 7) {
        at = add_ibeacon(a, b, i1, i2, i3, i4, i5);
        at->every = f; at->due = now();
    } else if (sscanf(line, "crowd %d %lf %d %d", &i1, &f, &i2, &i3) >= 3) start_stream(&crowd, "crowd", i1, f, i2, i3);
    else if (sscanf(line, "foreign %d %lf %d", &i1, &f, &i2) == 3) start_stream(&foreign, "foreign", i1, f, i2, 0);
    else if (sscanf(line, "rssi %31s %d", a, &i1) == 2 && (at = find(a))) at->rssi = i1;
    else if (!strcmp(line, "stop crowd")) crowd.size = 0;
    else if (!strcmp(line, "stop foreign")) foreign.size = 0;
    else if (sscanf(line, "stop %31s", a) == 1 && (at = find(a))) at->on = 0;
    else if (sscanf(line, "advert %d %d %79s %d %599s", &i1, &i2, a, &i3, c) >= 4) {
        hex(a, addr, 6);
        for (int k = 0; k < 6; k++) le[k] = addr[5 - k];
        report(i1, i2, le, i3, bytes, hex(c, bytes, 229));
    } else if (sscanf(line, "batch %d", &i1) == 1) { flush_reports(); batch = i1; }
    else if (sscanf(line, "event %599s", c) == 1) {
        bytes[0] = 0x04;
        put(bytes, 1 + hex(c, bytes + 1, 299));
    } else if (sscanf(line, "wait %lf", &f) == 1) run_until(now() + f, -1);
    else if (!strncmp(line, "scanning", 8)) {
        double limit = now() + (line[8] ? atof(line + 8) : 30000);
        while (!scanning && now() < limit) run_until(now() + 5, -1);
        if (!scanning) { fprintf(stderr, "vctl: no scan was started\n"); exit(3); }
    }
    else if (!strcmp(line, "unmute")) mute = HEARING;
    else if (!strncmp(line, "mute", 4)) { sscanf(line, "mute %31s", a); empty_every = 0; fall_mute(a); }
    else if (sscanf(line, "empty %lf %31s", &f, a) >= 1) { empty_every = 1000 / f; fall_mute(a); }
    else if (!strncmp(line, "stall", 5)) { sscanf(line, "stall %d", &i1); answers_left = i1; }
    else if (!strcmp(line, "resume")) answers_left = -1;
    else if (sscanf(line, "vanish %lf", &f) == 1) { vanish(); usleep(f * 1000); appear(); }
    else if (!strncmp(line, "say ", 4)) say(line + 4);
    else if (!strcmp(line, "count")) { flush_reports(); snprintf(a, sizeof a, "sent %ld reports", sent); say(a); }
    else { fprintf(stderr, "vctl: cannot read: %s\n", line); exit(2); }
}

int main(int argc, char **argv) {
    int o;
    while ((o = getopt(argc, argv, "xva:")) != -1) switch (o) {
        case 'x': extended = 1; break;
        case 'v': verbose = 1; break;
        case 'a': { uint8_t m[6]; hex(optarg, m, 6); for (int k = 0; k < 6; k++) address[k] = m[5 - k]; break; }
        default: return 2;
    }
    if (optind != argc - 1) { fprintf(stderr, "see the head of vctl.c\n"); return 2; }
    FILE *script = strcmp(argv[optind], "-") ? fopen(argv[optind], "r") : stdin;
    if (!script) { perror(argv[optind]); return 2; }
    signal(SIGPIPE, SIG_IGN);
    start = now();
    appear();
    // The script is read without blocking, so that the controller lives while a pipe is silent.
    int fd = fileno(script);
    char line[2048];
    int have = 0;
    fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
    for (;;) {
        char ch;
        int n = read(fd, &ch, 1);
        if (n < 0 && (errno == EAGAIN || errno == EINTR)) { run_until(now() + 60000, fd); continue; }
        if (n == 1 && ch != '\n') { if (have < (int)sizeof line - 1) line[have++] = ch; continue; }
        line[have] = 0;
        have = 0;
        if (*line && *line != '#') step(line);
        if (n <= 0) break;
    }
    strcpy(line, "count");
    step(line);
    run_until(now() + 200, -1);
    return 0;
}
