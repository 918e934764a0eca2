#!/usr/bin/python3
"""Invariants of the harness that need no server."""

import json
import sys
import tempfile
import unittest
from pathlib import Path

sys.dont_write_bytecode = True

from harness import audit, table  # noqa: E402
from harness.sizes import SIZES  # noqa: E402


def event(number, verb, stage, user="operator"):
    return json.dumps({"auditID": number, "verb": verb, "stage": stage, "user": {"username": user},
                       "requestURI": "/api/v1/pods?watch=1", "objectRef": {"resource": "pods"}}) + "\n"


class Counting(unittest.TestCase):
    def counted(self, *lines):
        with tempfile.TemporaryDirectory() as directory:
            log = Path(directory) / "audit.log"
            log.write_text(event("before", "list", "ResponseComplete"))
            requests = audit.Requests(log, "operator")
            with open(log, "a") as file:
                file.writelines(lines)
            return requests.read()

    def test_only_requests_of_the_user_since_the_start_count(self):
        counts = self.counted(event("1", "list", "ResponseComplete"), event("2", "list", "ResponseComplete", "other"))
        self.assertEqual(counts, {"list pods": 1})

    def test_a_watch_counts_when_it_begins_and_not_when_it_ends(self):
        self.assertEqual(self.counted(event("1", "watch", "ResponseComplete")), {})
        counts = self.counted(event("1", "watch", "ResponseStarted"), event("1", "watch", "ResponseComplete"))
        self.assertEqual(counts, {"watch pods": 1})

    def test_a_line_still_being_written_does_not_count_yet(self):
        self.assertEqual(self.counted('{"auditID": "1", "us'), {})

    def test_reads_are_no_writes(self):
        counts = self.counted(event("1", "list", "ResponseComplete"), event("2", "patch", "ResponseComplete"))
        self.assertEqual((audit.total(counts), audit.writes(counts)), (2, 1))


class Table(unittest.TestCase):
    def row(self, ours, theirs, judged=True):
        text = table.render({"cpp": {"coldstart.cpu_s": ours}, "go": {"coldstart.cpu_s": theirs}}, judged)
        return text.splitlines()[2]

    def test_a_cell_is_the_median_and_our_share_of_it(self):
        self.assertIn("| 2 | 10 (0.20) |", self.row([1, 2, 30], [10, 10, 10]))

    def test_a_target_is_reached_at_its_bound_and_missed_above(self):
        self.assertIn("go ≤ 0.2: yes", self.row([2], [10]))
        self.assertIn("go ≤ 0.2: **no**", self.row([2.1], [10]))

    def test_small_data_are_not_judged(self):
        self.assertTrue(self.row([2.1], [10], judged=False).endswith("| go ≤ 0.2 |"))


class Sizes(unittest.TestCase):
    def test_no_two_trials_touch_the_same_benchjob(self):
        for size in SIZES.values():
            self.assertLessEqual(size.storm_first + size.storm, size.nodes_first * 10)
            self.assertLess(size.stream_first, size.large)
            self.assertLessEqual(size.nodes_first + size.reaction_nodes, min(size.nodes, size.large // 10))


if __name__ == "__main__":
    unittest.main()
