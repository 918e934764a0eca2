"""What a tier's end and its output say: passed, failed, not run, flaky."""

import resource
import sys
import tempfile
import time
import unittest
from pathlib import Path
from unittest import mock

from scratch import Scratch

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "dev"))

from tierlib import logs, runner, table  # noqa: E402


class Ends(Scratch):
    def ended(self, command, *arguments, program="verify", **environment):
        self.table()
        self.in_table("echo two >> ran", command)
        if program == "gate":
            self.in_table("reads", "gate = true\nreads")
        return self.verify(*arguments, program=program, **environment)

    def test_one_that_says_nothing_of_what_it_lacks_has_failed(self):
        done = self.ended("exit 77")
        self.assertRegex(done.stdout, r"(?m)^FAILED +two ")
        self.assertRegex(self.verify("--list").stdout, r"(?m)^two +FAILED ")

    def test_one_that_ran_no_test_has_failed(self):
        for said in ("Ran 0 tests in 0.000s\\n\\nOK\\n", "test_a ... skipped\\n\\nRan 3 tests in 0.1s\\n\\nOK (skipped=3)\\n",
                     "[==========] Running 0 tests from 0 test suites.\\n", "No tests were found!!!\\n"):
            with self.subTest(said):
                done = self.ended("printf '" + said.replace("\\n", "\\\\n") + "'")
                self.assertRegex(done.stdout, r"(?m)^FAILED +two .*\n   it ran no test")
                self.setUp()

    def test_one_that_ran_some_has_passed_beside_classes_that_did_not_begin_or_were_skipped(self):
        said = ("Ran 0 tests in 0.000s\\n\\nFAILED (errors=1)\\nRan 4 tests in 1.0s\\n\\nOK (skipped=3)\\n"
                "Ran 0 tests in 0.000s\\n\\nOK (skipped=1)\\n")
        self.assertEqual(self.ended("printf '" + said.replace("\\n", "\\\\n") + "'").returncode, 0)

    def test_the_gate_says_of_what_did_not_run_that_it_did_not(self):
        done = self.ended("echo 'NOT RUN: no GPU'; exit 77", program="gate")
        self.assertEqual((done.returncode, self.ran()), (1, ["one", "three"]))
        self.assertIn("tiers: 2 passed, 0 failed, 1 not run\n", done.stdout)
        self.assertNotIn("Next: make verify runs all other tiers", done.stdout)

    def test_a_gate_without_tiers_has_not_passed(self):
        self.table()
        self.assertNotEqual(self.verify(program="gate").returncode, 0)

    def test_strict_takes_no_verdict_that_a_second_run_has_given(self):
        flaky = "echo two >> ran; echo 'flaky: test_a.A (1 of 3)'"
        self.assertEqual(self.ended(flaky).returncode, 0)
        self.assertIn("flaky: test_a.A (1 of 3)", self.verify("--list").stdout)
        for strict, environment in ((("--strict",), {}), ((), {"REPRISE_STRICT": "1"})):
            self.verify(*strict, **environment)
            self.assertNotEqual(self.verify("--list", *strict, **environment).returncode, 0)
        self.assertEqual(self.ran(), ["one", "two", "three", "two", "two"])

    def test_all_flaky_classes_are_named_whatever_else_did_not_run(self):
        self.ended("echo 'flaky: a.A (1 of 9)'; echo 'flaky: b.B (1 of 9)'; for i in 1 2 3 4; do echo NOT RUN $i; done")
        states = self.verify("--list").stdout
        self.assertIn("flaky: a.A", states)
        self.assertIn("flaky: b.B", states)

    def test_a_wrong_table_is_told_in_a_line(self):
        self.table()
        for old, new, said in (('reads = ["two"]', 'reads = ["four"]', "tier two: reads: found four"),
                               ("[tier.two]", "[tiers.two]", "found tiers")):
            self.in_table(old, new)
            done = self.verify("--list")
            self.assertIn(said, done.stderr)
            self.assertNotIn("Traceback", done.stderr)
            self.assertEqual(done.returncode, 1)

    def test_a_tree_without_git_is_told_in_a_line(self):
        self.table()
        (self.root / ".git").rename(self.root / "gone")
        done = self.verify("--list")
        self.assertNotIn("Traceback", done.stderr)
        self.assertIn("not a git repository", done.stderr)


