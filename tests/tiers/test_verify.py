"""dev/verify in a repository of its own: what it runs again, what it does not, and what a stop leaves."""

import re
import signal
import time
import unittest

from scratch import Scratch


PARTS = """
import sys
sys.path.insert(0, "dev")
from tierlib.parts import Parts
parts = Parts()
for name in "xyz":
    if parts.passed(name) is None:
        if name == "y":
            print("y", file=open("begun", "w"))
            open("go-on").readline()
        print(name, file=open("ran", "a"))
        parts.record(name)
"""


class Verify(Scratch):
    def test_stopped_twice_the_third_call_ends_with_all_passed_and_none_run_twice(self):
        self.table("two", "three")
        for stop in (signal.SIGTERM, signal.SIGKILL):
            first = self.start()
            began = self.begun()
            first.send_signal(stop)
            first.wait()
            if stop == signal.SIGTERM:
                self.assertEqual((began, self.ran()), ("two", ["one"]))
                retried = self.start()
                self.assertEqual(self.begun(), "two")
                self.go_on()
                self.assertEqual(self.begun(), "three")
                retried.send_signal(signal.SIGTERM)
                retried.wait()
        third = self.start()
        self.assertEqual(self.begun(), "three")
        self.go_on()
        self.assertEqual(third.wait(), 0)
        self.assertEqual(self.ran(), ["one", "two", "three"])
        self.assertEqual(self.verify("--list").returncode, 0)

    def passed(self, *tiers):
        states = self.verify("--list").stdout
        return all(re.search(rf"(?m)^{tier} +passed ", states) for tier in tiers)

    def test_killed_twice_in_a_part_the_third_call_ends_with_all_passed_and_none_run_twice(self):
        self.table()
        (self.root / "parts").write_text(PARTS)
        self.in_table("echo two >> ran", "python3 parts")
        self.in_table("reads", "cores = 1\nreads")
        for stop in (signal.SIGKILL, signal.SIGTERM):
            running = self.start()
            self.assertEqual(self.begun(), "y")
            while not self.passed("one", "three"):
                time.sleep(0.1)
            running.send_signal(stop)
            running.wait()
        third = self.start()
        self.assertEqual(self.begun(), "y")
        self.go_on()
        self.assertEqual(third.wait(), 0)
        self.assertEqual(sorted(self.ran()), ["one", "three", "x", "y", "z"])

    def test_one_that_has_ended_before_a_stop_is_not_run_again(self):
        self.table()
        # The stop comes between the end of `one` and its verdict.
        alone = self.root / "dev/tierlib/alone.py"
        alone.write_text(alone.read_text() + """

def end_what_it_left(tier):
    if tier == "one":
        print("asked", file=open(ROOT / "begun", "w"))
        open(ROOT / "go-on").readline()
    return []
""")
        running = self.start()
        self.assertEqual(self.begun(), "asked")
        running.terminate()
        time.sleep(0.2)
        self.go_on()
        self.assertEqual(running.wait(), 130)
        self.assertTrue(self.passed("one"))
        self.assertEqual(self.verify().returncode, 0)
        self.assertEqual(self.ran(), ["one", "two", "three"])

    def test_a_change_runs_what_reads_it_and_nothing_else(self):
        self.table()
        self.assertEqual(self.verify().returncode, 0)
        (self.root / "two/file").write_text("changed")
        done = self.verify("--list")
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stdout, r"(?m)^two +not yet; last passed ")
        self.assertRegex(done.stdout, r"(?m)^one +passed ")
        self.assertEqual(self.verify().returncode, 0)
        self.assertEqual(self.ran(), ["one", "two", "three", "two"])

    def test_a_verdict_outlives_the_commit_of_what_was_tested(self):
        self.table()
        (self.root / "two/file").write_text("changed")
        self.verify()
        self.git("commit", "-qam", "change")
        self.assertEqual(self.verify("--list").returncode, 0)

    def test_a_failure_is_run_again_and_does_not_keep_others_from_running(self):
        self.table()
        self.in_table("echo two >> ran", "test -e three/mended && echo two >> ran")
        done = self.verify()
        self.assertEqual((done.returncode, self.ran()), (1, ["one", "three"]))
        self.assertIn("FAILED", done.stdout)
        (self.root / "three/mended").write_text("")
        self.assertEqual(self.verify().returncode, 0)
        self.assertEqual(self.ran(), ["one", "three", "two", "three"])

    def test_strict_runs_again_what_has_passed_only_when_it_was_run_once_more(self):
        self.table()
        table = self.root / "dev/tiers.toml"
        table.write_text(table.read_text().replace("echo two >> ran", "echo two >> ran; echo 'flaky: test_a.C (1 of 3)'"))
        self.assertEqual(self.verify().returncode, 0)
        self.assertEqual(self.verify().returncode, 0)
        self.assertEqual(self.ran(), ["one", "two", "three"])
        self.assertEqual(self.verify("--list", "--strict").returncode, 1)
        self.verify("--strict")
        self.assertEqual(self.ran(), ["one", "two", "three", "two"])

    def test_one_that_cannot_run_has_not_passed(self):
        self.table()
        self.in_table("echo two >> ran", "echo 'two: NOT RUN: no GPU'; exit 77")
        done = self.verify()
        self.assertEqual(done.returncode, 1)
        self.assertIn("two: NOT RUN: no GPU", done.stdout)

    def test_a_name_that_is_none_is_said_with_those_that_are(self):
        self.table()
        done = self.verify("four")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("found 'four', must be one of one, two, three", done.stderr)

    def test_the_gate_stops_at_a_failure_and_says_so_in_a_plain_line(self):
        self.table()
        table = self.root / "dev/tiers.toml"
        table.write_text(table.read_text().replace("reads", "gate = true\nreads").replace("echo two >> ran", "false"))
        done = self.verify(program="gate")
        self.assertEqual((done.returncode, self.ran()), (1, ["one"]))
        self.assertIn("tiers: 1 passed, 1 failed\n", done.stdout)

    def test_parts_that_passed_are_known_to_the_next_call_and_not_on_another_tree(self):
        self.table()
        (self.root / "part").write_text("""
import sys
sys.path.insert(0, "dev")
from tierlib.parts import Parts
parts = Parts()
if parts.passed("x") is None:
    print("x", file=open("ran", "a"))
    parts.record("x")
    sys.exit(1)
""")
        self.in_table("echo two >> ran", "python3 part")
        self.assertEqual(self.verify("two").returncode, 1)
        self.assertEqual(self.verify("two").returncode, 0)
        self.assertEqual(self.ran(), ["x"])
        (self.root / "two/file").write_text("changed")
        self.assertEqual(self.verify("two").returncode, 1)
        self.assertEqual(self.verify("two", "--all").returncode, 1)
        self.assertEqual(self.ran(), ["x"] * 3)

    def test_the_gate_runs_all_parts_anew(self):
        self.table()
        (self.root / "parts").write_text(PARTS.replace('name == "y"', "False"))
        self.in_table("echo two >> ran", "python3 parts")
        self.in_table("reads", "gate = true\nreads")
        for _ in range(2):
            self.assertEqual(self.verify(program="gate", REPRISE_PARTS=str(self.cache), REPRISE_INPUTS="a").returncode, 0)
        self.assertEqual(self.ran(), ["one", "x", "y", "z", "three"] * 2)


if __name__ == "__main__":
    unittest.main()
