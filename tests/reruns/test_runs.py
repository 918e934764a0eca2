"""Classes that fail run once more, in processes of their own or in the one of the node tier, and what is known of them is kept."""

import contextlib
import io
import os
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

sys.dont_write_bytecode = True
TESTS = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS), str(TESTS / "node"), str(TESTS / "cluster")]

from nodetier.session import Session  # noqa: E402
from reruns import recalled, runs  # noqa: E402

CLASSES = """
import os, pathlib, unittest
HERE = pathlib.Path(__file__).parent

class Good(unittest.TestCase):
    def test_holds(self):
        pass

class Sometimes(unittest.TestCase):
    def test_holds(self):
        pass

    def test_races(self):
        tried = HERE / "tried"
        if not tried.exists():
            tried.touch()
            with open(os.environ.get("REPRISE_EVIDENCE", HERE) + "/c.audit.log", "w") as log:
                log.write("what the API server saw")
            self.fail("a race")

class SkipsTheSecondTime(Sometimes):
    def test_races(self):
        if (HERE / "tried").exists():
            self.skipTest("not again")
        super().test_races()

class DoesNotBeginTheSecondTime(Sometimes):
    @classmethod
    def setUpClass(cls):
        if (HERE / "tried").exists():
            raise unittest.SkipTest("not again")

class SaysBytes(unittest.TestCase):
    def test_holds(self):
        os.write(1, b"\\xff\\xfe\\n")

class LeavesAProcess(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        import subprocess
        (HERE / "left").write_text(str(subprocess.Popen(["sleep", "1000"], start_new_session=True).pid))
        raise AssertionError("no cluster")

    def test_holds(self):
        pass

class Hangs(unittest.TestCase):
    def test_hangs(self):
        import subprocess, time
        child = subprocess.Popen(["sleep", "1000"])
        (HERE / "left").write_text(str(child.pid))
        try:
            time.sleep(1000)
        finally:
            (HERE / "tidied").touch()

class IsKilled(unittest.TestCase):
    def test_is_killed(self):
        os.kill(os.getpid(), 9)

class NeverBegins(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        raise AssertionError("no cluster")

    def test_holds(self):
        pass
"""


class Tier(unittest.TestCase):
    def setUp(self):
        self.place = Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.module = f"test_of_{self.place.name}".lower()
        (self.place / f"{self.module}.py").write_text(CLASSES)
        self.kept = self.place / "kept"
        self.enterContext(mock.patch.dict(os.environ, REPRISE_FLAKY=str(self.kept)))
        for name in ("REPRISE_STRICT", "REPRISE_TIER", "REPRISE_PARTS", "REPRISE_INPUTS", "REPRISE_STAMP"):
            os.environ.pop(name, None)
        self.enterContext(contextlib.redirect_stdout(io.StringIO()))
        self.enterContext(contextlib.redirect_stderr(io.StringIO()))

    def names(self, *classes):
        return [f"{self.module}.{name}" for name in classes]

    def files(self):
        return {str(file.relative_to(self.kept)) for file in self.kept.rglob("*") if file.is_file()}


