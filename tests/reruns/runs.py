"""Runs classes of tests in processes of their own, and those that have failed once more, alone, at the end of their tier."""

import os
import re
import sys
import time
import unittest
from dataclasses import dataclass, replace
from pathlib import Path

from . import evidence
from .process import ended
from .verdict import judge, to_run_again


@dataclass(frozen=True)
class Run:
    name: str  # of the class
    passed: bool
    output: str
    seconds: float
    counts: tuple  # (tests that passed, tests that did not)
    killed: bool = False  # by somebody who stopped it: it has neither passed nor failed

    def __str__(self):
        return f"{'ok    ' if self.passed else 'FAILED'} {self.name} ({self.counts[0]} invariants, {self.seconds:.0f} s)"


@dataclass(frozen=True)
class Place:
    tier: str  # its name below build/flaky
    directory: Path  # of its tests
    paths: tuple  # for PYTHONPATH
    timeout: float  # seconds of a class


def load(directory, wanted=()):
    """Tests of test_*.py there whose name contains one of WANTED, all where there is none; ends the program when one cannot be
    loaded."""
    def each(suite):
        for test in suite:
            if isinstance(test, unittest.TestSuite):
                yield from each(test)
            elif not isinstance(test, unittest.TestCase) or "_FailedTest" in type(test).__name__:
                sys.exit(f"cannot load: {test}")
            else:
                yield test
    found = list(each(unittest.TestLoader().discover(str(directory), pattern="test_*.py")))
    return [test for test in found if not wanted or any(part in test.id() for part in wanted)]


def class_of(test):
    return f"{type(test).__module__}.{type(test).__qualname__}"


def by_class(tests):
    """{class: names of its tests}"""
    found = {}
    for test in tests:
        found.setdefault(class_of(test), []).append(test.id())
    return found


def once(place, name, tests=(), run=evidence.RUNS[0], **environment):
    """Runs a class, or those of its tests that are named, and keeps what is known when it fails."""
    kept = evidence.begin(place.tier, name, run)
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1", "PYTHONPATH": ":".join(map(str, place.paths)),
                   evidence.VARIABLE: str(kept), **environment}
    started = time.monotonic()
    code, output = ended(["/usr/bin/python3", "-m", "unittest", "-v", *(tests or [name])], place.directory, environment,
                         place.timeout, kept)
    if code == 0 and run == evidence.RUNS[0]:
        evidence.forget(kept)
    else:
        (kept / "output.log").write_text(output)
    return Run(name, code == 0, output, time.monotonic() - started, count(output, code == 0), code < 0)


def count(output, passed):
    """(tests that passed, tests that did not); what failed without saying more counts as one."""
    said = re.findall(r" \.\.\. (ok|FAIL|ERROR)$", output, re.MULTILINE)
    good = said.count("ok")
    if passed and (all_of := re.findall(r"^Ran (\d+) tests? in ", output, re.MULTILINE)):
        skipped = re.findall(r"^OK \(.*?skipped=(\d+)", output, re.MULTILINE)
        good = max(0, int(all_of[-1]) - int(skipped[-1] if skipped else 0))  # a test may write into the line of its verdict
    return good, max(len(said) - said.count("ok"), 0 if passed else 1)


def _ran_again(first, second):
    """Did all that had failed run in the second run? What is skipped then has not passed."""
    failed = set(re.findall(r"^(?:FAIL|ERROR): (test\w*) \(", first.output, re.MULTILINE))
    skipped = set(re.findall(r"^(test\w*) \([\w.]+\)(?:\n.*)? \.\.\. skipped", second.output, re.MULTILINE))
    return second.counts[0] >= max(1, first.counts[0]) and not failed & skipped


def show(run):
    print(run, flush=True)
    if not run.passed:
        print(run.output, flush=True)
    return run


def finish(runs, once_more):
    """What the tier says, with the runs that count. `once_more(name)` runs a class alone; the tier's others have ended."""
    before = {run.name: run for run in runs}
    first = {name: run.passed for name, run in before.items()}
    strict = os.environ.get("REPRISE_STRICT") == "1"
    second = {}
    for name in to_run_again(first, strict):
        print(f"once more, alone: {name}", flush=True)
        run = once_more(name)
        if run.passed and not _ran_again(before[name], run):
            run = replace(run, passed=False, counts=(run.counts[0], 1))
            print(f"skipped when it was run once more, and so not passed: {name}", flush=True)
        second[name] = run
    verdict = judge(first, {name: run.passed for name, run in second.items()}, strict)
    return verdict, [second.get(run.name, run) for run in runs]


def closing(tier, verdict):
    """The last lines of a tier's output."""
    for line in verdict.lines:
        print(line)
    if verdict.lines:
        print(f"kept: {evidence.directory(tier)}")
