"""The check of stranded comments objects to what it is for."""

import unittest

from stranded_comments import stranded


class Stranded(unittest.TestCase):
    def test_a_comment_above_an_empty_line_is_named_by_its_last_line(self):
        self.assertEqual(list(stranded("int a;\n// one\n// two\n\nint b;\n")), [3])

    def test_a_source_may_open_with_one_and_a_section_has_a_head(self):
        self.assertEqual(list(stranded("// The whole source.\n\n// ---- reading\n\n// about b\nint b;\n")), [])

    def test_a_comment_behind_code_is_none(self):
        self.assertEqual(list(stranded("int a;\nint b;  // about b\n\nint c;\n")), [])


if __name__ == "__main__":
    unittest.main()
