"""Starting, finding and ending a cluster's processes.

A process is known by two variables in its environment, not by a file of process ids: it is
found whatever was killed in between, and a reused id is never mistaken for it.
"""

import os
import select
import signal
import subprocess
import time
from pathlib import Path

from .readiness import wait_until

STATE = "REPRISE_CLUSTER_STATE"
COMPONENT = "REPRISE_CLUSTER_COMPONENT"
# How many processors each program of Go believes to have; all when not said.
_PROCESSORS = "REPRISE_CLUSTER_PROCESSORS"
# The run of tests that has started it (leftovers.py). A cluster that somebody keeps is nobody's.
_RUN = ("REPRISE_TIERS_OF", "REPRISE_TIER", "REPRISE_CLASS")


def start(state, component, command, environment):
    """Starts a component in a session of its own, its output appended to its log."""
    run = {name: os.environ[name] for name in _RUN if name in os.environ and not os.environ.get("REPRISE_KEEP_CLUSTER")}
    limit = {"GOMAXPROCS": os.environ[_PROCESSORS]} if _PROCESSORS in os.environ else {}
    variables = {"PATH": "/usr/bin:/bin", "HOME": str(state.root), "TZ": "UTC", **limit, **environment, **run,
                 STATE: str(state.root), COMPONENT: component}
    with open(state.log(component), "ab") as log:
        return subprocess.Popen([str(part) for part in command], env=variables, cwd=state.root,
                                stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True)


def running(state):
    """Component -> process id of what runs of this cluster."""
    found = {}
    for process, environment in with_variable(STATE):
        if environment[STATE] == str(state.root):
            found[environment.get(COMPONENT, "?")] = process
    return found


def end(state, component):
    """Kills that component's process and returns when it has let go of all it held."""
    kill([running(state)[component]], f"{component} of cluster {state.name}")


def end_all(state):
    """Kills every process of the cluster and returns when none is left and their ports are free."""
    while processes := running(state).values():
        kill(processes, f"the processes of cluster {state.name}")


def kill(processes, what, seconds=20):
    """Kills these and returns when they have let go of all they held; `what` says who they are."""
    # A process that dies gives up its environment, by which it is found, some time before its
    # sockets. Its file descriptor tells when the last of its threads is gone, and with it all.
    held = []
    try:
        for process in processes:
            try:
                held.append(os.pidfd_open(process))
                signal.pidfd_send_signal(held[-1], signal.SIGKILL)
            except ProcessLookupError:
                pass
        wait_until(f"{what} to end", lambda: all(select.select([process], [], [], 0)[0] for process in held), seconds)
    finally:
        for process in held:
            os.close(process)


def with_variable(name):
    """(process id, environment) of every process that has the variable NAME in its environment."""
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            raw = _environment(entry)
        except OSError:
            continue  # gone, or somebody else's
        if name.encode() in raw:
            environment = dict(item.split("=", 1) for item in raw.decode(errors="replace").split("\0") if "=" in item)
            if name in environment:
                yield int(entry.name), environment


def _environment(process):
    """The bytes of its environment. While a process executes another program it shows none: it is read again then."""
    before = None
    for _ in range(1000):
        if raw := (process / "environ").read_bytes():
            return raw
        (process / "exe").readlink()  # a thread of the kernel and one that has ended have none
        now = _bounds(process)
        # The kernel writes the bounds one after the other, and those of another program lie elsewhere.
        if now == before and now[0] == now[1] != "0":
            return b""
        before = now
        time.sleep(0.001)
    return b""


def _bounds(process):
    """Where its environment lies in its memory, by proc_pid_stat(5): "0" and "0" while another program is set up."""
    fields = (process / "stat").read_text().rpartition(")")[2].split()  # from the third on
    return fields[47], fields[48]
