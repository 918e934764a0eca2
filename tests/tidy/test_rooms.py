"""The check of folders and lengths objects to what it is for."""

import subprocess
import tempfile
import unittest
from pathlib import Path

import rooms


class Rooms(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.root = Path(self.folder.name)
        subprocess.run(["git", "init", "--quiet"], cwd=self.root, check=True)

    def write(self, name, lines=1):
        (self.root / name).parent.mkdir(parents=True, exist_ok=True)
        (self.root / name).write_text("\n" * lines)
        subprocess.run(["git", "add", name], cwd=self.root, check=True)

    def found(self, folders=(), sources=()):
        return list(rooms.problems(self.root, dict(folders), dict(sources)))

    def test_a_folder_of_thirty_is_taken_and_one_of_more_is_named(self):
        for i in range(30):
            self.write(f"full/{i}.cc")
        self.assertEqual(self.found(), [])
        self.write("full/one_more.md")
        self.assertIn("tidy: full has 31 files, allowed are 30", self.found()[0])
        self.assertEqual(self.found({"full": 31}), [])

    def test_a_source_of_four_hundred_lines_is_taken_and_a_longer_one_is_named(self):
        self.write("a/long.cc", 400)
        self.write("a/data.json", 4000)
        self.assertEqual(self.found(), [])
        self.write("a/long.cc", 401)
        self.assertIn("tidy: a/long.cc has 401 lines", self.found()[0])
        self.assertEqual(self.found(sources={"a/long.cc": 401}), [])

    def test_what_has_shrunk_goes_from_the_table(self):
        self.write("a/short.cc", 10)
        self.assertIn("take it out of the table", self.found(sources={"a/short.cc": 420})[0])
        self.assertIn("take it out of the table", self.found({"gone": 40})[0])


if __name__ == "__main__":
    unittest.main()
