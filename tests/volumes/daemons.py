"""Mounts of one store by daemons of their own, as on nodes of their own; and the programs that they are."""

import os
import shutil
import signal
import subprocess
from contextlib import contextmanager
from pathlib import Path

from mounts import ROOT, called, is_mounted, wait_for


def tool(name):
    """Of those that dev/tools/build-volume-tools installs."""
    done = subprocess.run([ROOT / "dev/tools/build-volume-tools"], check=True, stdout=subprocess.PIPE, text=True)
    return Path(done.stdout.strip()) / name


class Node:
    """`place`: the volume as one node has it. `work`: what else is on that node, the daemon's cache and log included."""

    def __init__(self, work, command):
        self.work, self.command = Path(work), command
        self.place, self.cache, self.log = self.work / "volume", self.work / "cache", self.work / "log"
        self.daemon = None
        self.work.mkdir()
        self.cache.mkdir()

    def mount(self):
        self.place.mkdir(exist_ok=True)
        with self.log.open("a") as log:
            self.daemon = subprocess.Popen(self.command(self), stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                                           start_new_session=True)  # with those that it starts
        wait_for("it was not mounted", lambda: is_mounted(self.place) or self.daemon.poll() is not None)
        if self.daemon.poll() is not None:
            raise RuntimeError(f"it was not mounted: {self.log.read_text()}")

    def kill_daemon(self):
        """Whatever it had not sent stays in the cache of this node."""
        self.kill()
        called("umount", "--lazy", self.place)

    def kill(self):
        os.killpg(self.daemon.pid, signal.SIGKILL)
        self.daemon.wait()

    def lose(self):
        """The node goes, and its disk with it."""
        self.kill_daemon()
        shutil.rmtree(self.cache)

    def unmount(self):
        if is_mounted(self.place):
            called("umount", "--lazy", self.place)
        self.daemon.terminate()
        try:
            self.daemon.wait(timeout=30)
        except subprocess.TimeoutExpired:  # it still sends: its node ends here
            self.kill()

    @contextmanager
    def mounted(self):
        self.mount()
        try:
            yield self
        finally:
            self.unmount()
