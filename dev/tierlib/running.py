"""A step or tier that runs, with a log of its own, and how it is stopped."""

import contextlib
import os
import signal
import subprocess
import time
from dataclasses import dataclass, field

from .table import ROOT

LOGS = ROOT / "build" / "tiers"
# How what runs is stopped: first as a person would, then by force; and how many seconds each is waited for.
PATIENCE = ((signal.SIGINT, 30), (signal.SIGTERM, 10), (signal.SIGKILL, 10))


@dataclass
class Running:
    what: object
    process: subprocess.Popen
    log: object
    began: float = field(default_factory=time.monotonic)
    stopped: str = ""  # why the runner has ended it

    @property
    def cores(self):
        return self.what.cores

    @property
    def limit(self):
        """When it has run for longer than it may."""
        return self.began + self.what.minutes * 60

    @property
    def seconds(self):
        return time.monotonic() - self.began


def start(what, environment):
    LOGS.mkdir(parents=True, exist_ok=True)
    log = LOGS / f"{what.name.replace('/', '_').replace(' ', '-')}.log"
    with open(log, "wb") as out:
        # What nohup and background jobs ignore is a tier's way to hear that it shall end.
        process = subprocess.Popen(["env", "--default-signal=INT", "bash", "-o", "pipefail", "-c", what.command], cwd=ROOT,
                                   env=environment, stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT, start_new_session=True)
    return Running(what, process, log)


def end(running):
    """Stops what runs, with all that it has started. Whoever interrupts it again is in a hurry: the next signal follows at once."""
    for signal_number, patience in PATIENCE:
        try:
            _signal(running, signal_number)
            # A shell ends behind what it waits for; what it has put in the background hears no interrupt.
            _wait_for(running, patience, whole_groups=signal_number != signal.SIGINT)
        except KeyboardInterrupt:
            continue


def _signal(running, number):
    for each in running:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(each.process.pid, number)


def _wait_for(running, seconds, whole_groups):
    """For what was started, or for every process of their groups."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        alive = [each for each in running if each.process.poll() is None]
        if not alive and not (whole_groups and any(_is_there(each.process.pid) for each in running)):
            return
        time.sleep(0.05)


def _is_there(group):
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True
