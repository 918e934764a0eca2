"""This machine as the ground for others: what it must offer, names nobody else uses, ending what an earlier run left."""

import fcntl
import os
import shutil
import signal
import subprocess
import sys
import zlib
from contextlib import contextmanager
from pathlib import Path

from harness import wait
from harness.cluster import ROOT

sys.path.insert(0, str(ROOT / "dev"))
from clusterlib import processes  # noqa: E402

HERE = Path(__file__).resolve().parents[1]
CGROUPS = Path("/sys/fs/cgroup")
# Clones of the repository get along on one machine: each has a number of its own in names and addresses.
NUMBER = zlib.crc32(str(ROOT).encode()) % 250
BRIDGE = f"reprise{NUMBER}"
_MARK = "REPRISE_NODE_TIER"


def why_unable():
    """What this machine lacks, or ""."""
    if os.geteuid() != 0:
        return "root is needed: machines are made of namespaces, mounts and control groups"
    if (CGROUPS / "cgroup.controllers").exists():
        return "control groups v1 are needed; this machine has v2, on which nothing here was ever tried"
    if not (CGROUPS / "memory").is_dir():
        return "no control groups below /sys/fs/cgroup"
    tried = run("unshare", "--mount", "--pid", "--fork", "--mount-proc", "--net", "--uts", "--ipc", "true", check=False)
    if tried.returncode != 0:
        return f"namespaces are refused here: {tried.stderr.strip()}"
    return ""


@contextmanager
def alone():
    """One run per clone. The lock is on the folder itself, so that no lock file stays."""
    descriptor = os.open(HERE, os.O_RDONLY)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            print("waiting for another run of the node tests", file=sys.stderr)
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def mark_children():
    """Whatever this process starts from now on is found by `clean`, whoever was killed in between."""
    os.environ[_MARK] = str(ROOT)


def clean():
    """Ends the processes of earlier runs and of this one, and removes their network and control groups."""
    def none_left():
        left = _marked()
        for process in left:
            try:
                os.kill(process, signal.SIGKILL)
            except ProcessLookupError:
                pass
        return not left
    wait.until("the machines and operators of the node tests have ended", none_left)
    # A network namespace outlives its processes for as long as their connections take to die, and its cable with it.
    for device in Path("/sys/class/net").glob(f"{BRIDGE}*"):
        run("ip", "link", "delete", device.name, check=False)
    for group in CGROUPS.glob(f"*/{BRIDGE}-*"):
        remove_group(group)


def remove_group(group):
    """The kernel lets go of a group's dead processes a moment after their end."""
    def gone():
        for directory, _, _ in os.walk(group, topdown=False):
            try:
                os.rmdir(directory)
            except OSError:
                pass
        return not group.exists()
    wait.until(f"control group {group} is empty", gone)


def _marked():
    return [process for process, environment in processes.with_variable(_MARK)
            if environment[_MARK] == str(ROOT) and process != os.getpid()]


def run(*command, check=True):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True)
    if check and done.returncode:
        raise AssertionError(f"{' '.join(map(str, command))}: {done.stdout}{done.stderr}")
    return done


def missing_programs():
    return [name for name in ("containerd", "ctr", "runc", "ip", "iptables", "nsenter", "unshare", "openssl") if not shutil.which(name)]
