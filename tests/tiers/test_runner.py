"""The runner waits for what runs and takes no core of its own."""

import os
import sys
import unittest
from pathlib import Path
from unittest import mock

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "dev"))

from tierlib import runner, table  # noqa: E402


class Waiting(unittest.TestCase):
    def looks(self, steps):
        """How often the runner looks at steps of half a second, with a line of progress each twentieth."""
        with mock.patch.object(runner, "LOOK_SECONDS", 0.05), mock.patch.object(runner, "_wait", wraps=runner._wait) as wait:
            waiting = [table.Step(name=f"half-a-second-{number}", command="sleep 0.5") for number in range(steps)]
            self.assertTrue(runner.run(waiting, lambda _: os.environ, lambda _, code: code == 0, lambda _: 0.5, runner.Load()))
        return wait.call_count

    def test_for_one_it_looks_no_more_often_than_it_speaks(self):
        self.assertLess(self.looks(1), 40)

    def test_for_several_it_looks_no_more_often_than_it_speaks(self):
        self.assertLess(self.looks(2), 40)


class Load(unittest.TestCase):
    def test_says_beside_what_it_was_highest(self):
        load = runner.Load()
        for names, mean in ((["unit"], 1.5), (["main-job", "demo"], 3.2), (["contract"], 2.0)):
            load.look(names, lambda mean=mean: mean)
        self.assertEqual("3.2 at most (main-job, demo)", str(load))


if __name__ == "__main__":
    unittest.main()
