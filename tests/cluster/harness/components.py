"""Components of a cluster that stand still for a while: what others do meanwhile, on a machine that is much too busy."""

import contextlib
import os
import signal
import sys

from .cluster import ROOT

sys.path.insert(0, str(ROOT / "dev"))

from clusterlib import paths, processes  # noqa: E402


@contextlib.contextmanager
def frozen(cluster, component):
    """Inside, that component ("kube-controller-manager") does nothing at all."""
    process = processes.running(paths.State(cluster.name))[component]
    os.kill(process, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(process, signal.SIGCONT)
