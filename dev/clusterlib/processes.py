"""Starting, finding and ending a cluster's processes.

A process is known by two variables in its environment, not by a file of process ids: it is
found whatever was killed in between, and a reused id is never mistaken for it.
"""

import os
import signal
import subprocess
from pathlib import Path

from .readiness import wait_until

_STATE = "REPRISE_CLUSTER_STATE"
_COMPONENT = "REPRISE_CLUSTER_COMPONENT"


def start(state, component, command, environment):
    """Starts a component in a session of its own, its output appended to its log."""
    variables = {"PATH": "/usr/bin:/bin", "HOME": str(state.root), "TZ": "UTC", **environment,
                 _STATE: str(state.root), _COMPONENT: component}
    with open(state.log(component), "ab") as log:
        return subprocess.Popen([str(part) for part in command], env=variables, cwd=state.root,
                                stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True)


def running(state):
    """Component -> process id of what runs of this cluster."""
    found = {}
    for process, environment in _marked():
        if environment.get(_STATE) == str(state.root):
            found[environment.get(_COMPONENT, "?")] = process
    return found


def end_all(state):
    """Kills every process of the cluster and returns when none is left."""
    def none_left():
        processes = running(state).values()
        for process in processes:
            try:
                os.kill(process, signal.SIGKILL)
            except ProcessLookupError:
                pass
        return not processes
    wait_until(f"the processes of cluster {state.name} to end", none_left, seconds=20)


def _marked():
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            raw = (entry / "environ").read_bytes()
        except OSError:
            continue  # gone, or somebody else's
        if _STATE.encode() in raw:
            pairs = (item.split("=", 1) for item in raw.decode(errors="replace").split("\0") if "=" in item)
            yield int(entry.name), dict(pairs)
