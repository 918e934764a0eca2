"""One run at a time in a checkout, and nothing that a killed one has left behind works beside it.

Processes are found by a variable in their environment: whatever a tier starts inherits it.
"""

import contextlib
import fcntl
import os
import sys

from clusterlib import processes

from .table import ROOT

VARIABLE, TIER = "REPRISE_TIERS_OF", "REPRISE_TIER"


def _leftovers():
    """Ids of the processes that a run in this checkout has started."""
    return [process for process, environment in processes.with_variable(VARIABLE) if environment[VARIABLE] == str(ROOT)]


@contextlib.contextmanager
def alone():
    if os.environ.get(VARIABLE) == str(ROOT):
        sys.exit("a tier must not run the tiers of its own checkout")
    (ROOT / "build").mkdir(exist_ok=True)
    with open(ROOT / "build" / ".tiers.lock", "w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            sys.exit("another run of make test or make verify is under way in this checkout; wait for its end")
        while left := _leftovers():
            processes.kill(left, "what a killed run has left")
        yield
