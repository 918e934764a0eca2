"""The checks of sources' names and of label keys object to what they are for."""

import tempfile
import unittest
from pathlib import Path

import base_names
import label_keys


class BaseNames(unittest.TestCase):
    def test_a_name_in_two_folders_of_a_top_folder_is_named_once(self):
        files = ["a/b/one.h", "a/b/one.cc", "a/c/one.cc", "d/one.cc", "a/c/one.py", "a/c/one_test.cc", "a/b/main.cc", "a/c/main.cc"]
        found = list(base_names.problems(files, {}))
        self.assertEqual(len(found), 1)
        self.assertIn("a/b and a/c have a one each", found[0])
        self.assertEqual(list(base_names.problems(files, {"a": {"one"}})), [])

    def test_a_name_that_is_used_once_goes_from_the_table(self):
        self.assertIn("take it out of the table", next(base_names.problems(["a/one.cc"], {"a": {"one"}})))


class LabelKeys(unittest.TestCase):
    def found(self, sources, known=()):
        with tempfile.TemporaryDirectory() as folder:
            for name, text in sources.items():
                (Path(folder) / name).parent.mkdir(parents=True, exist_ok=True)
                (Path(folder) / name).write_text(text)
            return list(label_keys.problems(Path(folder), list(sources), dict(known)))

    def test_a_key_in_two_places_is_named_and_tests_and_comments_are_none(self):
        key = 'x = "reprise.dev/pool";\n'
        self.assertEqual(self.found({"api/one.h": key + '// "reprise.dev/pool"\n', "api/one_test.cc": key, "api/testing/a.h": key}), [])
        self.assertIn("api/one.h:1 and apps/two.cc:1", self.found({"api/one.h": key, "apps/two.cc": key})[0])
        self.assertEqual(self.found({"api/one.h": key, "apps/two.cc": key}, {"reprise.dev/pool": 2}), [])

    def test_another_key_and_the_api_version_are_no_second_place(self):
        self.assertEqual(self.found({"api/a.h": '"reprise.dev/pool" "reprise.dev/pool-uid" "reprise.dev/v1alpha1" "reprise.dev/v1alpha1"'}), [])

    def test_a_key_that_is_written_less_often_goes_from_the_table(self):
        self.assertIn("mend the table", self.found({"api/a.h": '"reprise.dev/pool"'}, {"reprise.dev/pool": 2})[0])


if __name__ == "__main__":
    unittest.main()
