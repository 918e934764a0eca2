"""A verdict is kept for what was tested and nothing else."""

import os
import unittest

from scratch import Scratch

PART = """
import sys
sys.path.insert(0, "dev")
from tierlib.parts import Parts
if Parts().passed("x") is None:
    print("x", file=open("ran", "a"))
    print("begun", file=open("begun", "w"))
    open("go-on").readline()
    Parts().record("x")
    print("recorded", file=open("begun", "w"))
    open("go-on").readline()
"""


class WhileATierRuns(Scratch):
    def ended_after(self, change, program="verify", tier="two"):
        """The exit code of a run in which CHANGE is made while TIER runs."""
        running = self.start(program=program)
        self.assertEqual(self.begun(), tier)
        change(self.root / tier / "file")
        self.go_on()
        return running.wait()

    @staticmethod
    def changed(file):
        file.write_text("changed")

    @staticmethod
    def changed_and_back(file):
        before = file.read_text()
        file.write_text("changed")
        file.write_text(before)

    def not_yet(self, tier):
        self.assertRegex(self.verify("--list").stdout, rf"(?m)^{tier} +not yet")

    def test_a_change_is_of_no_verdict_that_the_gate_keeps(self):
        for tier in ("one", "two"):
            with self.subTest(tier):
                self.table(tier)
                self.in_table("reads", "gate = true\nreads")
                self.ended_after(self.changed, "gate", tier)
                self.not_yet(tier)
                self.setUp()

    def test_a_change_that_is_undone_before_its_end_is_of_no_verdict(self):
        for program in ("verify", "gate"):
            with self.subTest(program):
                self.table("two")
                self.in_table("reads", "gate = true\nreads")
                self.ended_after(self.changed_and_back, program)
                self.not_yet("two")
                self.setUp()

    def test_a_new_file_is_of_no_verdict(self):
        self.table("two")
        self.assertEqual(self.ended_after(lambda file: (file.parent / "new").write_text("")), 1)
        self.not_yet("two")

    def test_a_file_that_goes_ends_no_run(self):
        self.table("two")
        self.ended_after(lambda file: file.unlink())
        self.assertEqual(self.ran(), ["one", "two", "three"])

    def test_a_part_is_not_remembered_when_the_tree_changed_before_its_end(self):
        self.table()
        (self.root / "part").write_text(PART)
        self.in_table("echo two >> ran", "python3 part")
        running = self.start("two")
        self.begun()
        self.changed(self.root / "two/file")
        self.go_on()
        self.begun()
        running.kill()
        running.wait()
        (self.root / "two/file").write_text("two")
        running = self.start("two")
        for _ in range(2):
            self.begun()
            self.go_on()
        self.assertEqual(running.wait(), 0)
        self.assertEqual(self.ran(), ["x", "x"])


class Steps(Scratch):
    def test_a_change_between_what_is_built_and_the_tier_is_of_no_verdict(self):
        self.tiers("""
            [step.build]
            command = "cp two/file build/program"
            [tier.wait]
            command = "echo two > begun && read line < go-on"
            reads = ["one"]
            needs = ["build"]
            [tier.two]
            command = "cp build/program ran"
            reads = ["two"]
            needs = ["build"]
        """)
        running = self.start()
        self.begun()
        (self.root / "two/file").write_text("changed")
        self.go_on()
        self.assertEqual(running.wait(), 1)
        self.assertEqual(self.ran(), ["two"])
        self.assertRegex(self.verify("--list").stdout, r"(?m)^two +not yet")

    def test_packages_that_a_step_installs_are_of_the_verdict(self):
        bin = self.root.parent / "bin"
        bin.mkdir()
        (bin / "dpkg-query").write_text(f"#!/bin/sh\ncat {bin}/installed 2>/dev/null\n")
        (bin / "dpkg-query").chmod(0o755)
        self.environment["PATH"] = f"{bin}:{os.environ['PATH']}"
        self.tiers(f"""
            [step.packages]
            command = "printf 'g++\\\\t1\\\\t\\\\n' > {bin}/installed"
            [tier.one]
            command = "echo one >> ran"
            reads = ["one"]
            needs = ["packages"]
        """)
        self.assertEqual(self.verify().returncode, 0)
        self.assertEqual(self.verify().returncode, 0)
        self.assertEqual(self.ran(), ["one"])