class AtOnce(unittest.TestCase):
    def test_two_that_end_together_are_both_told_of_when_one_failed(self):
        ended = []

        def both(running, *_):
            return [each for each in running if each.process.wait() is not None]

        tiers = [table.Tier(name=f"of-a-test-{command}", command=command, reads=((".",),), cores=1) for command in ("false", "true")]
        with mock.patch.object(runner, "_wait", both):
            self.assertFalse(runner.run(tiers, lambda _: {"PATH": "/usr/bin:/bin"},
                                        lambda running, code: ended.append(code) or code == 0, lambda _: None, runner.Load()))
        self.assertEqual(ended, [1, 0])


class Hangs(Scratch):
    def test_a_tier_that_hangs_is_ended_and_the_others_run(self):
        self.table()
        self.in_table("echo two >> ran", "sleep 1000")
        self.in_table('reads = ["two"]', 'reads = ["two"]\nminutes = 0.01')
        begun = time.monotonic()
        done = self.verify()
        self.assertLess(time.monotonic() - begun, 25)
        self.assertEqual((done.returncode, self.ran()), (1, ["one", "three"]))
        self.assertRegex(done.stdout, r"(?m)^FAILED +two .*\n   no end within 0.01 minutes: stopped")


    def test_a_tier_that_would_fill_the_disk_is_ended(self):
        ended = []
        tier = table.Tier(name="of-a-test-yes", command="yes", reads=((".",),))
        with mock.patch.object(runner, "MOST_OUTPUT", 1 << 20), mock.patch.object(runner, "LOOK_SECONDS", 0.1):
            self.assertFalse(runner.run([tier], lambda _: {"PATH": "/usr/bin:/bin"},
                                        lambda running, code: ended.append(running.stopped), lambda _: None, runner.Load()))
        self.assertEqual(ended, ["more than 1 MiB of output: stopped"])


class Output(unittest.TestCase):
    def log(self, *pieces):
        file = Path(self.enterContext(tempfile.TemporaryDirectory())) / "log"
        with open(file, "wb") as out:
            for piece in pieces:
                out.write(piece)
        return file

    def test_a_log_of_hundreds_of_megabytes_is_read_in_little_memory(self):
        line = b"x" * 99 + b"\n"
        log = self.log(*[line * 10000] * 50, b"y" * (100 << 20), b"\nflaky: a.A (1 of 2)\n", *[line * 10000] * 50)
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        self.assertEqual(logs.facts(log).said, "flaky: a.A (1 of 2)")
        self.assertLessEqual(len(logs.tail(log)), 200 * 60)
        self.assertLess(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before, 50 << 10)

    def test_bytes_that_are_no_text_are_shown(self):
        log = self.log(b"\xff\xfe\0caf\xe9 NOT RUN\n")
        self.assertIn("NOT RUN", logs.facts(log).said)
        self.assertIn("NOT RUN", logs.tail(log))

    def test_tests_that_failed_far_above_the_end_are_named_with_where(self):
        lines = ["[ RUN      ] A.b", "../../x/a_test.cc:7: Failure", "../../x/a_test.cc:9: Failure",
                 "[  FAILED  ] A.b (3 ms)", "[  FAILED  ] A/C.d/1, where GetParam() = 4 (1 ms)", "[  FAILED  ] A.b",
                 "FAIL: test_e (test_f.G.test_e)", *["passed"] * 500]
        log = self.log("\n".join(lines).encode())
        self.assertEqual(logs.failed_tests(log), "failed: A.b at ../../x/a_test.cc:7\nfailed: A/C.d/1\n"
                                                 "failed: test_e (test_f.G.test_e)")

    def test_only_some_of_many_tests_that_failed_are_named(self):
        log = self.log("".join(f"[  FAILED  ] A.b{n} (0 ms)\n" for n in range(30)).encode())
        self.assertTrue(logs.failed_tests(log).endswith("failed: A.b7\nand 22 more"))

    def test_the_tail_of_one_long_line_is_short(self):
        self.assertLess(len(logs.tail(self.log(b"z" * (10 << 20)))), 100 << 10)


if __name__ == "__main__":
    unittest.main()
