"""Which tiers run, and beside which."""

import sys
import tomllib
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "dev"))

from tierlib import inputs, plan, report, table  # noqa: E402
from tierlib.verdicts import FAILED, NOT_RUN, PASSED, Verdict  # noqa: E402


def tier(name, cores=2.0):
    return table.Tier(name=name, command="true", reads=((".",),), cores=cores)


def verdict(outcome):
    return Verdict(outcome, 1.0, "2026-01-01T00:00Z", "abc")


class Select(unittest.TestCase):
    def test_what_has_passed_is_not_run_again_and_everything_else_is(self):
        given = {"a": verdict(PASSED), "b": verdict(FAILED), "c": verdict(NOT_RUN), "d": None}
        tiers = [tier(name) for name in given]
        found = plan.select(tiers, lambda each: given[each.name])
        self.assertEqual([each.name for each in found.to_run], ["b", "c", "d"])
        self.assertEqual([each.name for each, _ in found.passed], ["a"])

    def test_anew_runs_all(self):
        self.assertEqual(len(plan.select([tier("a")], lambda _: verdict(PASSED), anew=True).to_run), 1)


class Next(unittest.TestCase):
    def test_no_more_than_the_cores_have_work_for_runs_at_once(self):
        self.assertIsNone(plan.next_to_start([tier("a")], [tier("b", 0.5)]))
        self.assertEqual(plan.next_to_start([tier("a", 1.5)], [tier("b", 0.5)]).name, "a")

    def test_what_keeps_all_cores_busy_runs_when_nothing_else_does(self):
        self.assertEqual(plan.next_to_start([tier("a", 4)], []).name, "a")

    def test_only_what_waits_overtakes(self):
        waiting = [tier("large", 2), tier("middling", 1), tier("waits", 0.5)]
        self.assertEqual(plan.next_to_start(waiting, [tier("runs", 1)]).name, "waits")

    def test_nothing_is_left_to_wait_for_ever(self):
        self.assertIsNone(plan.next_to_start([tier("large", 2), tier("middling", 1)], [tier("runs", 1)]))


class TimeLeft(unittest.TestCase):
    def test_is_by_the_last_runs_times_and_says_when_one_is_unknown(self):
        times = {"a": 100.0, "b": 60.0, "c": None}
        left = plan.seconds_left([tier("a")], [tier("b", 1)], lambda each: times[each.name], lambda each: 20.0 if each.name == "b" else 0.0)
        self.assertEqual(left, 100 + 40 / 2)
        self.assertIsNone(plan.seconds_left([tier("c")], [], lambda each: times[each.name], lambda _: 0.0))


    def test_is_said_of_what_is_left(self):
        self.assertEqual(report.progress(1, 3, ["b"], 100.0), "-- 1 of 3 done, about 2 min left; running: b")
        self.assertEqual(report.progress(1, 3, [], None), "-- 1 of 3 done, time left: not known yet")
        self.assertEqual(report.progress(3, 3, [], 0.0), "-- 3 of 3 done")


class Table(unittest.TestCase):
    def test_a_step_comes_behind_those_that_it_needs(self):
        found = table.parse("""
            [step.a]
            command = "a"
            needs = ["b"]
            [step.b]
            command = "b"
            [tier.x]
            command = "x"
            reads = ["."]
            needs = ["a"]
        """)
        self.assertEqual([step.name for step in found.steps_for(found.tiers.values())], ["b", "a"])

    def test_a_wrong_entry_is_named(self):
        for text, said in (('[tier.x]\ncommand="x"\nreads=["@y"]', "tier x: reads: found '@y'"),
                           ('[tier.x]\ncommand="x"\nreads=["."]\nneeds=["y"]', "x: needs: found 'y'"),
                           ('[tier.x]\ncommand="x"', "tier x: reads is empty"),
                           ('[tier.x]\ncommand="x"\nreads=["."]\nspeed=1', "tier x: unknown field speed")):
            with self.assertRaises(table.TableError) as raised:
                table.parse(text)
            self.assertIn(said, str(raised.exception))

    def test_the_project_s_own_is_right(self):
        self.assertGreater(sum(each.gate for each in table.read().tiers.values()), 5)

    def test_a_file_that_a_tier_names_is_read_by_it_whatever_a_list_leaves_out(self):
        written = tomllib.loads(table.TABLE.read_text())["tier"]
        for name, tier in table.read().tiers.items():
            files = [each for each in written[name]["reads"] if (table.ROOT / each).is_file()]
            self.assertEqual(inputs.selected(files, tier.reads), sorted(files), name)

    def test_the_tests_of_a_tier_are_read_by_it(self):
        for name, file in (("contract", "tests/contract/api/patch_test.cc"), ("cluster-pages", "docs/quota.md"),
                           ("queues", "examples/kueue/job.yaml"), ("crds-and-chart", "agent/core/run/environment.cc")):
            self.assertEqual(inputs.selected([file], table.read().tiers[name].reads), [file], name)

    def test_what_needs_or_names_itself_is_refused(self):
        with self.assertRaisesRegex(table.TableError, "tier x: reads: @a names itself"):
            table.parse('[reads]\na = ["@b"]\nb = ["@a"]\n[tier.x]\ncommand = "x"\nreads = ["@a"]')
        found = table.parse('[step.a]\ncommand = "a"\nneeds = ["b"]\n[step.b]\ncommand = "b"\nneeds = ["a"]\n'
                            '[tier.x]\ncommand = "x"\nreads = ["."]\nneeds = ["a"]')
        with self.assertRaisesRegex(table.TableError, "step a: needs itself"):
            found.steps_for(found.tiers.values())

    def test_a_table_without_tiers_or_with_a_name_that_is_none_is_refused(self):
        for text, said in (("", "found no tier"), ('[tiers.x]\ncommand="x"\nreads=["."]', "found tiers, must be")):
            with self.assertRaises(table.TableError) as raised:
                table.parse(text)
            self.assertIn(said, str(raised.exception))


if __name__ == "__main__":
    unittest.main()
