# SPDX-License-Identifier: GPL-2.0-or-later
"""S3: nothing moves, so every exit is false, and every change of tier too. Defaults; each stream heard by one box."""
import json
import subprocess

from recorded import ScannerRun, resting, vestibule
from replay import Venue, numbered, sighting
from rooms import FULL_POWER, LOW_POWER
from table import at_most, failure, info, skip
from timeline import exits

MILLISECONDS_AN_HOUR = 3_600_000


def merged(streams):
    """Lines of streams that all begin at once, in the order of time; stream number n is `numbered(n)`."""
    heard = sorted(
        (ms - stream[0][0], number, rssi) for number, stream in enumerate(streams) for ms, rssi in stream)
    return (sighting(ms, numbered(number), rssi) for ms, number, rssi in heard)


def hours(streams):
    return sum(stream[-1][0] - stream[0][0] for stream in streams) / MILLISECONDS_AN_HOUR


def false_exits(program, name, streams):
    """Exits of streams that are heard again; one that ends a stream is right."""
    venue = Venue([numbered(number) for number in range(len(streams))])
    answer, _ = program.replay_lines(name, venue, merged(streams))
    found = exits(answer.events)
    entered = sum(event["type"] == "enter" for event in answer.events)
    if entered < len(streams):
        raise ValueError(f"{name}: only {entered} of {len(streams)} streams entered")
    return sum(
        (at * 1000 < stream[-1][0] - stream[0][0] - 1)
        for number, stream in enumerate(streams) for at, _ in found.get(numbered(number), []))


def streams_of(run, pairs):
    """What a run's scanners heard of badges that lay still: [(ms, rssi)…] for each (scanner, minor)."""
    return [
        sorted((heard.ms, heard.rssi) for heard in run.heard if (heard.scanner, heard.beacon) == (scanner, beacon))
        for scanner, beacon in pairs]


def heartbeats(data):
    """Each scanner's own beacon, in both runs of four scanners."""
    streams = []
    for name in FULL_POWER, LOW_POWER:
        run = ScannerRun(data, name)
        own = {(heard.scanner, heard.beacon) for heard in run.heard
               if heard.heartbeat and heard.scanner == f"Room{heard.beacon.major}"}
        streams += streams_of(run, sorted(own, key=lambda pair: pair[0]))
    return streams


def recorded(program, data):
    run = ScannerRun(data, "two-2015-03-03")
    cases = {
        "a weak badge that stays in its room": streams_of(run, [("Room201", run.badge(2))]),
        "badges and beacons on their scanners":
            streams_of(run, [("Room201", run.badge(3)), ("Room202", run.badge(4))]) + heartbeats(data),
        "one beacon in 42 places, 12 sensors": list(resting(data).values()),
        "twelve people with tags, 20 minutes": list(vestibule(data).values()),
    }
    for name, streams in cases.items():
        count = false_exits(program, f"rest-{name.split()[0]}", streams)
        yield at_most(f"S3 false exits: {name}", count, 0, f"{len(streams)} streams, {hours(streams):.1f} stream-hours")


def tiers(program, data, probe):
    """A tier stands on the page alone: a probe replays through the same engine and looks twice a second."""
    figure = "S3 changes of tier at rest, a stream-minute"
    if probe is None:
        yield skip(figure, "give --probe FieldProbe, or let this script build it")
        return
    streams = list(resting(data).values())
    capture, _ = program.capture("rest-tiers", merged(streams))
    registry = program.file("rest-tiers.registry.json")
    Venue([numbered(number) for number in range(len(streams))]).write(registry)
    run = subprocess.run([probe, registry, capture], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if run.returncode != 0:
        yield failure(figure, run.stderr.strip())
        return
    beacons = [json.loads(line) for line in run.stdout.splitlines()]
    minutes = hours(streams) * 60
    yield at_most(figure, sum(beacon["tierChanges"] for beacon in beacons) / minutes, 0.1,
                  f"{minutes:,.0f} stream-minutes; raw levels change 20.8 times")
    yield info("S3 streams with any change of tier", sum(beacon["tierChanges"] > 0 for beacon in beacons),
               f"of {len(streams)}")
