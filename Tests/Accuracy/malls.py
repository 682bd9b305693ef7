# SPDX-License-Identifier: GPL-2.0-or-later
"""S10: iBeacons heard on 855 walks through two malls. Many of them share one identity."""
import json
import subprocess
from collections import Counter, defaultdict, namedtuple

from recorded import rows
from replay import Identity, Venue, identity, seconds, sighting
from table import at_least, at_most, failure, info, skip
from timeline import ratio

PAUSE = 300_000  # ms between two paths, in which everybody is gone
LEAST_SIGHTINGS = 5  # of a stream that is scored

Path = namedtuple("Path", "begin end heard")  # ms in the replay; heard: (ms, beacon, rssi, power, address)


def beacon(row):
    return Identity(row["uuid"].replace("-", "").upper(), int(row["major"]), int(row["minor"]))


def registered(data):
    """Every identity of the malls, and from how many addresses it came."""
    return {beacon(row): int(row["addresses"]) for row in rows(data, "mall-walks", "ids.csv")}


def paths(data):
    """The walks one after the other, as one phone would hear them."""
    walks = defaultdict(list)
    for row in rows(data, "mall-walks", "beacons.csv.gz"):
        power = int(float(row["tx_power"])) if row["tx_power"] else None
        walks[row["site"], row["floor"], row["path"]].append(
            (int(row["t_ms"]), beacon(row), int(row["rssi"]), power, row["beacon_addr"]))
    begin, found = 0, []
    for key in sorted(walks):
        heard = sorted(walks[key], key=lambda sighting: sighting[0])
        first, last = heard[0][0], heard[-1][0]
        found.append(Path(begin, begin + last - first, [(ms - first + begin, *rest) for ms, *rest in heard]))
        begin += last - first + PAUSE
    return found


def lines(walks):
    for walk in walks:
        for ms, who, rssi, power, address in walk.heard:
            yield sighting(ms, who, rssi, power=power, address=address)


def returns(events, walks):
    """Exits within a path after which the beacon enters again on it."""
    decided = defaultdict(list)
    for event in events:
        if event["type"] in ("enter", "exit"):
            decided[identity(event)].append((seconds(event["detectedAt"]) * 1000, event["type"]))
    count = 0
    for walk in walks:
        for who in {who for _, who, *_ in walk.heard}:
            kinds = [kind for ms, kind in decided[who] if walk.begin <= ms <= walk.end]
            count += kinds[kinds.index("exit"):].count("enter") if "exit" in kinds else 0
    return count


def walked(program, data, probe):
    beacons, walks = registered(data), paths(data)
    capture, count = program.capture("malls", lines(walks))
    answer = program.replay("malls", Venue(list(beacons)), capture)
    missing = count - answer.summary["iBeacon"]["count"] + answer.summary["droppedLate"]
    yield at_most("S10 sightings of the malls' walks not taken", missing, 0,
                  f"of {count:,}; {len(walks)} walks, {len(beacons)} identities loaded")
    streams = Counter(
        (number, who) for number, walk in enumerate(walks) for _, who, *_ in walk.heard)
    scored = sum(heard >= LEAST_SIGHTINGS for heard in streams.values())
    yield at_most("S10 returns a stream at the default exit time", ratio(returns(answer.events, walks), scored), 0.005,
                  f"{scored:,} streams")
    yield from warned(program, beacons, capture, probe)


def warned(program, beacons, capture, probe):
    """The page's warning of several senders, read by the probe that replays through the same engine."""
    figure = "S10 warning of several senders"
    if probe is None:
        yield skip(figure, "give --probe FieldProbe, or let this script build it")
        return
    run = subprocess.run([probe, program.file("malls.registry.json"), capture],
                         stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if run.returncode != 0:
        yield failure(figure, run.stderr.strip())
        return
    marked = set()
    for line in run.stdout.splitlines():
        row = json.loads(line)
        if row["severalAdvertisers"]:
            marked.add(Identity(row["uuid"].replace("-", ""), row["major"], row["minor"]))
    several = {who for who, addresses in beacons.items() if addresses > 1}
    both = len(marked & several)
    yield at_least(f"{figure}: precision", ratio(both, len(marked)), 0.95, f"{len(marked)} marked")
    yield info(f"{figure}: recall", ratio(both, len(several)),
               f"{len(several)} of {len(beacons)} identities have several; not all of them take turns")
