"""Nothing of a run that ends, is stopped or is killed works on, and the next call goes on."""

import os
import shutil
import signal
import subprocess
import sys
import time
import unittest
from pathlib import Path
from unittest import mock

from scratch import ROOT, Scratch

sys.path.insert(0, str(ROOT / "dev"))

from clusterlib import processes  # noqa: E402
from tierlib import running, table  # noqa: E402

# A component of a cluster that a test has started: dev/clusterlib gives it an environment of its own.
CLUSTER = """
import sys
sys.path.insert(0, "dev")
from clusterlib import paths, processes
state = paths.State("left-behind")
state.make()
processes.start(state, "etcd", ["/bin/sleep", "1000"], {})
"""
TIDIES = """
import signal
def stop(*_):
    raise KeyboardInterrupt
print("two", file=open("begun", "w"))
try:
    signal.pause()
finally:
    print("tidied", file=open("ran", "a"))
"""


class Stops(Scratch):
    def setUp(self):
        super().setUp()
        self.addCleanup(lambda: processes.kill(self.left(), "what a test has left"))

    def left(self):
        """Processes that work in this repository or for it, dev/verify itself aside."""
        return [pid for pid, environment in processes.with_variable("XDG_CACHE_HOME")
                if environment["XDG_CACHE_HOME"] == str(self.cache)] + [
                pid for pid, environment in processes.with_variable("REPRISE_CLUSTER_STATE")
                if environment["REPRISE_CLUSTER_STATE"].startswith(str(self.root))]

    def two(self, command):
        self.table()
        self.in_table("echo two >> ran", command)

    def script(self, text):
        (self.root / "script").write_text(text)

    def test_whatever_stops_it_stops_what_it_has_started(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            with self.subTest(number):
                self.two("sleep 1000 & setsid sleep 1000 & echo two > begun; wait")
                running = self.start()
                self.begun()
                running.send_signal(number)
                running.wait(20)
                self.assertEqual(self.left(), [])
                self.setUp()

    def test_it_stops_its_tiers_when_its_caller_ignores_interrupts(self):
        self.script(TIDIES)
        self.two("exec python3 script")
        running = self.start(preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_IGN))
        self.begun()
        running.terminate()
        running.wait(20)
        self.assertEqual(self.ran(), ["one", "tidied"])

    def test_what_a_killed_run_has_left_may_tidy_up_before_the_next_begins(self):
        self.script(TIDIES)
        self.two("if test -e script; then mv script gone; python3 gone; else echo two >> ran; fi")
        running = self.start()
        self.begun()
        running.kill()
        running.wait()
        self.assertEqual(self.verify("two").returncode, 0)
        self.assertEqual(self.ran(), ["one", "tidied", "two"])
        self.assertEqual(self.left(), [])

    def test_what_a_tier_leaves_when_it_ends_does_not_work_beside_others(self):
        self.two("setsid sleep 1000 & setsid sleep 1000 & echo two >> ran")
        self.in_table("echo three >> ran", "echo three >> ran; pgrep -s 0 >/dev/null; echo three > begun; read line < go-on")
        running = self.start()
        self.begun()
        mine = self.left()
        commands = [(Path("/proc") / str(pid) / "cmdline").read_bytes() for pid in mine]
        self.assertNotIn(b"sleep\0001000\0", commands)
        self.go_on()
        self.assertEqual(running.wait(), 0)

    def test_a_cluster_that_a_tier_leaves_goes(self):
        self.script(CLUSTER)
        self.two("python3 script && echo two >> ran")
        done = self.verify()
        self.assertEqual((done.returncode, self.left()), (0, []))
        self.assertFalse((self.root / ".cluster/left-behind").exists())
        self.assertIn("it left etcd of cluster left-behind", done.stdout)

    def test_a_cluster_that_a_killed_run_has_left_goes_with_the_next(self):
        self.script(CLUSTER)
        self.two("python3 script; echo two > begun; sleep 1000")
        running = self.start()
        self.begun()
        running.kill()
        running.wait()
        self.verify("one")
        self.assertEqual(self.left(), [])
        self.assertFalse((self.root / ".cluster/left-behind").exists())

    def test_a_cluster_that_somebody_wants_to_keep_stays(self):
        self.script(CLUSTER)
        self.two("python3 script && echo two >> ran")
        self.verify(REPRISE_KEEP_CLUSTER="1")
        self.assertEqual(len(self.left()), 1)

    def test_a_second_run_waits_for_nobody_and_harms_nothing(self):
        self.two("echo two > begun; read line < go-on; echo two >> ran")
        running = self.start()
        self.begun()
        shutil.rmtree(self.root / "build")  # make clean
        done = self.verify()
        self.assertEqual(done.returncode, 1)
        self.assertIn("another run of make test or make verify is under way", done.stderr)
        self.go_on()
        running.wait()
        self.assertEqual(self.ran(), ["one", "two", "three"])

    def test_whoever_interrupts_twice_is_heard(self):
        self.two("trap '' INT; echo two > begun; while :; do sleep 0.1; done")
        running = self.start()
        self.begun()
        begun = time.monotonic()
        while running.poll() is None and time.monotonic() < begun + 25:
            running.send_signal(signal.SIGINT)
            time.sleep(0.5)
        self.assertLess(time.monotonic() - begun, 20)
        self.assertEqual(self.left(), [])


class Groups(unittest.TestCase):
    def test_a_shell_that_ends_before_what_it_has_started_does_not_save_it(self):
        mark = f"of-a-test-{os.getpid()}"
        step = table.Step(name=mark, command="(trap '' INT TERM; exec sleep 1000) & (trap '' INT TERM; touch ${MARK}; exec sleep 1000)")
        ready = Path("/tmp") / mark
        self.addCleanup(lambda: ready.unlink(missing_ok=True))
        started = running.start(step, {"PATH": "/usr/bin:/bin", "MARK": str(ready)})
        while not ready.exists():
            time.sleep(0.01)
        with mock.patch.object(running, "PATIENCE", ((signal.SIGINT, 0.1), (signal.SIGTERM, 0.1), (signal.SIGKILL, 5))):
            running.end([started])
        left = subprocess.run(["pgrep", "-g", str(started.process.pid)], stdout=subprocess.PIPE, check=False).stdout
        self.assertEqual(left, b"")


if __name__ == "__main__":
    unittest.main()
