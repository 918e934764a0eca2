"""Processes are found by a variable in their environment."""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "dev"))

from clusterlib import processes  # noqa: E402


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


if __name__ == "__main__":
    unittest.main()
