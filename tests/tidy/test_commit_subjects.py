"""The check of commits' subjects objects to what it is for."""

import subprocess
import tempfile
import unittest
from pathlib import Path
from unittest import mock

import commit_subjects


class Subjects(unittest.TestCase):
    def test_an_imperative_is_taken(self):
        for subject in ("Add a finding", "Read what was written", "Need no root", "Process pods by name", "Focus on one", "Bring it back", "Re-read"):
            self.assertEqual(list(commit_subjects.objections(subject)), [], subject)

    def test_a_sentence_about_things_is_named(self):
        for subject in ("A list misses nobody", "No test waits", "Of two saves one is kept", "Adds a test", "Added a test", "Adding a test", ""):
            self.assertNotEqual(list(commit_subjects.objections(subject)), [], subject)

    def test_a_long_one_a_full_stop_and_a_small_letter_are_named(self):
        self.assertIn("has 73 columns", next(commit_subjects.objections("Add " + "x" * 69)))
        self.assertEqual(list(commit_subjects.objections("Add " + "x" * 68)), [])
        self.assertIn("full stop", next(commit_subjects.objections("Add a test.")))
        self.assertIn("capital", next(commit_subjects.objections("add a test")))


class History(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        self.git("init", "--quiet", "--initial-branch=main")
        self.commit("the first of all")
        self.since = self.git("rev-parse", "HEAD").strip()

    def git(self, *arguments):
        return subprocess.run(["git", "-c", "user.name=Name", "-c", "user.email=name@example.com", *arguments], cwd=self.root, check=True,
                              capture_output=True, text=True).stdout

    def commit(self, subject):
        self.git("commit", "--quiet", "--allow-empty", "-m", subject)

    def found(self, since):
        with mock.patch.object(commit_subjects, "SINCE", since):
            return list(commit_subjects.problems(self.root))

    def test_commits_behind_the_last_one_before_the_rule_are_looked_at_and_merges_are_not(self):
        self.assertEqual(self.found(self.since), [])
        self.git("checkout", "--quiet", "-b", "side")
        self.commit("A test is added")
        self.git("checkout", "--quiet", "main")
        self.commit("Add a test")
        self.git("merge", "--quiet", "-m", "merge of a side", "side")
        found = self.found(self.since)
        self.assertEqual(len(found), 1)
        self.assertIn("'A test is added': opens with 'A'", found[0])

    def test_a_history_without_that_commit_has_none_to_look_at(self):
        self.commit("a test is added")
        self.assertEqual(self.found("0123456789"), [])


if __name__ == "__main__":
    unittest.main()
