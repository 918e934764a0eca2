"""A job on real kubelets: undisturbed, and with a pod deleted as people do it."""

import json
import unittest

from harness import wait
from nodetier.case import NodeCase
from nodetier.tier import NAMESPACE


class Training(NodeCase):
    def test_two_ranks_train_under_the_agent_to_the_bits_of_a_plain_run(self):
        volume = self.begin("plain", steps=60, step_milliseconds=50, save_every=20)
        self.wait_for_attempt(1)
        nodes = {self.pod(1, index)["spec"]["nodeName"] for index in (0, 1)}
        self.assertEqual(nodes, {machine.name for machine in self.tier.nodes}, "each rank has a machine of its own")
        job = self.wait_until_complete()
        self.assertEqual(job["status"]["attempt"], 1)
        self.assertEqual(job["status"]["checkpoint"]["step"], 60)
        self.assert_uninterrupted_weights(volume)

    def test_what_ranks_report_is_seen_while_they_train(self):
        self.begin("told", steps=4000, step_milliseconds=50, save_every=10)
        self.wait_for_attempt(1)
        progress = wait.until("a step and a checkpoint are in the status", self.progress)
        self.assertIn(progress["activity"], ("Training", "Saving"))
        self.assertEqual(progress["checkpoint"]["step"] % 10, 0)
        self.assertEqual(progress["checkpoint"]["format"], "Marker")
        self.assertGreater(progress["checkpoint"]["sizeBytes"], 0)
        self.assertLessEqual(progress["activityTime"], progress["lastUpdatedTime"])
        self.assertGreaterEqual(progress["step"], 10)
        self.assertNotIn("checkpoint", self.job()["status"], "only a record says what the next attempt has to find")
        wait.until("both ranks report", lambda: self.tier.operator.total("reprise_reports_total") >= 2)
        self.cluster.kubectl("delete", "resumablejob", self.job_name, "-n", NAMESPACE)

    def progress(self):
        found = self.job()["status"].get("progress", {})
        return found if "step" in found and "checkpoint" in found else None

    def test_a_deleted_pod_has_its_trainer_save_and_the_next_attempt_goes_on_from_there(self):
        volume = self.begin("notice", steps=400, step_milliseconds=50, save_every=0, on_notice={"signal": "SIGUSR1"})
        self.wait_for_attempt(1)
        wait.until("the trainers run", lambda: self.trainers.of(self.job()) == {1})
        self.cluster.kubectl("delete", "pod", f"{self.job_name}-1-0", "-n", NAMESPACE)

        record = self.last_record(1, 0)
        self.assertEqual(record, json.loads(volume.record_text(1, 0)), "the termination message is the record")
        self.assertTrue(record["asked"] and record["saved"] and record["durable"], record)
        self.assertFalse(record["finished"], record)
        job = self.wait_for_attempt(2)
        self.assertEqual(job["status"]["checkpoint"]["step"], record["step"])
        self.assertEqual((job["status"]["lastInterruption"]["asked"], job["status"]["lastInterruption"]["saved"]), (True, True))
        self.assertGreaterEqual(volume.resume_point(2)["step"], record["step"])

        job = self.wait_until_complete()
        self.assertEqual((job["status"]["attempt"], job["status"].get("failures", 0)), (2, 0))
        self.assert_uninterrupted_weights(volume)
        self.assert_one_writer_at_a_time(volume)

    def test_a_rank_whose_machine_comes_late_resumes_from_what_its_gang_resumed_from(self):
        volume = self.begin("late", steps=400, step_milliseconds=50, save_every=10)
        self.wait_for_attempt(1)
        self.wait_for_steps(volume, 2)
        machines = [machine.name for machine in self.tier.nodes]
        self.cluster.kubectl("cordon", *machines)
        self.addCleanup(self.cluster.kubectl, "uncordon", *machines)
        self.cluster.kubectl("delete", "pod", f"{self.job_name}-1-0", "-n", NAMESPACE)
        wait.until("the next attempt has its pods", lambda: self.pod(2, 0) and self.pod(2, 1))
        self.bind(2, 0, machines[0])

        point = volume.resume_point(2)["step"]
        wait.until("index 0 has saved and pruned meanwhile", lambda: volume.steps()[-1] > point + 40 and
                   len([step for step in volume.steps() if step > point]) == 2)
        self.cluster.kubectl("uncordon", *machines)
        job = self.wait_until_complete()
        self.assertEqual((job["status"]["attempt"], job["status"].get("failures", 0)), (2, 0))
        self.assertEqual(self.last_record(2, 1)["resumedFromStep"], point)
        self.assert_uninterrupted_weights(volume)


if __name__ == "__main__":
    unittest.main()
