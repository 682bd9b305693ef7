# SPDX-License-Identifier: GPL-2.0-or-later
"""S5: three of six scanners die while badges lie in front of them, and events come up to 96 s late."""
import sqlite3
from collections import Counter

from recorded import ScannerRun
from replay import identity, seconds
from rooms import venue
from table import at_most, info
from timeline import nearest, percentile

SIX = "six-2015-03-31"
DEAD_BEFORE = 1_500  # s; a scanner whose last event is earlier is dead, the others live to the end.
WATCHED = 120  # s after its last event
NOTED_WITHIN = 30  # s
SILENT = 5  # s; a note that comes sooner says that the scanner is back.


def last_events(run):
    """Of each dead scanner the instant of its last event, s."""
    last = {}
    for heard in run.heard:
        last[heard.scanner] = max(last.get(heard.scanner, 0), (heard.ms - run.start) / 1000)
    return {scanner: instant for scanner, instant in sorted(last.items()) if instant < DEAD_BEFORE}


def in_front(run, scanner, last, span=30):
    """How many beacons a scanner heard in its last seconds."""
    return len({
        heard.beacon for heard in run.heard
        if heard.scanner == scanner and (heard.ms - run.start) / 1000 > last - span})


def blamed(events, scanner, last):
    """Exits decided after a scanner's last event, dated up to two minutes after it, of badges it was nearest to."""
    lines = nearest(events)
    count = 0
    for event in events:
        if event["type"] != "exit" or event["reason"] == "moved":
            continue
        at, decided = seconds(event["at"]), seconds(event["detectedAt"])
        before = lines[identity(event)].at(decided - 1e-6)
        witness = before or event["evidence"]["receiver"]
        count += witness == scanner and decided > last and at <= last + WATCHED
    return count


def noted(answer, scanner, last):
    """How long after its last event a note named the scanner, s; None: no note within half a minute."""
    spans = [seconds(note["at"]) - last for note in answer.notes if "at" in note and scanner in str(note)]
    store = sqlite3.connect(answer.store)
    try:
        spans += [at / 1e6 - last for at, text in store.execute("SELECT at_us, text FROM note") if scanner in text]
    finally:
        store.close()
    spans = [span for span in spans if SILENT <= span <= NOTED_WITHIN]
    return min(spans, default=None)


def faults(events, end):
    """Events whose times cannot be, by what is wrong with them."""
    found = Counter()
    inside = {}
    for event in events:
        if event["type"] not in ("enter", "exit"):
            continue
        beacon, at, decided = identity(event), seconds(event["at"]), seconds(event["detectedAt"])
        found["future"] += at > decided or decided > end
        entered = inside.pop(beacon, None)
        if event["type"] == "enter":
            found["order"] += entered is not None
            inside[beacon] = at
        elif event["reason"] != "moved":
            found["order"] += entered is None or at < entered
    return found


def dead_and_late(program, data):
    run = ScannerRun(data, SIX)
    answer, lines = program.replay_lines(run.name, venue(run), run.lines(), keeps=True)
    end = (run.end - run.start) / 1000
    for scanner, last in last_events(run).items():
        front = in_front(run, scanner, last)
        yield at_most(f"S5 {scanner} dies at {last:,.0f} s: exits blamed on badges",
                      blamed(answer.events, scanner, last), 0, f"{front} were in front of it")
        yield at_most(f"S5 {scanner}: a note of it, s after its last event", noted(answer, scanner, last), NOTED_WITHIN)
    wrong = faults(answer.events, end)
    yield at_most("S5 events dated in the future", wrong["future"], 0)
    yield at_most("S5 exits before their enter, enters twice", wrong["order"], 0)
    summary = answer.summary
    lost = lines - summary["iBeacon"]["count"] + summary["droppedLate"]
    yield at_most("S5 sightings lost, up to 96 s late", lost, 0, f"of {lines:,}")
    lag = [seconds(event["detectedAt"]) - seconds(event["at"]) for event in answer.events if event["type"] == "enter"]
    yield info("S5 enters", len(lag), f"decided {percentile(lag, 0.5):.1f} s after the first hit, median")
