"""A class of tests that is interrupted leaves no cluster behind."""

import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
TESTS = Path(__file__).resolve().parents[1]
CLASS = """
import pathlib, sys, unittest
sys.path.insert(0, sys.argv[1])
from harness import cluster
cluster.ROOT = pathlib.Path.cwd()
cluster.Cluster.install_chart = lambda self: None

class Interrupted(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.enterClassContext(cluster.Cluster("one"))

    def test_holds(self):
        raise KeyboardInterrupt

unittest.main(argv=["test"])
"""


class Clusters(unittest.TestCase):
    def test_one_whose_class_is_interrupted_goes_and_stays_where_somebody_wants_it(self):
        for kept, told in ((None, ["down one", "up one", "down one"]), ("1", ["down one", "up one"])):
            with self.subTest(kept), tempfile.TemporaryDirectory() as directory:
                for name, script in (("cluster", 'echo "$@" >>told; echo kubeconfig'), ("tools/build", "echo tools")):
                    file = Path(directory, "dev", name)
                    file.parent.mkdir(parents=True, exist_ok=True)
                    file.write_text(f"#!/bin/sh\n{script}\n")
                    file.chmod(0o755)
                environment = {name: value for name, value in os.environ.items() if name != "REPRISE_KEEP_CLUSTER"}
                done = subprocess.run([sys.executable, "-c", CLASS, TESTS / "cluster"], cwd=directory, capture_output=True, text=True, check=False,
                                      env=environment | ({"REPRISE_KEEP_CLUSTER": kept} if kept else {}))
                self.assertIn("KeyboardInterrupt", done.stderr)
                self.assertEqual(Path(directory, "told").read_text().splitlines(), told)


if __name__ == "__main__":
    unittest.main()
