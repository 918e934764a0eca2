"""Runs steps and tiers: no more at once than the cores have work for."""

import contextlib
import os
import select
import signal
import sys
import time
from dataclasses import dataclass

from . import plan, report
from .running import end, start

CANNOT_RUN = 77  # the exit code of what has not run for want of something, and has said so
LOOK_SECONDS = 60  # how often the line of progress is printed while nothing ends
MOST_OUTPUT = 1 << 30  # bytes; a tier that writes more has gone wrong, and would fill the disk


@dataclass
class Load:
    """The highest mean load of a minute that was seen, and what ran then."""
    highest: float = 0.0
    beside: tuple = ()

    def look(self, names, mean=lambda: os.getloadavg()[0]):
        now = mean()
        if now > self.highest:
            self.highest, self.beside = now, tuple(names)

    def __str__(self):
        return f"{self.highest:.1f} at most" + (f" ({', '.join(self.beside)})" if self.beside else "")


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
            ended = _wait(running, min(spoke + LOOK_SECONDS, time.monotonic() + 10, *(each.limit for each in running)))
            load.look(each.what.name for each in running)
            ended += _stopped(running)
            for each in ended:
                running.remove(each)
                done += 1
                with _uninterrupted():  # whoever stops it now has a verdict kept all the same
                    good = finished(each, each.process.returncode if not each.stopped else 1) and good
            if not good and stop_at_failure:
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


@contextlib.contextmanager
def _uninterrupted():
    """Whoever stops the run is heard in the end."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, (signal.SIGINT, signal.SIGTERM, signal.SIGHUP))
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _stopped(running):
    """Those that would never end, or would fill the disk; they have been ended."""
    for each in running:
        if each.process.poll() is None and time.monotonic() >= each.limit:
            each.stopped = f"no end within {each.what.minutes} minutes: stopped"
        elif each.process.poll() is None and each.log.exists() and each.log.stat().st_size > MOST_OUTPUT:
            each.stopped = f"more than {MOST_OUTPUT >> 20} MiB of output: stopped"
    found = [each for each in running if each.stopped]
    end(found)
    return found


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
