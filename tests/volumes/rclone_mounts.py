"""A bucket of an S3 server on this machine, and mounts of it by rclone, which is both."""

import re
import subprocess
import tempfile
from collections import Counter
from contextlib import contextmanager
from pathlib import Path

from daemons import Node, tool
from mounts import wait_for

CACHE_MODES = ("off", "minimal", "writes", "full")
KEY, SECRET = "key", "secret"
SERVER = "[store]\ntype = s3\nprovider = Rclone\naccess_key_id = {}\nsecret_access_key = {}\nendpoint = {}\n"


class Bucket:
    """`objects`: the directory in which the server has them, each as a file, whole or not at all."""

    def __init__(self, work):
        self.work, self.log = Path(work), Path(work) / "server-log"
        self.objects = self.work / "store" / "bucket"
        self.objects.mkdir(parents=True)
        self.server = self.address = None

    @contextmanager
    def served(self):
        with self.log.open("w") as log:
            command = [tool("rclone"), "--config", "/dev/null", "serve", "s3", self.objects.parent, "-vv",
                       "--addr", "127.0.0.1:0", "--auth-key", f"{KEY},{SECRET}"]
            self.server = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        try:
            said = re.compile(r"http://127\.0\.0\.1:\d+")
            wait_for("no server", lambda: said.search(self.log.read_text()) or self.server.poll() is not None)
            self.address = said.search(self.log.read_text())[0]
            (self.work / "config").write_text(SERVER.format(KEY, SECRET, self.address))
            yield self
        finally:
            self.server.terminate()
            self.server.wait()

    def requests(self, begin=0):
        """How many of each kind the server has answered: {"PUT": 2, "HEAD": 3}. `begin`: of its log, in bytes."""
        with self.log.open("rb") as log:
            log.seek(begin)
            kinds = Counter(re.findall(r"serve s3: (CREATE|COPY|DELETE|HEAD|GET|LIST)", log.read().decode()))
        kinds["PUT"] = kinds.pop("CREATE", 0) - kinds["COPY"]  # a copy is said as both
        return +kinds

    def read(self, name):
        try:
            return (self.objects / name).read_bytes()
        except FileNotFoundError:
            return None

    def node(self, name, cache_mode, *options):
        def command(node):
            return [tool("rclone"), "--config", self.work / "config", "mount", "store:bucket", node.place,
                    "--vfs-cache-mode", cache_mode, "--cache-dir", node.cache, *options]
        return Node(self.work / name, command)


@contextmanager
def bucket():
    with tempfile.TemporaryDirectory() as work, Bucket(work).served() as found:
        yield found
