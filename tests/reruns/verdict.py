"""What a tier says when some of its classes have failed, and have run once more. Nothing but values."""

from dataclasses import dataclass

MOST_FLAKY = 2  # classes of a tier that may pass only when they are run once more


@dataclass(frozen=True)
class Verdict:
    code: int  # the tier's exit code
    lines: tuple  # the last that it prints
    flaky: tuple
    failed: tuple


def to_run_again(first, strict):
    """`first`: {class: whether it passed}. None where the tier fails whatever a second run would show."""
    failed = sorted(name for name, passed in first.items() if not passed)
    return [] if strict or len(failed) > MOST_FLAKY else failed


def judge(first, second, strict=False):
    """`first`: {class: whether it passed}, of all classes; `second`: the same of those that ran once more."""
    failed_once = sorted(name for name, passed in first.items() if not passed)
    flaky = tuple(name for name in failed_once if second.get(name))
    failed = tuple(name for name in failed_once if not second.get(name))
    lines = [f"failed: {name}" + (", also when it was run once more" if name in second else "") for name in failed]
    lines += [f"flaky: {name} (1 of {len(first)})" for name in flaky]
    if flaky and strict:
        lines.append("REPRISE_STRICT=1: what passes only when it is run once more has failed")
    if len(failed_once) > MOST_FLAKY:
        lines.append(f"{len(failed_once)} classes have failed: not more than {MOST_FLAKY} are let pass when a second run is good")
    good = first and not failed and (not flaky or not strict) and len(flaky) <= MOST_FLAKY
    return Verdict(0 if good else 1, tuple(lines), flaky, failed)
