"""The check of comments' openings: which text is a comment, and which openings withhold its subject."""

import contextlib
import io
import tempfile
import unittest
from pathlib import Path

import comment_openings


def found(text):
    return [line for line, comment in comment_openings.comments(text) if comment_openings.withholds_its_subject(comment)]


class CommentOpenings(unittest.TestCase):
    def test_a_block_opens_once_and_a_paragraph_opens_anew(self):
        self.assertEqual(found("// Counts pods.\n// What is gone stays out.\n"), [])
        self.assertEqual(found("// Counts pods.\n//\n// What is gone stays out.\n"), [3])
        self.assertEqual(found("// What is gone.\n\n  // of all\n"), [1, 3])

    def test_a_comment_after_code_is_one_and_may_go_on_below(self):
        self.assertEqual(found("int a;  // of the job\nint b;  // whose pods\n"), [1, 2])
        self.assertEqual(found("int a;  // the pods\n        // that are gone\nint b;\n"), [])
        self.assertEqual(found("int a;  // the pods\n// That are gone.\nint b;\n"), [2])

    def test_a_literal_holds_no_comment(self):
        self.assertEqual(found('get("http://what"); auto t = R"x(// What\n)")x"; int n = 1\'000; char c = \'"\';  // It\n'), [2])

    def test_names_of_namespaces_and_instructions_count_for_nothing(self):
        self.assertEqual(list(comment_openings.comments("}  // namespace a\n// NOLINTNEXTLINE(x)\n// clang-format off\n// ----\n")), [])

    def test_case_does_not_matter_and_whole_words_count(self):
        self.assertEqual(found("// whatever\n\n// Office hours.\n\n// - Nothing: none\n\n// 0: that\n"), [1, 5])

    def test_a_folder_over_its_share_is_named(self):
        with tempfile.TemporaryDirectory() as root:
            (Path(root) / "api").mkdir()
            (Path(root) / "api/a.h").write_text("// The job.\n\n// Of the job.\n")
            (Path(root) / "api/a.md").write_text("// Of no source.\n")
            self.assertEqual(comment_openings.look(Path(root), "api"), (2, ["api/a.h:3: // Of the job."]))
            with contextlib.redirect_stdout(io.StringIO()):
                self.assertEqual(len(list(comment_openings.problems(Path(root), {"api": 49, "empty": 0}))), 1)
                self.assertEqual(list(comment_openings.problems(Path(root), {"api": 50})), [])


if __name__ == "__main__":
    unittest.main()
