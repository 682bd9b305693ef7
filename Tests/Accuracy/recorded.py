# SPDX-License-Identifier: GPL-2.0-or-later
"""Reads the recorded data sets; nothing is changed on the way but names and units."""
import csv
import glob
import gzip
import os
from collections import defaultdict, namedtuple

from replay import Identity, sighting

BADGES = "DAF246CE836311E4B116123B93F75CBA"

Heard = namedtuple("Heard", "ms scanner beacon power rssi heartbeat")
Stay = namedtuple("Stay", "minor room begin end settled")  # s; room is the destination while it is not settled


def rows(*path):
    """The rows of a CSV file, plain or gzip, as dictionaries."""
    name = os.path.join(*path)
    with gzip.open(name, "rt") if name.endswith(".gz") else open(name) as file:
        yield from csv.DictReader(file)


class ScannerRun:
    """One run of the conference badges: what scanners in rooms heard, in the order in which it arrived."""

    def __init__(self, data, name):
        self.name = name
        self.heard = [
            Heard(int(row["t_ms"]), row["scanner"], Identity(row["uuid"], int(row["major"]), int(row["minor"])),
                  int(row["tx_power"]) or None, int(row["rssi"]), row["heartbeat"] == "1")
            for row in rows(data, "rh-scanners", f"{name}.csv.gz")]
        # A whole second, so that whole seconds of replay and of truth are the same.
        self.start = min(heard.ms for heard in self.heard) // 1000 * 1000
        self.end = max(heard.ms for heard in self.heard)

    @property
    def scanners(self):
        return sorted({heard.scanner for heard in self.heard})

    def beacons(self):
        return sorted({heard.beacon for heard in self.heard}, key=lambda beacon: beacon.json)

    def heartbeats(self):
        """The beacons that hang at the scanners."""
        return {heard.beacon for heard in self.heard if heard.heartbeat}

    def badge(self, minor):
        """The identity of a badge of the walk."""
        found = {heard.beacon for heard in self.heard if heard.beacon.uuid == BADGES and heard.beacon.minor == minor}
        if len(found) != 1:
            raise ValueError(f"{self.name}: badge {minor} has {len(found)} identities")
        return found.pop()

    def whole_seconds(self):
        """Every whole second of the run, from its start."""
        return range(1, (self.end - self.start) // 1000 + 1)

    def lines(self, shift={}, scanner=None):
        """As NDJSON; `shift` moves scanners' clocks (ms), `scanner` leaves one of them, as a box without a name."""
        least = min([0, *shift.values()])
        for heard in self.heard:
            if scanner is None:
                moved = heard.ms - self.start - least + shift.get(heard.scanner, 0)
                yield sighting(moved, heard.beacon, heard.rssi, heard.scanner, heard.power)
            elif heard.scanner == scanner:
                yield sighting(heard.ms - self.start, heard.beacon, heard.rssi, power=heard.power)

    def truth(self, data):
        """Where each badge was, as far as a file of the folder says; times from the start of the run."""
        stays = []
        for path in sorted(glob.glob(os.path.join(data, "rh-scanners", "truth*.csv"))):
            for row in rows(path):
                if row["run"] == self.name:
                    begin, end = (int(row[key]) // 1000 - self.start // 1000 for key in ("t_from_ms", "t_to_ms"))
                    settled = row["state"] == "settled"
                    stays.append(Stay(int(row["minor"]), row["room"].split(">")[-1], begin, end, settled))
        return stays


Position = namedtuple("Position", "s sensor rssi place")


def stations(data):
    """Per sensor its station and its place (m)."""
    return {
        row["sensor"]: (f"station{row['station']}", tuple(float(row[axis]) for axis in ("x_m", "y_m", "z_m")))
        for row in rows(data, "tracks-12sensors", "sensors.csv")}


def tracks(data):
    """Per run what the sensors heard of the walked beacon, with its true place, in the order of arrival."""
    runs = defaultdict(list)
    for row in rows(data, "tracks-12sensors", "tracks.csv.gz"):
        place = tuple(float(row[axis]) for axis in ("x_m", "y_m", "z_m"))
        runs[row["run"]].append(Position(float(row["t_s"]), row["sensor"], int(row["rssi"]), place))
    return dict(runs)


def resting(data):
    """Per stay and sensor what was heard of a beacon at rest: (ms, rssi), in the order of time."""
    streams = defaultdict(list)
    for row in rows(data, "tracks-12sensors", "static.csv.gz"):
        key = row["set"], row["x_m"], row["y_m"], row["sensor"]
        streams[key].append((int(row["t_ms"]), int(row["rssi"])))
    return {key: sorted(stream) for key, stream in streams.items()}


def vestibule(data):
    """Per tag what was heard of it: (ms, rssi), each instant once."""
    streams = defaultdict(dict)
    for row in rows(data, "uci586-vestibule", "raw_rssi.csv.gz"):
        streams[row["tag"]].setdefault(int(row["t_ms"]), int(row["rssi_one"]))
    return {tag: sorted(stream.items()) for tag, stream in streams.items()}
