"""What works on when a run of tests has ended, was stopped or killed: processes, and the clusters that they are of.

Whoever starts a run marks it with variables in the environment, which everything that the run starts inherits.
"""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from . import paths, processes
from .errors import ClusterError


def found(marks):
    """[(process id, environment)] of what has all these variables in its environment."""
    name = next(iter(marks))
    return [(process, environment) for process, environment in processes.with_variable(name)
            if all(environment.get(each) == value for each, value in marks.items())]


def ask(marks, seconds):
    """Interrupts what has the marks and waits until it has tidied up, but for no longer than so many seconds. The components of a
    cluster are left to whoever takes it down."""
    def asked():
        return [process for process, environment in found(marks) if processes.STATE not in environment]
    for group in {group for group in map(_group, asked()) if group}:
        _signal(group, signal.SIGINT)
    deadline = time.monotonic() + seconds
    while asked() and time.monotonic() < deadline:
        time.sleep(0.1)


def end(marks, evidence=None):
    """Kills what has the marks and takes its clusters down; returns what that was. `evidence`: a directory for their logs."""
    names, clusters = [], set()
    while left := found(marks):
        for process, environment in left:
            component, state = environment.get(processes.COMPONENT), environment.get(processes.STATE)
            names.append(f"{component} of cluster {Path(state).name}" if state else _program(process))
            clusters |= {Path(state)} if state else set()
        try:
            processes.kill([process for process, _ in left], "what a run has left")
        except (ClusterError, PermissionError) as problem:  # somebody else's, or in the hands of a device
            print(f"it works on: {', '.join(names)}: {problem}", file=sys.stderr, flush=True)
            return names
    for state in clusters:
        if state.parent == paths.CLUSTERS and state.is_dir():
            environment = {**os.environ, **({"REPRISE_EVIDENCE": str(evidence)} if evidence else {})}
            subprocess.run([paths.DEV / "cluster", "down", state.name], check=False, env=environment,
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return names


def _group(process):
    try:
        return os.getpgid(process)
    except ProcessLookupError:
        return 0


def _signal(group, number):
    try:
        os.killpg(group, number)
    except ProcessLookupError:
        pass


def _program(process):
    try:
        return (Path("/proc") / str(process) / "comm").read_text().strip()
    except OSError:
        return "a process"
