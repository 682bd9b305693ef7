# SPDX-License-Identifier: GPL-2.0-or-later
"""Work B: a thousand walkers for ten minutes, in and out of 8 m around one box; one in five lingers on the border."""
import json
import os
import struct
import subprocess
import sys
from collections import namedtuple

from declared import NEAR_8_M, PRESENCE
from replay import Identity, Venue, identity, seconds, sighting
from table import at_most, info
from timeline import percentile

GENERATOR = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "Benchmarks", "gen_stream.py")
RECORD = struct.Struct("<IHbb")

Score = namedtuple("Score", "intervals missed extra merged enter_delays exit_delays wrong")


def generate(program, seed):
    """The stream's description, and its sightings as NDJSON."""
    folder = program.file(f"walkers-{seed}")
    subprocess.run([sys.executable, GENERATOR, folder, "--seed", str(seed)], check=True, stdout=subprocess.DEVNULL)
    with open(os.path.join(folder, "stream.json")) as file:
        description = json.load(file)
    beacons = [Identity(beacon["uuid"].upper(), beacon["major"], beacon["minor"]) for beacon in description["ids"]]

    def lines():
        with open(os.path.join(folder, "stream.bin"), "rb") as file:
            while chunk := file.read(RECORD.size * 65_536):
                for ms, number, rssi, power in RECORD.iter_unpack(chunk):
                    yield sighting(ms, beacons[number], rssi, power=power)

    capture, _ = program.capture(f"walkers-{seed}", lines())
    return description, beacons, capture


def states(events, beacons, end):
    """Per beacon its states [enter, exit), s, as decided; one that stays open outlasts the stream."""
    numbers = {beacon: number for number, beacon in enumerate(beacons)}
    found, entered = [[] for _ in beacons], {}
    for event in events:
        number, instant = numbers[identity(event)], seconds(event["detectedAt"])
        if event["type"] == "enter":
            entered.setdefault(number, instant)
        elif event["type"] == "exit" and number in entered:
            found[number].append((entered.pop(number), instant))
    for number, instant in entered.items():
        found[number].append((instant, end + 0.001))
    return found


def overlap(one, other):
    return min(one[1], other[1]) - max(one[0], other[0])


def score(truth, states, end):
    """Compares the states of each beacon with its true intervals.

    A state that touches no interval, and each further one within an interval, is extra. An interval whose first state
    ran on from an earlier interval is merged with it, and has no enter of its own."""
    missed = extra = merged = 0
    enter_delays, exit_delays, wrong = [], [], 0.0
    for intervals, own in zip(truth, states):
        extra += sum(not any(overlap(state, interval) > 0 for interval in intervals) for state in own)
        seen, right = set(), 0.0
        for number, interval in enumerate(intervals):
            touching = [state for state in own if overlap(state, interval) > 0]
            if not touching:
                missed += 1
                continue
            extra += len(touching) - 1
            if touching[0] in seen:
                merged += 1
            else:
                enter_delays.append(touching[0][0] - interval[0])
            seen.update(touching)
            right += sum(overlap(state, interval) for state in touching)
            left = touching[-1][1]
            runs_on = number + 1 < len(intervals) and left > intervals[number + 1][0]
            if interval[1] < end and left <= end and not runs_on:
                exit_delays.append(left - interval[1])
        said = sum(min(state[1], end) - state[0] for state in own)
        wrong += said + sum(interval[1] - interval[0] for interval in intervals) - 2 * right
    intervals = sum(map(len, truth))
    return Score(intervals, missed, extra, merged, enter_delays, exit_delays, wrong / (end * len(truth)))


def replayed(program, name, made, settings, key):
    description, beacons, capture = made
    end = description["seconds"]
    answer = program.replay(name, Venue(beacons, settings=settings), capture)
    truth = [[(begin / 10, leave / 10) for begin, leave in intervals] for intervals in description[key]]
    return score(truth, states(answer.events, beacons, end), end)


def walkers(program, seed):
    made = generate(program, seed)
    near = replayed(program, f"near-{seed}", made, NEAR_8_M, "visits")
    title = f"Work B near 8 m, seed {seed}"
    yield at_most(f"{title}: extra enters", near.extra, 150, f"{near.intervals:,} visits")
    yield at_most(f"{title}: merged, % of visits", 100 * near.merged / near.intervals, 6)
    yield at_most(f"{title}: missed", near.missed, 5)
    yield at_most(f"{title}: enter delay p95, s", percentile(near.enter_delays, 0.95), 3.1)
    yield at_most(f"{title}: exit delay p50, s", percentile(near.exit_delays, 0.5), 10.9)
    yield at_most(f"{title}: exit delay p95, s", percentile(near.exit_delays, 0.95), 15.5)
    yield at_most(f"{title}: wrong state, % of time", 100 * near.wrong, 6.6)
    heard = replayed(program, f"heard-{seed}", made, PRESENCE, "approaches")
    title = f"Work B presence, exit=30, seed {seed}"
    yield at_most(f"{title}: extra enters", heard.extra, 5, f"{heard.intervals:,} approaches")
    yield at_most(f"{title}: merged", heard.merged, 0)
    yield info(f"{title}: enter delay p95, s", percentile(heard.enter_delays, 0.95), f"missed {heard.missed}")
    os.remove(made[2])
