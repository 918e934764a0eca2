"""One run at a time in a checkout, and nothing that a killed one has left behind works beside it.

Processes are found by a variable in their environment: whatever a tier starts inherits it.
"""

import contextlib
import fcntl
import os
import signal
import sys
from pathlib import Path

from .table import ROOT

VARIABLE = "REPRISE_TIERS_OF"


def marked(root=ROOT):
    """Ids of the processes that a run in ROOT has started."""
    wanted = f"{VARIABLE}={root}".encode()
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if wanted in (process / "environ").read_bytes().split(b"\0") and int(process.name) != os.getpid():
                yield int(process.name)
        except OSError:
            continue


def _end_leftovers(root):
    for process in marked(root):
        with contextlib.suppress(OSError):
            descriptor = os.pidfd_open(process)
            signal.pidfd_send_signal(descriptor, signal.SIGKILL)
            os.close(descriptor)


@contextlib.contextmanager
def alone(root=ROOT):
    if os.environ.get(VARIABLE) == str(root):
        sys.exit("a tier must not run the tiers of its own checkout")
    (root / "build").mkdir(exist_ok=True)
    with open(root / "build" / ".tiers.lock", "w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            sys.exit("another run of make test or make verify is under way in this checkout; wait for its end")
        os.set_inheritable(lock.fileno(), False)
        _end_leftovers(root)
        yield
