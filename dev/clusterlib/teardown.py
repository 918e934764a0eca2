"""Taking a cluster down: no process and no file is left."""

import shutil

from . import paths, processes


def down(state):
    """The caller holds the cluster's lock, which lives on the directory that goes."""
    processes.end_all(state)
    shutil.rmtree(state.root)
    try:
        paths.CLUSTERS.rmdir()
    except OSError:
        pass  # other clusters live there