class Processes(Tier):
    def finish(self, *classes):
        place = runs.Place("tier", self.place, (self.place,), 60)
        return runs.finish([runs.once(place, name) for name in self.names(*classes)], lambda name: runs.once(place, name, run="second"))

    def test_a_race_passes_the_second_time_and_leaves_its_output_and_the_audit_log(self):
        verdict, final = self.finish("Good", "Sometimes")
        good, race = self.names("Good", "Sometimes")
        self.assertEqual((verdict.code, verdict.lines), (0, (f"flaky: {race} (1 of 2)",)))
        self.assertEqual([(run.name, run.counts) for run in final], [(good, (1, 0)), (race, (2, 0))])
        self.assertEqual(self.files(), {f"tier/{race}/first/output.log", f"tier/{race}/first/c.audit.log", f"tier/{race}/second/output.log"})

    def test_a_class_that_does_not_begin_has_failed(self):
        verdict, final = self.finish("NeverBegins")
        self.assertEqual((verdict.code, final[0].counts), (1, (0, 1)))

    def test_strict_runs_nothing_again(self):
        os.environ["REPRISE_STRICT"] = "1"
        verdict, final = self.finish("Sometimes")
        self.assertEqual((verdict.code, final[0].counts), (1, (1, 1)))


    def test_a_second_run_in_which_nothing_runs_of_what_failed_has_failed(self):
        for name in ("SkipsTheSecondTime", "DoesNotBeginTheSecondTime"):
            with self.subTest(name):
                (self.place / "tried").unlink(missing_ok=True)
                verdict, _ = self.finish("Good", name)
                self.assertEqual((verdict.code, verdict.failed), (1, tuple(self.names(name))))

    def test_output_that_is_no_text_is_kept(self):
        self.assertEqual(self.finish("SaysBytes")[0].code, 0)

    def left(self):
        """What of the process that a class has started?"""
        pid = int((self.place / "left").read_text())
        try:
            return (Path("/proc") / str(pid) / "stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
        except OSError:
            return False

    def test_what_a_class_has_started_ends_with_it(self):
        place = runs.Place("tier", self.place, (self.place,), 60)
        self.assertFalse(runs.once(place, *self.names("LeavesAProcess")).passed)
        self.assertFalse(self.left())

    def test_a_class_that_hangs_tidies_up_and_has_failed(self):
        place = runs.Place("tier", self.place, (self.place,), 2)
        run = runs.once(place, *self.names("Hangs"))
        self.assertFalse(run.passed)
        self.assertIn("no end within 2 s", run.output)
        self.assertTrue((self.place / "tidied").exists())
        self.assertFalse(self.left())

    def test_two_tiers_keep_what_they_know_of_one_class_apart(self):
        for tier in ("main-job", "cluster"):
            os.environ["REPRISE_TIER"] = tier
            self.finish("NeverBegins" if tier == "main-job" else "Good")
        self.assertTrue(all(file.startswith("main-job/") for file in self.files()))
        self.assertTrue(self.files())


class Stopped(Tier):
    """A tier that was stopped and goes on."""

    def setUp(self):
        super().setUp()
        os.environ.update(REPRISE_PARTS=str(self.place / "parts"), REPRISE_INPUTS="a-tree")
        self.at = runs.Place("tier", self.place, (self.place,), 60)

    def begin(self, *classes):
        """What the tier has when it is killed behind these."""
        return [recalled.once(self.at, name) for name in self.names(*classes)]

    def end(self, *classes):
        return recalled.settle(runs.finish(self.begin(*classes), lambda name: runs.once(self.at, name, run="second"))[0])

    def test_what_has_failed_before_the_stop_is_run_alone_and_named(self):
        self.begin("Sometimes")
        self.assertTrue((self.place / "tried").exists())
        verdict = self.end("Good", "Sometimes")
        race, = self.names("Sometimes")
        self.assertEqual((verdict.code, verdict.lines), (0, (f"flaky: {race} (1 of 2)",)))

    def test_strict_lets_nothing_pass_that_has_failed_before_the_stop(self):
        self.begin("Sometimes")
        os.environ["REPRISE_STRICT"] = "1"
        self.assertEqual(self.end("Good", "Sometimes").code, 1)

    def test_what_has_passed_does_not_run_again(self):
        self.begin("Good")
        (self.place / f"{self.module}.py").write_text("nothing that a test could be loaded from")
        self.assertEqual(self.end("Good").code, 0)

    def test_a_tier_that_has_failed_begins_anew(self):
        self.assertEqual(self.end("Good", "NeverBegins").code, 1)
        (self.place / f"{self.module}.py").write_text("nothing that a test could be loaded from")
        self.assertEqual(self.end("Good").code, 1)

    def test_what_was_killed_has_not_failed(self):
        self.begin("IsKilled")
        (self.place / f"{self.module}.py").write_text(CLASSES.replace("os.kill(os.getpid(), 9)", "pass"))
        self.assertEqual(self.end("IsKilled").lines, ())


class OneProcess(Tier):
    def finish(self, *classes):
        audit_log = self.place / "audit.log"
        audit_log.write_text("before\n")
        self.enterContext(mock.patch.object(sys, "path", [str(self.place), *sys.path]))
        wanted = [f"{self.module}.{name}" for name in classes]
        session = Session([test for test in runs.load(self.place) if runs.class_of(test) in wanted], audit_log)
        return runs.finish(session.first(), session.once_more)

    def test_a_race_passes_the_second_time_on_the_same_machines(self):
        verdict, final = self.finish("Good", "Sometimes")
        good, race = self.names("Good", "Sometimes")
        self.assertEqual((verdict.code, verdict.lines), (0, (f"flaky: {race} (1 of 2)",)))
        self.assertEqual({run.name: run.counts for run in final}, {good: (1, 0), race: (2, 0)})
        node = f"node/{race}"
        self.assertEqual(self.files(), {f"{node}/{run}/{file}.log" for run in ("first", "second") for file in ("output", "audit")})

    def test_a_second_run_in_which_nothing_runs_of_what_failed_has_failed(self):
        verdict, _ = self.finish("Good", "DoesNotBeginTheSecondTime")
        self.assertEqual(verdict.failed, tuple(self.names("DoesNotBeginTheSecondTime")))

    def test_a_class_that_does_not_begin_has_failed(self):
        verdict, final = self.finish("Good", "NeverBegins")
        self.assertEqual((verdict.code, verdict.failed), (1, tuple(self.names("NeverBegins"))))
        self.assertEqual({run.name: run.counts[1] for run in final}[self.names("NeverBegins")[0]], 1)


if __name__ == "__main__":
    unittest.main()
