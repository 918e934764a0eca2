"""Packages that a tier installs: whoever stops the tier leaves no half of a package behind."""

import os
import shutil
import signal
import subprocess
import sys
import time
import unittest
from pathlib import Path

from scratch import ROOT, Scratch

sys.path.insert(0, str(ROOT / "dev"))

from clusterlib import leftovers  # noqa: E402

APT = """#!/bin/sh
echo "apt-get $*" >>{calls}
case "$*" in *install*) if test -e {slow}; then echo apt > {root}/begun; read line < {root}/go-on; fi; echo installed >>{calls};; esac
"""
DPKG = """#!/bin/sh
echo "dpkg $*" >>{calls}
test "$*" != --audit || cat {broken} 2>/dev/null
"""


class Install(Scratch):
    def setUp(self):
        super().setUp()
        place = self.root.parent / "bin"
        place.mkdir()
        self.calls, self.slow, self.broken = (self.root.parent / name for name in ("calls", "slow", "broken"))
        for name, text in (("apt-get", APT), ("dpkg", DPKG)):
            (place / name).write_text(text.format(calls=self.calls, slow=self.slow, broken=self.broken, root=self.root))
            (place / name).chmod(0o755)
        shutil.copy(ROOT / "dev/install", self.root / "dev/install")
        self.environment["PATH"] = f"{place}:{os.environ['PATH']}"

    def start_install(self, **environment):
        return subprocess.Popen([self.root / "dev/install", "-t", "bookworm-backports", "a", "b"], env={**self.environment, **environment},
                                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)

    def called(self):
        return self.calls.read_text().splitlines()

    def test_an_installation_comes_to_its_end_when_its_tier_is_stopped(self):
        self.slow.touch()
        mark = {"REPRISE_TIERS_OF": str(self.root)}
        running = self.start_install(**mark)
        self.begun()
        for number in (signal.SIGINT, signal.SIGTERM):
            os.killpg(running.pid, number)
        leftovers.end(mark)
        running.wait()
        self.go_on()
        deadline = time.monotonic() + 10
        while "installed" not in self.called() and time.monotonic() < deadline:
            time.sleep(0.05)
        self.assertEqual(self.called()[-1], "installed")

    def test_what_was_interrupted_before_is_mended_first(self):
        self.broken.write_text("The following packages are only half configured\n")
        self.assertEqual(self.start_install().wait(), 0)
        calls = self.called()
        self.assertLess(calls.index("dpkg --configure -a"), next(i for i, call in enumerate(calls) if call.endswith("a b")))

    def test_every_script_that_installs_packages_does_it_so(self):
        listed = subprocess.run(["git", "-C", ROOT, "grep", "-lE", "apt-get.* install", "--", "dev", "tests", "packaging"], text=True,
                                stdout=subprocess.PIPE, check=False).stdout.split()
        wrong = [name for name in listed if Path(name).suffix not in (".md", ".py") and name not in ("dev/install", "dev/tools/install-go")]
        self.assertEqual(wrong, [])


if __name__ == "__main__":
    unittest.main()
