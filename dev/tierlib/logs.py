"""What the output of a tier says. It may be of any size, in lines of any length, and no text."""

import re
from dataclasses import dataclass

LINE = 64 << 10  # bytes; what is longer counts as several lines
END = 1 << 20  # bytes, of which the tail is taken
MOST = 3  # lines of each kind

RAN = re.compile(r"Ran (\d+) tests? in ")
ENDED = re.compile(r"(?:OK|FAILED)(?: \((?:.*\bskipped=(\d+))?.*)?$")
TOLD = 8  # of tests that failed
# GoogleTest's, with where it failed before them, and unittest's.
FAILED_AT = re.compile(r"(\S+:\d+): Failure$")
FAILED_TEST = re.compile(r"\[  FAILED  \] (\S+?),? .*\(\d+ ms\)$|(?:FAIL|ERROR): (.+)")
NOTHING = re.compile(r"\[=+\] Running 0 tests from 0 test suites|No tests were found!!!$")


@dataclass(frozen=True)
class Facts:
    said: str  # of flaky tests and of what did not run
    not_run: bool  # it says of something that it did not run
    ran_nothing: bool  # test programs were started, and not one test ran


def facts(log):
    flaky, not_run, empty = [], [], False
    ran, begun = None, 0  # tests that were not skipped; those of the suite that is being told of
    for line in _lines(log):
        if line.startswith("flaky: "):
            flaky.append(line)
        elif "NOT RUN" in line:
            not_run.append(line)
            del not_run[:-MOST]
        elif found := RAN.match(line):
            ran, begun = ran or 0, int(found[1])
        elif begun and (found := ENDED.match(line)):
            ran, begun = ran + max(0, begun - int(found[1] or 0)), 0
        elif NOTHING.match(line):
            empty = True
    return Facts("\n".join([*flaky[-MOST:], *not_run]), bool(not_run), ran == 0 or empty and not ran)


def failed_tests(log):
    """A line for each, as a person looks for it, of at most TOLD: they may be far above the end of the log."""
    told, at = {}, ""
    for line in _lines(log):
        if found := FAILED_AT.match(line):
            at = at or f" at {found[1]}"
        elif found := FAILED_TEST.match(line):
            told.setdefault(f"failed: {found[1] or found[2]}", at)
            at = ""
    lines = [name + at for name, at in told.items()]
    return "\n".join(lines[:TOLD] + [f"and {len(lines) - TOLD} more"] * (len(lines) > TOLD))


def _lines(log):
    if not log.exists():
        return  # `make clean`
    with open(log, "rb") as file:
        while line := file.readline(LINE):
            yield line.decode(errors="replace").rstrip("\r\n")


def tail(log, most=60):
    if not log.exists():
        return f"{log} has gone"
    with open(log, "rb") as file:
        size = file.seek(0, 2)
        file.seek(max(0, size - END))
        lines = file.read().decode(errors="replace").splitlines()[-most:]
    return "\n".join(line if len(line) <= LINE // most else f"... {line[-LINE // most:]}" for line in lines)
