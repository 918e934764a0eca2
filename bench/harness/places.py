"""Where things lie: the repository, the caches, the fast scratch directory of a run."""

import hashlib
import os
import subprocess
import sys
import tempfile
from pathlib import Path

BENCH = Path(__file__).resolve().parent.parent
REPOSITORY = BENCH.parent

sys.path.insert(0, str(REPOSITORY / "dev"))


def cache():
    root = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return root / "reprise" / "bench"


def scratch():
    """A new directory in memory where there is such a place, else in the temporary directory."""
    memory = Path("/dev/shm")
    parent = memory if os.access(memory, os.W_OK) else None
    return Path(tempfile.mkdtemp(prefix="reprise-bench-", dir=parent))


def digest(paths, *more):
    """A short hash of files' names and contents and of further words."""
    total = hashlib.sha256("\0".join(more).encode())
    for path in sorted(paths):
        total.update(str(path.relative_to(BENCH)).encode() + b"\0" + hashlib.sha256(path.read_bytes()).digest())
    return total.hexdigest()[:16]


def commit():
    result = subprocess.run(["git", "describe", "--always", "--dirty"], cwd=REPOSITORY, capture_output=True, text=True)
    return result.stdout.strip() or "unknown"
