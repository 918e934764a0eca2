"""When a tier passes whose classes have failed."""

import sys
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from reruns.verdict import judge, to_run_again  # noqa: E402


def first(*failed, of=10):
    names = [f"test_{letter}.C" for letter in "abcdefghij"[:of]]
    return {name: name not in failed for name in names}


A, B, C = "test_a.C", "test_b.C", "test_c.C"


class Judge(unittest.TestCase):
    def test_a_tier_in_which_all_pass_has_nothing_to_say(self):
        found = judge(first(), {})
        self.assertEqual((found.code, found.lines), (0, ()))

    def test_two_that_pass_when_they_are_run_once_more_are_let_pass_and_named(self):
        self.assertEqual(to_run_again(first(A, B), strict=False), [A, B])
        found = judge(first(A, B), {A: True, B: True})
        self.assertEqual((found.code, found.flaky, found.failed), (0, (A, B), ()))
        self.assertEqual(found.lines, (f"flaky: {A} (1 of 10)", f"flaky: {B} (1 of 10)"))

    def test_three_are_a_failure_whatever_a_second_run_shows(self):
        self.assertEqual(to_run_again(first(A, B, C), strict=False), [], "so nobody waits for it")
        self.assertEqual(judge(first(A, B, C), {}).code, 1)
        found = judge(first(A, B, C), {A: True, B: True, C: True})
        self.assertEqual(found.code, 1)
        self.assertIn("3 classes have failed", found.lines[-1])

    def test_what_fails_twice_has_failed_beside_one_that_does_not(self):
        found = judge(first(A, B), {A: True, B: False})
        self.assertEqual((found.code, found.flaky, found.failed), (1, (A,), (B,)))
        self.assertEqual(found.lines, (f"failed: {B}, also when it was run once more", f"flaky: {A} (1 of 10)"))

    def test_when_strict_nothing_is_run_once_more_or_let_pass(self):
        self.assertEqual(to_run_again(first(A), strict=True), [])
        self.assertEqual(judge(first(A), {}, strict=True).code, 1)
        self.assertEqual(judge(first(A), {A: True}, strict=True).code, 1)
        self.assertEqual(judge(first(), {}, strict=True).code, 0)

    def test_what_has_not_run_once_more_has_failed(self):
        self.assertEqual(judge(first(A), {}).lines, (f"failed: {A}",))

    def test_a_tier_without_classes_has_not_passed(self):
        self.assertEqual(judge({}, {}).code, 1)


if __name__ == "__main__":
    unittest.main()
