"""Runs classes of tests in processes of their own, and those that have failed once more, alone, at the end of their tier."""

import os
import re
import signal
import subprocess
import sys
import time
import unittest
from dataclasses import dataclass
from pathlib import Path

from . import evidence
from .verdict import judge, to_run_again


SECONDS_TO_END = 60  # of a class that was interrupted


@dataclass(frozen=True)
class Run:
    name: str  # of the class
    passed: bool
    output: str
    seconds: float
    counts: tuple  # (tests that passed, tests that did not)

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
    code, output = _run(["/usr/bin/python3", "-m", "unittest", "-v", *(tests or [name])], place, environment)
    if code == 0 and run == evidence.RUNS[0]:
        evidence.forget(kept)
    else:
        (kept / "output.log").write_text(output)
    return Run(name, code == 0, output, time.monotonic() - started, count(output, code == 0))


def _run(command, place, environment):
    """Its exit code and output. What comes to no end is interrupted: so it says where it was, and takes its cluster down."""
    with subprocess.Popen(command, cwd=place.directory, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True, errors="replace") as process:
        try:
            output = process.communicate(timeout=place.timeout)
            return process.returncode, "".join(output)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGINT)
        try:
            output = process.communicate(timeout=SECONDS_TO_END)
        except subprocess.TimeoutExpired as late:
            process.kill()  # whom it has started may hold its output open
            output = [part.decode(errors="replace") if part else "" for part in (late.stdout, late.stderr)]
        return 1, "".join(output) + f"\nno end within {place.timeout} s\n"


def count(output, passed):
    """(tests that passed, tests that did not); what failed without saying more counts as one."""
    said = re.findall(r" \.\.\. (ok|FAIL|ERROR)$", output, re.MULTILINE)
    good = said.count("ok")
    return good, max(len(said) - good, 0 if passed else 1)


def show(run):
    print(run, flush=True)
    if not run.passed:
        print(run.output, flush=True)
    return run


def finish(runs, once_more):
    """What the tier says, with the runs that count. `once_more(name)` runs a class alone; the tier's others have ended."""
    first = {run.name: run.passed for run in runs}
    strict = os.environ.get("REPRISE_STRICT") == "1"
    second = {}
    for name in to_run_again(first, strict):
        print(f"once more, alone: {name}", flush=True)
        second[name] = once_more(name)
    verdict = judge(first, {name: run.passed for name, run in second.items()}, strict)
    return verdict, [second.get(run.name, run) for run in runs]


def closing(tier, verdict):
    """The last lines of a tier's output."""
    for line in verdict.lines:
        print(line)
    if verdict.lines:
        print(f"kept: {evidence.directory(tier)}")
