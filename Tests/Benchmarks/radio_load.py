#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Feeds a gateway 2,000 reports a second over a SEQPACKET socket, as a controller would, and tells what that costs it.

    Tests/Benchmarks/radio_load.py REGIOND [--rate N] [--seconds N]

Prints one JSON object: reports sent and counted, the share of a core (user and system), wake-ups a second."""
import argparse, json, os, re, socket, struct, subprocess, tempfile, threading, time, urllib.request

BEACONS = 200
READ_SUPPORTED, SCAN_ENABLE = 0x1002, 0x2042


def frame(number):
    data = bytes([2, 1, 6, 26, 0xFF, 0x4C, 0, 2, 21]) + bytes(range(16)) + struct.pack(">HHb", 7, number, -59)
    report = bytes([3, 1]) + struct.pack("<HI", number, 0xC0000000) + bytes([len(data)]) + data + bytes([0xC4])
    return bytes([4, 0x3E, 2 + len(report), 2, 1]) + report


class Controller(threading.Thread):
    def __init__(self, path, rate):
        super().__init__(daemon=True)
        self.listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.listener.bind(path)
        self.listener.listen(1)
        self.rate, self.sent, self.is_on, self.is_sending = rate, 0, False, True

    def run(self):
        host, _ = self.listener.accept()
        threading.Thread(target=self.send, args=(host,), daemon=True).start()
        while command := self.command(host):
            opcode = command[1] | command[2] << 8
            row = bytes(38) + b"\x60" + bytes(26) if opcode == READ_SUPPORTED else b"\0"
            host.send(bytes([4, 0x0E, 3 + len(row), 1]) + command[1:3] + row)
            if opcode == SCAN_ENABLE:
                self.is_on = command[4] == 1

    @staticmethod
    def command(host):
        try:
            return host.recv(300)
        except ConnectionError:
            return b""

    def send(self, host):
        frames = [frame(number) for number in range(1, BEACONS + 1)]
        start, done = None, 0
        while True:
            time.sleep(0.001)
            if not (self.is_on and self.is_sending):
                start = None
                continue
            if start is None:
                start, done = time.monotonic(), 0
            due = int((time.monotonic() - start) * self.rate)
            try:
                for number in range(done, due):
                    host.send(frames[number % BEACONS])
            except OSError:  # The gateway has ended.
                return
            self.sent += due - done
            done = due


def cost(pid):
    """Processor seconds, and voluntary switches of all threads."""
    fields = open(f"/proc/{pid}/stat").read().rsplit(")", 1)[1].split()
    switches = 0
    for task in os.listdir(f"/proc/{pid}/task"):
        text = open(f"/proc/{pid}/task/{task}/status").read()
        switches += int(re.search(r"^voluntary_ctxt_switches:\s+(\d+)", text, re.M).group(1))
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK"), switches


def measure(regiond, rate=2_000, seconds=20):
    with tempfile.TemporaryDirectory(prefix="regiond-load-") as folder:
        controller = Controller(os.path.join(folder, "hci"), rate)
        controller.start()
        registry = os.path.join(folder, "registry.json")
        with open(registry, "w") as file:
            uuid = bytes(range(16)).hex()
            beacons = [{"uuid": uuid, "major": 7, "minors": f"1-{BEACONS}"}]
            json.dump({"venueId": "hall", "beacons": beacons}, file)
        gateway = subprocess.Popen(
            [regiond, "run", f"hci:unix:{folder}/hci", "--registry", registry, "--db", f"{folder}/run.db"]
            + ["--set", "port=0"], stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
        try:
            port = next(int(m.group(1)) for line in gateway.stderr if (m := re.search(r"127\.0\.0\.1:(\d+)", line)))
            time.sleep(4)  # Everybody enters.
            before, begun, sent = cost(gateway.pid), time.monotonic(), controller.sent
            time.sleep(seconds)
            after, span, sent = cost(gateway.pid), time.monotonic() - begun, controller.sent - sent
            controller.is_sending = False
            time.sleep(1)
            field = json.load(urllib.request.urlopen(f"http://127.0.0.1:{port}/v1/field"))
        finally:
            gateway.terminate()
            gateway.wait(10)
    return {
        "sent": controller.sent, "counted": field["reports"], "lost": field["radio"]["lost"],
        "reportsPerSecond": sent / span, "percentOfACore": 100 * (after[0] - before[0]) / span,
        "wakeUpsPerSecond": (after[1] - before[1]) / span,
    }


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("regiond")
    parser.add_argument("--rate", type=int, default=2_000)
    parser.add_argument("--seconds", type=float, default=20)
    options = parser.parse_args()
    print(json.dumps(measure(options.regiond, options.rate, options.seconds)))
