# SPDX-License-Identifier: GPL-2.0-or-later
"""What was measured, what is asked, and whether the one meets the other."""
from dataclasses import dataclass

PASSED, FAILED, SKIPPED, SHOWN = "pass", "FAIL", "skipped", ""


@dataclass(frozen=True)
class Row:
    figure: str
    value: str
    asked: str
    verdict: str
    note: str = ""


def shown(value):
    """A figure for people: whole numbers whole, others with the digits that matter."""
    if value is None:
        return "none"
    if isinstance(value, str):
        return value
    if float(value).is_integer() and abs(value) >= 2 or value == 0:
        return f"{value:,.0f}"
    return f"{value:,.3f}" if abs(value) < 10 else f"{value:,.1f}"


def at_most(figure, value, limit, note=""):
    """Passes where the value is known and not above the limit."""
    good = value is not None and value <= limit
    return Row(figure, shown(value), f"≤ {limit:,g}", PASSED if good else FAILED, note)


def at_least(figure, value, limit, note=""):
    """Passes where the value is known and not below the limit."""
    good = value is not None and value >= limit
    return Row(figure, shown(value), f"≥ {limit:,g}", PASSED if good else FAILED, note)


def info(figure, value, note=""):
    """A figure that nothing is asked of."""
    return Row(figure, shown(value), "", SHOWN, note)


def skip(figure, why):
    return Row(figure, "", "", SKIPPED, why)


def failure(figure, why):
    return Row(figure, "", "", FAILED, why)


class Table:
    """Prints rows and counts verdicts."""

    def __init__(self):
        self.counts = {PASSED: 0, FAILED: 0, SKIPPED: 0, SHOWN: 0}

    def section(self, title):
        print(f"\n{title}", flush=True)

    def add(self, row):
        self.counts[row.verdict] += 1
        print(f"  {row.figure:<58} {row.value:>9}  {row.asked:<9} {row.verdict:<8}{row.note}".rstrip(), flush=True)

    def close(self):
        """The last line; gives the exit code."""
        counts = self.counts
        print(f"\n{counts[PASSED]} passed, {counts[FAILED]} failed, {counts[SKIPPED]} skipped", flush=True)
        return 1 if counts[FAILED] else 0
