"""One run at a time in a checkout, and nothing that a killed one has left behind works beside it.

Processes are found by a variable in their environment: whatever a tier starts inherits it.
"""

import contextlib
import fcntl
import os
import sys

from clusterlib import leftovers

from .table import ROOT

VARIABLE, TIER = "REPRISE_TIERS_OF", "REPRISE_TIER"
MARKS = {VARIABLE: str(ROOT)}  # of everything that a run in this checkout has started
PATIENCE = 30  # seconds for what a killed run has left to tidy up


@contextlib.contextmanager
def alone():
    if os.environ.get(VARIABLE) == str(ROOT):
        sys.exit("a tier must not run the tiers of its own checkout")
    # The folder itself is locked: a file in build/ goes with `make clean`.
    lock = os.open(ROOT, os.O_RDONLY)
    try:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            sys.exit("another run of make test or make verify is under way in this checkout; wait for its end")
        if leftovers.found(MARKS):
            print("ending what a run has left that was killed", file=sys.stderr, flush=True)
            leftovers.ask(MARKS, PATIENCE)
        leftovers.end(MARKS)
        try:
            yield
        finally:
            leftovers.end(MARKS)
    finally:
        os.close(lock)


def end_what_it_left(tier):
    """A tier has ended: what works on would do so beside others. Returns what that was."""
    return leftovers.end({**MARKS, TIER: tier})
