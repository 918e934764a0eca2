"""What is kept of a class that has failed: build/flaky/TIER/CLASS/{first,second}/ with its output and its cluster's audit log."""

import os
import shutil
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# Where dev/clusterlib/teardown.py leaves a cluster's audit log and its components' logs, when it is set.
VARIABLE = "REPRISE_EVIDENCE"
RUNS = ("first", "second")


def directory(tier):
    """tests/repeat has its own, and so has each tier, so that one run does not write over another's."""
    return Path(os.environ.get("REPRISE_FLAKY", ROOT / "build/flaky")) / os.environ.get("REPRISE_TIER", tier)


def begin(tier, name, run):
    """An empty directory for the `run` ("first", "second") of a class."""
    made = directory(tier) / name / run
    shutil.rmtree(made.parent if run == RUNS[0] else made, ignore_errors=True)
    made.mkdir(parents=True)
    return made


def forget(made):
    """The class has passed: nothing of this run is worth keeping."""
    shutil.rmtree(made, ignore_errors=True)
    for empty in (made.parent, made.parent.parent, made.parent.parent.parent):
        try:
            empty.rmdir()
        except OSError:
            return
