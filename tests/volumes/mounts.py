"""File systems for the tests, mounted and taken away again. They need root and /dev/fuse."""

import os
import signal
import subprocess
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / "build" / os.environ.get("PRESET", "dev")
STORE = BUILD / "tests" / "mount_object_store"


def called(*command):
    done = subprocess.run(command, check=False, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(map(str, command))}: {done.stderr.strip() or done.stdout.strip()}")


def is_mounted(place):
    return any(line.split()[4] == str(place) for line in Path("/proc/self/mountinfo").read_text().splitlines())


def wait_for(what, condition, seconds=30):
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            raise TimeoutError(what)
        time.sleep(0.02)


class Volume:
    """A mounted file system; an object store can lose power and come back."""

    def __init__(self, work, kind, options):
        self.work, self.kind, self.options = Path(work), kind, options
        self.place, self.behind, self.log = self.work / "volume", self.work / "behind", self.work / "log"
        self.server = None
        self.place.mkdir()

    def mount(self):
        if self.kind == "tmpfs":
            called("mount", "-t", "tmpfs", *(f"-osize={size}" for size in self.options), "none", self.place)
        elif self.kind == "ext4":
            called("truncate", f"--size={self.options[0] if self.options else '64M'}", self.behind)
            called("mkfs.ext4", "-q", "-m0", self.behind)
            called("mount", "-o", "loop", self.behind, self.place)
        elif self.kind in ("xfs", "btrfs"):
            called("truncate", "--size=400M", self.behind)
            called(f"mkfs.{self.kind}", "-q", self.behind)
            called("mount", "-o", "loop", self.behind, self.place)
        elif self.kind == "overlay":
            layers = [self.work / each for each in ("lower", "upper", "working")]
            for each in layers:
                each.mkdir()
            told = ",".join(f"{name}={each}" for name, each in zip(("lowerdir", "upperdir", "workdir"), layers, strict=True))
            called("mount", "-t", "overlay", "-o", told, "none", self.place)
        elif self.kind == "mergerfs":
            branches = [self.work / each for each in ("one", "two")]
            for each in branches:
                each.mkdir()
            called("mergerfs", ":".join(map(str, branches)), self.place)
        elif self.kind == "sshfs":
            self.behind.mkdir()
            called("truncate", "--size=64M", self.work / "image")
            called("mkfs.ext4", "-q", "-m0", self.work / "image")
            called("mount", "-o", "loop", self.work / "image", self.behind)
            self.behind.chmod(0o777)
            ssh = self.work / "ssh"
            ssh.write_text("#!/bin/sh\nexec /usr/lib/openssh/sftp-server\n")
            ssh.chmod(0o755)
            called("sshfs", "-o", f"ssh_command={ssh}", f"host:{self.behind}", self.place)
        elif self.kind == "bindfs":
            self.behind.mkdir()
            called("bindfs", self.behind, self.place)
        else:
            self.behind.mkdir(exist_ok=True)
            words = [STORE, self.kind, self.behind, self.place, self.log, *self.options]
            self.server = subprocess.Popen(words, stderr=subprocess.PIPE, text=True)
            wait_for("the object store was not mounted", lambda: is_mounted(self.place) or self.server.poll())
            if self.server.poll() is not None:
                raise RuntimeError(f"the object store was not mounted: {self.server.stderr.read()}")

    def unmount(self):
        called("umount", "--lazy" if self.server else "--no-mtab", self.place)
        if self.kind == "sshfs":
            called("umount", self.behind)
        if self.server:
            self.server.send_signal(signal.SIGTERM)
            self.server.wait()
            self.server.stderr.close()

    def lose_power(self):
        self.server.kill()
        self.unmount()
        self.mount()

    def logged(self, word):
        lines = self.log.read_text().splitlines() if self.log.exists() else []
        return [line.split(" ", 1)[1] for line in lines if line.startswith(word + " ")]


@contextmanager
def mounted(kind, *options):
    with tempfile.TemporaryDirectory() as work:
        volume = Volume(work, kind, options)
        volume.mount()
        try:
            yield volume
        finally:
            volume.unmount()
