"""tests/repeat: its load ends with it, and runs that did not happen have not passed."""

import shutil
import subprocess
import sys
import time
import unittest

from scratch import ROOT, Scratch

sys.path.insert(0, str(ROOT / "dev"))

from clusterlib import processes  # noqa: E402


class Repeat(Scratch):
    def setUp(self):
        super().setUp()
        (self.root / "tests/cluster").mkdir(parents=True)
        shutil.copy(ROOT / "tests/repeat", self.root / "tests/repeat")
        run = self.root / "tests/cluster/run"
        run.write_text("#!/bin/sh\necho run > begun; read line < go-on; echo run >> ran\n")
        run.chmod(0o755)

    def repeat(self, *arguments):
        return subprocess.Popen([self.root / "tests/repeat", *arguments], cwd=self.root, env=self.environment,
                                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def left(self):
        return [pid for pid, environment in processes.with_variable("XDG_CACHE_HOME")
                if environment["XDG_CACHE_HOME"] == str(self.cache)]

    def test_its_load_ends_when_it_is_killed(self):
        running = self.repeat("cluster", "A", "1", "--load", "2")
        self.begun()
        running.kill()
        running.wait()
        self.go_on()
        deadline = time.monotonic() + 10
        while (left := self.left()) and time.monotonic() < deadline:
            time.sleep(0.05)
        self.assertEqual(left, [])

    def test_no_run_is_no_proof(self):
        self.assertNotEqual(self.repeat("cluster", "A", "0").wait(), 0)


if __name__ == "__main__":
    unittest.main()
