"""Decides what runs next. Pure: values in, values out."""

from dataclasses import dataclass

from .verdicts import PASSED

CORES = 2.0


@dataclass(frozen=True)
class Selection:
    to_run: tuple
    passed: tuple  # ((tier, verdict), ...)


def select(tiers, verdict_of, anew=False):
    """Which of TIERS must run; a verdict counts when it was given for what the tier reads now."""
    to_run, passed = [], []
    for tier in tiers:
        verdict = verdict_of(tier)
        if not anew and verdict and verdict.outcome == PASSED:
            passed.append((tier, verdict))
        else:
            to_run.append(tier)
    return Selection(tuple(to_run), tuple(passed))


def next_to_start(waiting, running, cores=CORES):
    """The first of WAITING that fits beside RUNNING, or None. What keeps more than all cores busy runs alone.

    Something that does not fit is overtaken only by what keeps less than a core busy, so that it has its turn.
    """
    used = sum(each.cores for each in running)
    overtaken = False
    for each in waiting:
        if (not running or used + each.cores <= cores) and (not overtaken or each.cores < 1):
            return each
        overtaken = True
    return None


def seconds_left(waiting, running, seconds_of, elapsed_of, cores=CORES):
    """An estimate by the last run's times; None where nothing is known of a tier."""
    total = 0.0
    for each in (*waiting, *running):
        seconds = seconds_of(each)
        if seconds is None:
            return None
        total += max(0.0, seconds - elapsed_of(each)) * min(each.cores, cores) / cores
    return total
