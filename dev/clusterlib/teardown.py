"""Taking a cluster down: no process and no file is left, unless somebody wants to know how it went."""

import os
import shutil
from pathlib import Path

from . import paths, processes


def down(state):
    """The caller holds the cluster's lock, which lives on the directory that goes."""
    processes.end_all(state)
    _keep_evidence(state)
    shutil.rmtree(state.root)
    try:
        paths.CLUSTERS.rmdir()
    except OSError:
        pass  # other clusters live there


def _keep_evidence(state):
    """Into the directory REPRISE_EVIDENCE, for tests that have failed (tests/reruns)."""
    directory = os.environ.get("REPRISE_EVIDENCE")
    for file in (state.audit_log, state.logs) if directory else ():
        if file.exists():
            shutil.move(file, Path(directory) / f"{state.name}.{file.name}")
