# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs `regiond replay` on sightings and gives back its events."""
import json
import os
import subprocess
from dataclasses import dataclass, field
from datetime import datetime, timezone

START = datetime(1970, 1, 1, tzinfo=timezone.utc)


class ReplayError(Exception):
    """Why the program gave no answer."""


@dataclass(frozen=True)
class Identity:
    """What an iBeacon sends of itself; the UUID is 32 upper case digits without dashes."""
    uuid: str
    major: int
    minor: int

    @property
    def json(self):
        return f'"uuid":"{self.uuid}","major":{self.major},"minor":{self.minor}'


def numbered(number):
    """The number-th of 65,536 made-up identities."""
    return Identity("5A17C0DE00004000800000000000ACC0", 1, number)


@dataclass
class Venue:
    """A registry: who is listed, which receivers listen, and settings for all, none unless said."""
    beacons: list
    receivers: list = field(default_factory=list)  # identifiers, or (identifier, group) pairs
    settings: dict = field(default_factory=dict)
    fixed: set = field(default_factory=set)

    def write(self, path):
        receivers = [
            {"id": entry} if isinstance(entry, str) else {"id": entry[0], "group": entry[1]}
            for entry in self.receivers]
        beacons = [
            {"uuid": beacon.uuid, "major": beacon.major, "minor": beacon.minor}
            | ({"kind": "fixed"} if beacon in self.fixed else {})
            for beacon in self.beacons]
        venue = {"venueId": "hall", "beacons": beacons, "receivers": receivers, "settings": self.settings}
        with open(path, "w") as file:
            json.dump(venue, file)


@dataclass
class Answer:
    """What a replay said: its events in order, other lines, its summary, and the path of its store, if one was made."""
    events: list
    notes: list
    summary: dict
    store: str = None


def seconds(text):
    """An instant of an event, in seconds since the start of the replay's time."""
    return (datetime.fromisoformat(text) - START).total_seconds()


def identity(event):
    beacon = event["beacon"]
    return Identity(beacon["uuid"].replace("-", ""), beacon["major"], beacon["minor"])


class Program:
    """The program under test, and a folder for its input."""

    def __init__(self, path, folder):
        self.path = path
        self.folder = folder

    def file(self, name):
        return os.path.join(self.folder, name)

    def capture(self, name, lines):
        """Writes lines as they come; gives the path and how many there were."""
        path = self.file(f"{name}.ndjson")
        count = 0
        with open(path, "w") as file:
            for line in lines:
                file.write(line + "\n")
                count += 1
        return path, count

    def replay(self, name, venue, capture, keeps=False):
        """Replays a capture; with `keeps` into a store, whose path the answer names."""
        registry, store = self.file(f"{name}.registry.json"), self.file(f"{name}.db")
        venue.write(registry)
        command = [self.path, "replay", f"capture:{capture}", "--registry", registry, "--json"]
        run = subprocess.run(
            command + (["--db", store] if keeps else []), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        if run.returncode != 0:
            said = run.stderr.strip().splitlines() or ["it said nothing"]
            # A summary of what was good stands before the error; a refusal ends with the first fault.
            fault = [line for line in said if line.startswith("regiond")] + said[-1:]
            raise ReplayError(f"`regiond replay` ended with {run.returncode}: {' '.join(dict.fromkeys(fault))}")
        events, notes, summary = [], [], None
        for line in run.stdout.splitlines():
            read = json.loads(line)
            if read["type"] == "summary":
                summary = read
            elif "beacon" in read:
                events.append(read)
            else:
                notes.append(read)
        return Answer(events, notes, summary, store if keeps else None)

    def replay_lines(self, name, venue, lines, keeps=False):
        """Replays lines; gives the answer and how many lines there were."""
        path, count = self.capture(name, lines)
        answer = self.replay(name, venue, path, keeps)
        os.remove(path)
        return answer, count


def sighting(milliseconds, beacon, rssi, receiver=None, power=None, address=None):
    """One line: who was heard when, in milliseconds from the start, and how loud."""
    line = f'{{"t":{milliseconds / 1000:.3f},{beacon.json},"rssi":{rssi}'
    if receiver is not None:
        line += f',"receiver":"{receiver}"'
    if power is not None:
        line += f',"measuredPower":{power}'
    if address is not None:
        line += f',"address":"{address}"'
    return line + "}"
