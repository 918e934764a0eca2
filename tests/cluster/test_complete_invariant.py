"""The checker of Complete on logs made by hand: what it must let pass, and what it must catch."""

import unittest

from harness.complete_invariant import CompleteTooEarly, check_complete


def pod(index=0, attempt=1, code=None, deleted=False, message=""):
    state = {"running": {}} if code is None else {"terminated": {"exitCode": code, "message": message}}
    return ("pods", "MODIFIED", {
        "metadata": {"name": f"fit-{attempt}-{index}", "uid": f"uid-{attempt}-{index}",
                     "labels": {"reprise.dev/job-uid": "uid-fit", "reprise.dev/attempt": str(attempt)}}
        | ({"deletionTimestamp": "2026-11-21T08:00:00Z"} if deleted else {}),
        "status": {"containerStatuses": [{"state": state}]}})


def job(complete, attempt=1, parallelism=1):
    return ("resumablejobs", "MODIFIED", {"metadata": {"name": "fit", "uid": "uid-fit"}, "spec": {"parallelism": parallelism},
                                          "status": {"attempt": attempt, "conditions": [{"type": "Complete", "status": complete}]}})


class CompleteInvariant(unittest.TestCase):
    def assert_caught(self, *entries):
        with self.assertRaises(CompleteTooEarly):
            check_complete(entries)

    def test_complete_while_a_trainer_runs_is_caught(self):
        self.assert_caught(pod(), job("True"), pod(code=0))

    def test_complete_without_all_of_the_gang_is_caught(self):
        self.assert_caught(pod(code=0), job("True", parallelism=2))
        self.assert_caught(pod(code=0), pod(index=1), job("True", parallelism=2))

    def test_complete_after_a_stop_that_ended_with_0_is_caught(self):
        self.assert_caught(pod(code=0, deleted=True), job("True"))
        self.assert_caught(pod(code=0, message='{"asked":true}'), job("True"))

    def test_complete_after_another_exit_or_by_an_older_attempt_is_caught(self):
        self.assert_caught(pod(code=85), job("True"))
        self.assert_caught(pod(code=0), pod(attempt=2), job("True", attempt=2))

    def test_complete_that_flips_back_is_caught(self):
        self.assert_caught(pod(code=0), job("True"), job("False"))

    def test_all_that_ended_by_themselves_are_complete(self):
        self.assertEqual(check_complete([job("False", parallelism=2), pod(code=0), pod(index=1, code=0), job("True", parallelism=2),
                                         pod(code=0, deleted=True), job("True", parallelism=2)]), ["fit"])

    def test_the_agents_record_that_it_had_finished_outweighs_a_deletion(self):
        self.assertEqual(check_complete([pod(code=0, deleted=True, message='{"finished":true,"asked":true}'), job("True")]), ["fit"])


if __name__ == "__main__":
    unittest.main()
