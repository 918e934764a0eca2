"""Runs steps and tiers: no more at once than the cores have work for, each with a log of its own."""

import os
import select
import signal
import subprocess
import sys
import time
from dataclasses import dataclass, field

from . import plan, report
from .table import ROOT

CANNOT_RUN = 77  # the exit code of what has not run for want of something, and has said so
LOGS = ROOT / "build" / "tiers"
LOOK_SECONDS = 60  # how often the line of progress is printed while nothing ends


@dataclass
class Running:
    what: object
    process: subprocess.Popen
    log: object
    began: float = field(default_factory=time.monotonic)

    @property
    def cores(self):
        return self.what.cores

    @property
    def seconds(self):
        return time.monotonic() - self.began


def start(what, environment):
    LOGS.mkdir(parents=True, exist_ok=True)
    log = LOGS / f"{what.name.replace('/', '_').replace(' ', '-')}.log"
    with open(log, "wb") as out:
        process = subprocess.Popen(["bash", "-o", "pipefail", "-c", what.command], cwd=ROOT, env=environment,
                                   stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT, start_new_session=True)
    return Running(what, process, log)


def end(running):
    """Stops what runs, with all that it has started: first as a person would, then by force."""
    for signal_number, patience in ((signal.SIGINT, 30), (signal.SIGTERM, 10), (signal.SIGKILL, 10)):
        for each in running:
            if each.process.poll() is None:
                os.killpg(each.process.pid, signal_number)
        deadline = time.monotonic() + patience
        for each in running:
            try:
                each.process.wait(max(0.1, deadline - time.monotonic()))
            except subprocess.TimeoutExpired:
                continue


@dataclass
class Load:
    """The highest mean load of a minute that was seen."""
    highest: float = 0.0

    def look(self):
        self.highest = max(self.highest, os.getloadavg()[0])


def run(waiting, environment_of, finished, seconds_of, load, stop_at_failure=True):
    """Runs all of WAITING. `finished(running, code)` is told of each end and says whether it is good.

    Returns whether all were good. With STOP_AT_FAILURE what still runs is stopped at the first that was not.
    """
    waiting, running, good, done = list(waiting), [], True, 0
    total = len(waiting)
    spoke = time.monotonic()
    try:
        while waiting or running:
            while each := plan.next_to_start(waiting, running):
                waiting.remove(each)
                running.append(start(each, environment_of(each)))
                print(f"== {each.name}: {each.command}", flush=True)
            ended = _wait(running, min(spoke + LOOK_SECONDS, time.monotonic() + 10))
            load.look()
            for each in ended:
                running.remove(each)
                done += 1
                if not finished(each, each.process.returncode):
                    good = False
                    if stop_at_failure:
                        return False
            if ended or time.monotonic() >= spoke + LOOK_SECONDS:
                spoke = time.monotonic()
                if total > 1:
                    print(_progress(done, total, waiting, running, seconds_of), flush=True)
        return good
    except KeyboardInterrupt:
        print("stopped; what has passed is kept, the same command goes on", file=sys.stderr)
        raise
    finally:
        end(running)


def _progress(done, total, waiting, running, seconds_of):
    seconds = {each.what.name: each.seconds for each in running}
    left = plan.seconds_left(waiting, [each.what for each in running], seconds_of, lambda what: seconds.get(what.name, 0.0))
    return report.progress(done, total, [each.what.name for each in running], left)


def _wait(running, until):
    """Those that have ended; none when the time is over."""
    descriptors = [os.pidfd_open(each.process.pid) for each in running if each.process.poll() is None]
    try:
        if len(descriptors) == len(running):
            select.select(descriptors, [], [], max(0.0, until - time.monotonic()))
    finally:
        for descriptor in descriptors:
            os.close(descriptor)
    return [each for each in running if each.process.poll() is not None]