class Machine(Scratch):
    def passed(self, **environment):
        return self.verify("--list", **environment).returncode == 0

    def test_what_changes_what_is_tested_is_of_the_verdict(self):
        self.table()
        self.assertEqual(self.verify(REPRISE_KUBERNETES="1.37").returncode, 0)
        self.assertFalse(self.passed())
        self.assertEqual(self.verify().returncode, 0)
        for name in ("REPRISE_KARPENTER", "CXXFLAGS", "CC", "ASAN_OPTIONS", "PYTHONPATH"):
            with self.subTest(name):
                self.assertFalse(self.passed(**{name: "other"}))
        self.assertTrue(self.passed(COLUMNS="80", TERM="dumb", REPRISE_KEEP_CLUSTER="1"))

    def test_make_and_gtest_do_not_tell_a_tier_what_to_leave_out(self):
        self.table()
        (self.root / "one/Makefile").write_text("all:\n\t@false\n")
        self.in_table("echo one >> ran", "make -C one && echo one >> ran")
        self.in_table("echo two >> ran", "test -z $GTEST_FILTER && echo two >> ran")
        self.verify(MAKEFLAGS="i", MAKELEVEL="1", GTEST_FILTER="nothing")
        self.assertEqual(self.ran(), ["two", "three"])

    def test_the_package_behind_a_package_is_of_the_verdict(self):
        bin = self.root.parent / "bin"
        bin.mkdir()
        (bin / "dpkg-query").write_text(f"""#!/usr/bin/python3
import sys
for name in sys.argv:
    if name == "g++":
        print("g++\\t4:12.2\\tcpp (= 4:12.2), g++-12:any (>= 12.2~) | other")
    if name == "g++-12":
        print("g++-12\\t" + open("{bin}/version").read() + "\\t")
""")
        (bin / "dpkg-query").chmod(0o755)
        self.environment["PATH"] = f"{bin}:{os.environ['PATH']}"
        (bin / "version").write_text("12.2.0-14")
        self.table()
        self.assertEqual(self.verify().returncode, 0)
        (bin / "version").write_text("12.2.0-15")
        self.assertFalse(self.passed())


class Names(Scratch):
    def test_a_name_that_is_no_utf_8_is_of_the_verdict(self):
        self.table()
        self.assertEqual(self.verify().returncode, 0)
        with open(os.fsencode(self.root) + b"/two/caf\xe9", "w"):
            pass
        self.assertRegex(self.verify("--list").stdout, r"(?m)^two +not yet")

    def test_what_git_is_told_to_take_for_unchanged_is_of_the_verdict(self):
        self.table()
        self.assertEqual(self.verify().returncode, 0)
        self.git("update-index", "--assume-unchanged", "two/file")
        (self.root / "two/file").write_text("changed")
        self.assertRegex(self.verify("--list").stdout, r"(?m)^two +not yet")

    def test_a_pattern_leaves_out_files_of_its_own_list_only(self):
        self.tiers("""
            [reads]
            sources = ["one", "!*.md"]
            [tier.both]
            command = "echo both >> ran"
            reads = ["@sources", "two", "three/page.md"]
        """)
        for name in ("one", "two", "three"):
            (self.root / name / "page.md").write_text("")
        self.assertEqual(self.verify().returncode, 0)
        (self.root / "one/page.md").write_text("changed")
        self.assertEqual(self.verify("--list").returncode, 0)
        for name in ("two", "three"):
            (self.root / name / "page.md").write_text("changed")
            self.assertEqual(self.verify("--list").returncode, 1, name)
            self.assertEqual(self.verify().returncode, 0)


if __name__ == "__main__":
    unittest.main()
