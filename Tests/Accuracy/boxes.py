# SPDX-License-Identifier: GPL-2.0-or-later
"""S2: one box alone in one room. Inside means in that room, and the room next door is sometimes as loud."""
from collections import namedtuple

from declared import ONE_BOX
from recorded import ScannerRun
from replay import Venue
from rooms import FULL_POWER, LOW_POWER, MINORS
from table import at_least, at_most, info, skip
from timeline import Timeline, presence, ratio

Score = namedtuple("Score", "precision recall f1 enters share")


def score(run, stays, answers, enters):
    """`answers` gives for each scanner and minor what has `at(second)`."""
    both = said = true = 0
    for stay in stays:
        if not stay.settled:
            continue
        true += stay.end - stay.begin
        for scanner in run.scanners:
            inside = sum(bool(answers[scanner, stay.minor].at(second)) for second in range(stay.begin, stay.end))
            said += inside
            both += inside if scanner == stay.room else 0
    seconds = run.whole_seconds()
    share = ratio(
        sum(bool(line.at(second)) for line in answers.values() for second in seconds), len(MINORS) * len(seconds))
    precision, recall = ratio(both, said), ratio(both, true)
    return Score(precision, recall, ratio(2 * both, said + true), enters, share)


def replayed(program, run, settings):
    """Presence at each scanner's box, by scanner and minor, and how many enters there were."""
    answers, enters = {}, 0
    badges = {minor: run.badge(minor) for minor in MINORS}
    venue = Venue(list(badges.values()), settings=settings)
    for scanner in run.scanners:
        answer, _ = program.replay_lines(f"box-{run.name}-{scanner}", venue, run.lines(scanner=scanner))
        lines = presence(answer.events)
        enters += sum(event["type"] == "enter" for event in answer.events)
        for minor, badge in badges.items():
            answers[scanner, minor] = lines.get(badge, Timeline())
    return answers, enters


def one_box(program, data):
    for name, title in (FULL_POWER, "S2 open run"), (LOW_POWER, "S2 low power"):
        run = ScannerRun(data, name)
        stays = run.truth(data)
        result = score(run, stays, *replayed(program, run, ONE_BOX))
        if stays:
            yield at_least(f"{title}: F1 of presence in the room", result.f1, 0.80,
                           f"precision {result.precision:.3f}, recall {result.recall:.3f}")
        else:
            yield skip(f"{title}: F1", "no truth of this run in the folder")
        yield at_most(f"{title}: enters", result.enters, 40, "18 stays")
        yield info(f"{title}: boxes a badge is in at once, mean", result.share, "about 1 would be right")
