"""What a verdict on a planted bug holds for (tests/mutations/reads.py), in a tree of its own."""

import sys
import unittest
from pathlib import Path
from unittest import mock

from small_tree import SmallTree

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "mutations"))
from plantable import faults, programs_of_sources, why_not  # noqa: E402
from reads import Reads  # noqa: E402
from table import Bug, read_table  # noqa: E402

FILES = {"a/one.cc": '#include "a/one.h"\n', "a/one.h": "", "a/one_test.cc": '#include "a/sample.h"\nTEST(One, holds) {}\n', "a/sample.h": "",
         "a/two_test.cc": "TEST_P(Two, holds) {}\n", "b/other.cc": "", "simulator/scene.cc": "", "tests/scenarios/standard_set.toml": ""}
ONE = Bug("a bug", "a/one.cc", "old", "new", program="tests/test_a", tests="One.*")
TWO = Bug("a bug", "a/one.cc", "old", "new", program="tests/test_a", tests="Each/Two.holds/*")
SIMULATED = Bug("a bug", "a/one.cc", "old", "new")


class PlantedBugs(SmallTree):
    FILES = FILES

    def setUp(self):
        super().setUp()
        self.list_in_git()

    def changed_by(self, bug, seeds=(1, 2)):
        """Which files a verdict does not outlive."""
        before = Reads(self.root).fingerprint(bug, seeds)
        self.assertIsNotNone(before)
        changed = set()
        for name, text in FILES.items():
            self.write(name, text + "// changed\n")
            if Reads(self.root).fingerprint(bug, seeds) != before:
                changed.add(name)
            self.write(name, text)
        return changed

    def test_a_verdict_holds_until_the_changed_file_or_the_test_or_what_they_include_changes(self):
        self.assertEqual(self.changed_by(ONE), {"a/one.cc", "a/one.h", "a/one_test.cc", "a/sample.h"})
        self.assertEqual(self.changed_by(TWO), {"a/one.cc", "a/one.h", "a/two_test.cc"})

    def test_a_verdict_of_scenarios_holds_until_the_simulator_or_its_seeds_change(self):
        self.assertEqual(self.changed_by(SIMULATED), {"a/one.cc", "a/one.h", "simulator/scene.cc", "tests/scenarios/standard_set.toml"})
        self.assertNotEqual(Reads(self.root).fingerprint(SIMULATED, (1, 2)), Reads(self.root).fingerprint(SIMULATED, (1, 3)))

    def test_a_verdict_holds_for_one_bug_alone(self):
        other = Bug("a bug", "a/one.cc", "old", "another", program="tests/test_a", tests="One.*")
        self.assertNotEqual(Reads(self.root).fingerprint(ONE, ()), Reads(self.root).fingerprint(other, ()))

    def test_two_edits_of_one_file_are_both_planted(self):
        self.write("a/one.cc", "one\ntwo\n")
        bug = Bug("a bug", "a/one.cc", "one", "1", also=[{"file": "a/one.cc", "old": "two", "new": "2"}])
        with mock.patch("table.ROOT", self.root):
            self.assertEqual(dict(bug.changed()), {"a/one.cc": "1\n2\n"})

    def test_a_bug_whose_text_or_test_is_elsewhere_by_now_is_named(self):
        self.write("a/one.cc", "old\n")
        self.write("a/CMakeLists.txt", "reprise_test(a\n  SOURCES one_test.cc\n  LIBRARIES reprise::a)\nreprise_test(b SOURCES two_test.cc)\n")
        self.list_in_git()
        with mock.patch("table.ROOT", self.root):
            def said(bug):
                return why_not(bug, Reads(self.root), programs_of_sources(self.root))
            self.assertIsNone(said(ONE))
            self.assertIn("is no test of tests/test_a, but of tests/test_b", said(TWO))
            self.assertIn("no test is called", said(Bug("a bug", "a/one.cc", "old", "new", program="tests/test_a", tests="Three.*")))
            self.assertIn("occurs 0 times", said(Bug("a bug", "a/one.cc", "older", "new")))

    def test_where_no_test_is_known_there_is_no_verdict_to_keep(self):
        self.assertIsNone(Reads(self.root).fingerprint(Bug("a bug", "a/one.cc", "old", "new", program="p", tests="Three.*"), ()))


class Table(unittest.TestCase):
    def test_each_bug_can_be_planted_and_its_tests_are_of_its_program(self):
        self.assertEqual({}, faults(read_table()))


if __name__ == "__main__":
    unittest.main()
