import re
import unittest
from pathlib import Path

PYTHON = Path(__file__).resolve().parents[1]


class Version(unittest.TestCase):
    def test_is_that_of_the_project(self):
        version, = re.findall(r"^project\(reprise VERSION (\S+) ", (PYTHON.parent / "CMakeLists.txt").read_text(), re.MULTILINE)
        self.assertIn(f'version = "{version}"\n', (PYTHON / "pyproject.toml").read_text())


if __name__ == "__main__":
    unittest.main()
