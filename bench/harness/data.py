"""The data of a benchmark, loaded through an API server once and kept as etcd's files."""

import fcntl
import shutil
import sys
import tempfile
from pathlib import Path

from .builds import go_sources
from .loader import Loader
from .places import cache, digest
from .server import Server


class Data:
    """Copies of etcd's directory with all nodes and a number of reconciled BenchJobs."""

    def __init__(self, keys, load_binary, size):
        self._keys, self._binary, self._size = keys, load_binary, size
        # Of the trials only these write data; a change of the others makes no other data.
        writers = {"clients.go", "data.go", "patches.go"}
        sources = [path for path in go_sources()
                   if "peers" not in path.parts and ("trials" not in path.parts or path.name in writers)]
        # A change of the server's version (the tools' directory is named after it) makes other files.
        self._root = cache() / f"data-{digest(sources, keys.tools.parent.name, f'{size.nodes}')}"

    def directory(self, jobs):
        """Where the files for so many BenchJobs lie; loads them, and all smaller ones, if need be."""
        wanted = self._root / str(jobs)
        if not wanted.exists():
            self._root.mkdir(parents=True, exist_ok=True)
            with open(self._root / "lock", "w") as lock:
                fcntl.flock(lock, fcntl.LOCK_EX)
                self._load_up_to(jobs)
        return wanted

    def _load_up_to(self, jobs):
        previous = None
        for step in sorted({0, self._size.medium, jobs}):
            if step > jobs:
                break
            target = self._root / str(step)
            if not target.exists():
                self._load(previous, step, target)
            previous = step

    def _load(self, previous, jobs, target):
        start = None if previous is None else self._root / str(previous)
        with Server(self._keys, start) as server:
            first, nodes = (0, self._size.nodes) if previous is None else (previous, 0)
            print(f"bench: loading {nodes} nodes and {jobs - first} BenchJobs (kept for later runs)", file=sys.stderr,
                  flush=True)
            Loader(self._binary, self._keys).run("data", nodes, jobs - first, first=first, clients=32)
            server.compact()
        with tempfile.TemporaryDirectory(prefix="copying-", dir=self._root) as directory:
            shutil.copytree(server.data, Path(directory) / "etcd")
            (Path(directory) / "etcd").rename(target)
