"""The verdicts in the user's cache: two clones write them, somebody kills a writer, the disk is full, the clock is wrong."""

import os
import sys
import tempfile
import threading
import unittest
from pathlib import Path
from unittest import mock

from scratch import Scratch

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "dev"))

from tierlib import parts, table, verdicts  # noqa: E402
from tierlib.verdicts import PASSED, Verdict, Verdicts  # noqa: E402

TIER = table.Tier(name="a", command="true", reads=((".",),))


def verdict():
    return Verdict(PASSED, 1.0, "2026-01-01T00:00Z", "abc")


class Store(unittest.TestCase):
    def setUp(self):
        self.directory = Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.store = Verdicts(self.directory)

    def test_a_verdict_stays_whose_clock_was_set_back(self):
        for number in range(verdicts.KEPT + 5):
            self.store.put(TIER, f"old{number}", verdict())
        for file in self.directory.glob("a/*.json"):
            os.utime(file, (4e9, 4e9))
        self.store.put(TIER, "new", verdict())
        self.assertEqual(self.store.get(TIER, "new"), verdict())

    def test_clones_that_write_at_once_lose_nothing_and_do_not_end(self):
        problems = []

        def write(which):
            store = Verdicts(self.directory)
            try:
                for number in range(150):
                    store.put(TIER, f"{which}-{number}", verdict())
                    store.newest(TIER)
            except OSError as problem:
                problems.append(problem)

        clones = [threading.Thread(target=write, args=(which,)) for which in range(4)]
        with mock.patch.object(os, "getpid", threading.get_ident):
            for each in clones:
                each.start()
            for each in clones:
                each.join()
        self.assertEqual(problems, [])

    def test_what_a_killed_writer_has_left_is_no_verdict_and_goes(self):
        self.store.put(TIER, "x", verdict())
        torn = self.directory / "a" / ".torn"
        torn.write_text('{"outcome": "pas')
        os.utime(torn, (1e9, 1e9))
        (self.directory / "a" / "z.json").write_text("")
        self.assertIsNone(self.store.get(TIER, "z"))
        self.store.put(TIER, "x", verdict())
        self.assertFalse(torn.exists())

    def test_what_is_no_verdict_is_none(self):
        self.store.put(TIER, "x", verdict())
        for text in ("null", "[]", '{"outcome": "passed", "seconds": "x", "when": "", "tree": ""}', "\0" * 100):
            (self.directory / "a" / "x.json").write_text(text)
            self.assertIsNone(self.store.get(TIER, "x"), text)


class RememberedParts(unittest.TestCase):
    def test_threads_that_record_at_once_do_not_end(self):
        directory = self.enterContext(tempfile.TemporaryDirectory())
        self.enterContext(mock.patch.dict(os.environ, {"REPRISE_PARTS": directory, "REPRISE_INPUTS": "abc"}))
        os.environ.pop("REPRISE_STAMP", None)
        problems = []

        def record(which):
            try:
                for number in range(100):
                    parts.Parts().record(f"{which}-{number}")
            except OSError as problem:
                problems.append(problem)

        threads = [threading.Thread(target=record, args=(which,)) for which in range(4)]
        for each in threads:
            each.start()
        for each in threads:
            each.join()
        self.assertEqual(problems, [])

    def test_all_of_one_tree_are_forgotten_and_none_of_another(self):
        directory = self.enterContext(tempfile.TemporaryDirectory())
        for tree in ("abc", "def"):
            self.enterContext(mock.patch.dict(os.environ, {"REPRISE_PARTS": directory, "REPRISE_INPUTS": tree}))
            parts.Parts().record("x")
        Verdicts(directory)
        parts.Parts().forget()
        self.assertIsNone(parts.Parts().passed("x"))
        os.environ["REPRISE_INPUTS"] = "abc"
        self.assertEqual(parts.Parts().passed("x"), "")


class Kept(Scratch):
    def test_a_cache_that_cannot_be_written_is_told_before_anything_runs(self):
        self.table()
        self.cache.write_text("no directory")
        done = self.verify()
        self.assertEqual((done.returncode, self.ran()), (1, []))
        self.assertRegex(done.stderr, r"verify: verdicts cannot be kept in .*/cache/reprise/verdicts: ")
        self.assertNotIn("Traceback", done.stderr)

    def test_the_gate_needs_no_cache(self):
        self.table()
        self.in_table("reads", "gate = true\nreads")
        self.cache.write_text("no directory")
        done = self.verify(program="gate")
        self.assertEqual((done.returncode, self.ran()), (0, ["one", "two", "three"]), done.stderr)
        self.assertIn("the verdict is not kept: ", done.stdout)

    def test_a_disk_that_becomes_full_ends_no_run(self):
        self.table()
        self.in_table("echo one >> ran", "echo one >> ran; rm -rf ../cache; touch ../cache")
        done = self.verify()
        self.assertEqual((done.returncode, self.ran()), (1, ["one", "two", "three"]))
        self.assertNotIn("Traceback", done.stderr)

    def test_a_part_that_cannot_be_remembered_has_passed_all_the_same(self):
        self.table()
        (self.root / "part").write_text("import sys\nsys.path.insert(0, 'dev')\nfrom tierlib.parts import Parts\nParts().record('x')\n")
        self.in_table("echo one >> ran", "mkdir -p ${REPRISE_PARTS%/parts} && touch $REPRISE_PARTS && python3 part && echo one >> ran")
        self.assertEqual(self.verify("one").returncode, 0)


if __name__ == "__main__":
    unittest.main()
