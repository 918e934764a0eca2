"""A volume of JuiceFS, its names in SQLite and its blocks in a directory, and mounts of it."""

import subprocess
import tempfile
from contextlib import contextmanager
from pathlib import Path

from daemons import Node, tool
from mounts import called

WRITE_BACK = ("--writeback", "--upload-limit", "8")  # Mbit/s


class JuiceFS:
    """`reader`: a mount that caches nothing, and so shows what the store has."""

    def __init__(self, work):
        self.work = Path(work)
        self.names, self.blocks = f"sqlite3://{self.work}/names", self.work / "blocks"
        self.blocks.mkdir()
        self.reader = self.node("reader", "--cache-size", "0", "--attr-cache", "0", "--entry-cache", "0", "--io-retries", "1")

    @contextmanager
    def served(self):
        called(tool("juicefs"), "format", "--storage", "file", "--bucket", f"{self.blocks}/", self.names, "volume")
        with self.reader.mounted():
            yield self

    def read(self, name):
        try:
            return (self.reader.place / name).read_bytes()
        except OSError:  # it is not there, or its blocks are not
            return None

    def node(self, name, *options):
        def command(node):
            return [tool("juicefs"), "mount", "--no-usage-report", "--metrics", "127.0.0.1:0", "--cache-dir", node.cache,
                    *options, self.names, node.place]
        return Node(self.work / name, command)


def puts(node):
    """How many blocks its daemon has uploaded."""
    stats = subprocess.run(["cat", node.place / ".stats"], check=True, capture_output=True, text=True).stdout
    counts = dict(line.rsplit(" ", 1) for line in stats.splitlines())
    return int(counts.get("juicefs_object_request_durations_histogram_seconds_PUT_total", 0))


@contextmanager
def juicefs():
    with tempfile.TemporaryDirectory() as work, JuiceFS(work).served() as found:
        yield found
