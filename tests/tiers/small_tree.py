"""A repository of the test's own with a few files in it."""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.dont_write_bytecode = True


class SmallTree(unittest.TestCase):
    FILES = {}  # {path: text}

    def setUp(self):
        self.root = Path(self.enterContext(tempfile.TemporaryDirectory(prefix="reprise-tree-")))
        for name, text in self.FILES.items():
            self.write(name, text)

    def write(self, name, text):
        (self.root / name).parent.mkdir(parents=True, exist_ok=True)
        (self.root / name).write_text(text)

    def list_in_git(self):
        """All that is there by now."""
        for command in (("init", "-q"), ("add", "-A")):
            subprocess.run(["git", *command], cwd=self.root, check=True)
