"""Disks of one machine, of which a copy shows what a machine leaves that is lost at that moment."""

import signal
import subprocess
import tempfile
from contextlib import contextmanager
from pathlib import Path

from mounts import BUILD, called, is_mounted, wait_for

SLOW = BUILD / "tests" / "mount_slow_disk"


@contextmanager
def attached(file, *options):
    """A loop device of a file."""
    device = subprocess.run(["losetup", "--find", "--show", *options, file], check=True, capture_output=True, text=True).stdout.strip()
    try:
        yield device
    finally:
        called("losetup", "--detach", device)


@contextmanager
def placed(kind, device, place, *options):
    """A file system on a device, or on a copy of one."""
    place.mkdir(exist_ok=True)
    nouuid = ["-onouuid"] if kind == "xfs" else []  # of a copy that is there beside what it was copied from
    called("mount", "-t", kind, *nouuid, *options, device, place)
    try:
        yield place
    finally:
        called("umount", place)


class SlowDisk:
    """`place`: a file system on a disk that writes at the pace that it is given."""

    def __init__(self, work, kind):
        self.work, self.kind = Path(work), kind
        self.image, self.place, self.pace_file = self.work / "image", self.work / "volume", self.work / "pace"
        self.server = None

    @contextmanager
    def mounted(self):
        called("truncate", "--size=600M", self.image)
        called(f"mkfs.{self.kind}", "-q", self.image)
        shown = self.work / "shown"
        shown.mkdir()
        self.server = subprocess.Popen([SLOW, self.image, shown, self.pace_file], stderr=subprocess.DEVNULL)
        try:
            wait_for("the disk was not mounted", lambda: is_mounted(shown) or self.server.poll() is not None)
            with attached(shown / "disk", "--direct-io=on") as device, placed(self.kind, device, self.place):
                try:
                    yield self
                finally:
                    self.pace("")
        finally:
            called("umount", "--lazy", shown)
            self.server.wait(timeout=60)

    def pace(self, bytes_in_a_second):
        self.pace_file.write_text(str(bytes_in_a_second))

    @contextmanager
    def lost_now(self, number):
        """What a machine that is lost now leaves, on another one."""
        copy = self.work / f"copy-{number}"
        self.server.send_signal(signal.SIGSTOP)
        called("cp", "--sparse=always", self.image, copy)
        self.server.send_signal(signal.SIGCONT)
        with placed(self.kind, copy, self.work / f"lost-{number}", "-oloop") as place:
            yield place
        copy.unlink()


@contextmanager
def slow_disk(kind):
    with tempfile.TemporaryDirectory() as work, SlowDisk(work, kind).mounted() as disk:
        yield disk


class SmallStore:
    """A file system of 320 MiB, on a store that has less: writes fail when they reach it."""

    def __init__(self, work, kind):
        self.work, self.kind = Path(work), kind
        self.store, self.place = self.work / "store", self.work / "volume"
        self.device = None

    @contextmanager
    def mounted(self, room):
        with placed("tmpfs", "none", self.store, "-osize=600m"):
            image = self.store / "image"
            called("truncate", "--size=320M", image)
            called(f"mkfs.{self.kind}", "-q", image)
            with attached(image) as self.device, placed(self.kind, self.device, self.place):
                called("sync", "-f", self.place)
                shown = subprocess.run(["df", "-m", "--output=used", self.store], check=True, capture_output=True, text=True)
                self.resize(int(shown.stdout.split()[-1]) + room)
                yield self
                self.resize(600)

    def resize(self, mebibytes):
        called("mount", "-o", f"remount,size={mebibytes}m", self.store)

    def mount_anew(self):
        """As on the next machine, once somebody has made room."""
        self.resize(600)
        called("umount", self.place)
        called("mount", "-t", self.kind, self.device, self.place)


@contextmanager
def overcommitted(kind, room):
    """`room`: of the store, in MiB, once the file system is made."""
    with tempfile.TemporaryDirectory() as work, SmallStore(work, kind).mounted(room) as store:
        yield store
