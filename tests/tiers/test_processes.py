"""Processes are found by a variable in their environment."""

import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "dev"))

from clusterlib import paths, processes  # noqa: E402
from tierlib import alone  # noqa: E402


class Processes(unittest.TestCase):
    def test_one_that_executes_another_program_is_found_in_every_look(self):
        mark = "REPRISE_TEST_OF_PROCESSES"
        with tempfile.TemporaryDirectory() as directory:
            script = Path(directory) / "script"
            script.write_text(f"exec /bin/sh {script}\n")
            with subprocess.Popen(["/bin/sh", script], env={mark: directory}) as process:
                try:
                    for _ in range(300):
                        self.assertEqual([each for each, environment in processes.with_variable(mark)
                                          if environment[mark] == directory], [process.pid])
                finally:
                    process.kill()


    def test_those_of_a_cluster_are_found_by_the_run_of_tiers_that_started_it(self):
        """A run that is killed leaves its clusters; the next one ends what it finds by that variable."""
        with tempfile.TemporaryDirectory() as directory, mock.patch.object(paths, "CLUSTERS", Path(directory)):
            state = paths.State("left")
            state.make()
            with mock.patch.dict(os.environ, {alone.VARIABLE: directory}):
                process = processes.start(state, "etcd", ["sleep", "60"], {})
            with process:
                try:
                    self.assertIn((process.pid, directory), [(each, environment[alone.VARIABLE])
                                                             for each, environment in processes.with_variable(alone.VARIABLE)])
                finally:
                    process.kill()


if __name__ == "__main__":
    unittest.main()
