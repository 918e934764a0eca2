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
from reruns import runs  # noqa: E402

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

class Hangs(unittest.TestCase):
    def test_holds(self):
        import atexit, threading
        end = HERE / "ended"
        atexit.register(end.touch)
        threading.Event().wait()

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
        os.environ.pop("REPRISE_STRICT", None)
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

    def test_a_class_that_comes_to_no_end_is_asked_to_end_and_takes_its_cluster_down(self):
        run = runs.once(runs.Place("tier", self.place, (self.place,), 1), *self.names("Hangs"))
        self.assertEqual((run.passed, run.counts), (False, (0, 1)))
        self.assertIn("no end within 1 s", run.output)
        self.assertIn("KeyboardInterrupt", run.output, "where it hung")
        self.assertTrue((self.place / "ended").exists())

    def test_strict_runs_nothing_again(self):
        os.environ["REPRISE_STRICT"] = "1"
        verdict, final = self.finish("Sometimes")
        self.assertEqual((verdict.code, final[0].counts), (1, (1, 1)))


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

    def test_a_class_that_does_not_begin_has_failed(self):
        verdict, final = self.finish("Good", "NeverBegins")
        self.assertEqual((verdict.code, verdict.failed), (1, tuple(self.names("NeverBegins"))))
        self.assertEqual({run.name: run.counts[1] for run in final}[self.names("NeverBegins")[0]], 1)


if __name__ == "__main__":
    unittest.main()
