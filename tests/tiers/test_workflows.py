"""A code host's workflows call the commands that people call, and the nightly one goes on where it was stopped."""

import re
import unittest
from pathlib import Path

import yaml

WORKFLOWS = Path(__file__).resolve().parents[2] / ".github" / "workflows"


def read(name):
    return yaml.safe_load((WORKFLOWS / f"{name}.yml").read_text())


class Workflows(unittest.TestCase):
    def steps(self, name):
        job, = read(name)["jobs"].values()
        return job, job["steps"]

    def test_each_calls_its_command(self):
        for name, command in (("test", "make test"), ("verify", "make verify")):
            self.assertIn(command, [step.get("run") for step in self.steps(name)[1]])
        self.assertIn("schedule", read("verify")[True])  # YAML 1.1 reads `on` as a truth value

    def test_each_runs_on_every_distribution_that_is_supported_and_keeps_what_each_has_built_apart(self):
        setup = (WORKFLOWS.parents[1] / "dev/setup").read_text()
        supported = [int(number) for number in re.search(r"on Debian (\d+) and (\d+)\.", setup).groups()]
        for name in ("test", "verify"):
            job, steps = self.steps(name)
            self.assertEqual(sorted(job["strategy"]["matrix"]["debian"]), supported)
            self.assertIs(job["strategy"]["fail-fast"], False)
            self.assertEqual(job["container"]["image"], "debian:${{ matrix.debian }}")
            for step in steps:
                if step.get("uses", "").startswith("actions/cache"):
                    self.assertTrue(step["with"]["key"].startswith(f"{'build' if name == 'test' else name}-${{{{ matrix.debian }}}}-"))

    def test_each_has_the_history_that_tests_compare_with(self):
        for name in ("test", "verify"):
            checkout, = (step for step in self.steps(name)[1] if step.get("uses", "").startswith("actions/checkout@"))
            self.assertEqual(checkout["with"]["fetch-depth"], 0)

    def test_verdicts_of_a_night_that_failed_or_was_stopped_are_kept_for_the_next(self):
        job, steps = self.steps("verify")
        restore, = (step for step in steps if step.get("uses", "").startswith("actions/cache/restore@"))
        save, = (step for step in steps if step.get("uses", "").startswith("actions/cache/save@"))
        command, = (step for step in steps if step.get("run") == "make verify")
        self.assertEqual(save["if"], "always()")
        self.assertGreater(steps.index(save), steps.index(command))
        self.assertEqual(restore["with"]["path"], save["with"]["path"])
        self.assertIn("~/.cache/reprise", save["with"]["path"])
        self.assertLess(command["timeout-minutes"], job["timeout-minutes"])
        # A key is written once: each attempt of each run has its own.
        self.assertIn("github.run_id", save["with"]["key"])
        self.assertIn("github.run_attempt", save["with"]["key"])


if __name__ == "__main__":
    unittest.main()
