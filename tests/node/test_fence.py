"""No attempt begins before the last one is proven to have ended, on machines that really go dark and pods that vanish."""

import os
import signal
import unittest

from harness import wait
from harness.cluster import condition
from nodetier.case import NodeCase
from nodetier.tier import NAMESPACE


class Fence(NodeCase):
    def test_a_machine_that_loses_power_holds_the_job_until_it_comes_back(self):
        volume = self.begin("power", steps=400, step_milliseconds=50, save_every=10)
        self.wait_for_attempt(1)
        before = self.wait_for_steps(volume, 2)
        writer = self.machine_of(1, 0)
        writer.cut_power()
        wait.until("the control plane misses the machine",
                   lambda: condition(self.cluster.get("node", writer.name), "Ready")["status"] == "Unknown")
        job = self.wait_for_reason("WriterNotFenced")
        self.assertIn(f"{self.job_name}-1-0", condition(job, "PodsReady")["message"])
        self.assertEqual(self.attempts_seen(), {1})

        writer.power_on()
        self.tier.wait_until_ready(writer)
        self.wait_for_attempt(2)
        self.assertGreaterEqual(volume.resume_point(2)["step"], before)
        self.assert_later(self.first_pod_of_attempt(2), self.first_sight_of_boot(writer))
        job = self.wait_until_complete()
        self.assertEqual((job["status"]["attempt"], job["status"].get("failures", 0)), (2, 0))
        self.assert_uninterrupted_weights(volume)
        self.assert_one_writer_at_a_time(volume)

    def test_a_machine_that_reboots_before_anybody_misses_it_is_an_interruption_and_no_failure(self):
        volume = self.begin("reboot", steps=400, step_milliseconds=50, save_every=10)
        self.wait_for_attempt(1)
        before = self.wait_for_steps(volume, 2)
        writer = self.machine_of(1, 0)
        writer.cut_power()
        writer.power_on()
        self.wait_for_attempt(2)
        self.assertGreaterEqual(volume.resume_point(2)["step"], before)
        self.assert_later(self.first_pod_of_attempt(2), self.first_sight_of_boot(writer))
        job = self.wait_until_complete()
        self.assertEqual((job["status"]["attempt"], job["status"].get("failures", 0)), (2, 0))
        self.assertEqual(len(job["status"]["interruptions"]), 1, job["status"]["interruptions"])
        self.assert_uninterrupted_weights(volume)
        self.assert_one_writer_at_a_time(volume)

    def test_a_pod_deleted_by_force_holds_the_job_until_a_person_confirms_its_end(self):
        volume = self.begin("force", steps=400, step_milliseconds=50, save_every=10)
        self.wait_for_attempt(1)
        before = self.wait_for_steps(volume, 2)
        node = self.cluster.get("node", self.machine_of(1, 0).name)
        self.cluster.kubectl("delete", "pod", f"{self.job_name}-1-0", "-n", NAMESPACE, "--force", "--grace-period=0")
        job = self.wait_for_reason("WriterNotFenced")
        self.assertIn(f"reprise.dev/confirm-ended={node['metadata']['uid']}/1", condition(job, "PodsReady")["message"])
        wait.until("the kubelets have ended the trainers", lambda: not self.trainers.of(job))
        job = self.wait_for_reason("WriterNotFenced")
        self.assertEqual(self.attempts_seen(), {1}, "that the process has ended is known to nobody but its kubelet")

        self.cluster.annotate("resumablejob", self.job_name, NAMESPACE,
                              **{"reprise.dev/confirm-ended": node["metadata"]["uid"] + "/1"})
        self.wait_for_attempt(2)
        self.assertGreaterEqual(volume.resume_point(2)["step"], before)
        self.wait_until_complete()
        self.assert_uninterrupted_weights(volume)
        self.assert_one_writer_at_a_time(volume)

    def test_a_person_who_is_wrong_about_a_machine_that_only_lost_its_network_makes_no_second_writer(self):
        volume = self.begin("cut", steps=2600, step_milliseconds=50, save_every=10, parallelism=1)
        self.wait_for_attempt(1)
        self.wait_for_steps(volume, 2)
        writer = self.machine_of(1, 0)
        self.addCleanup(writer.plug_back)
        writer.unplug()
        job = self.wait_for_reason("WriterNotFenced")
        uid = self.cluster.get("node", writer.name)["metadata"]["uid"]
        self.cluster.annotate("resumablejob", self.job_name, NAMESPACE, **{"reprise.dev/confirm-ended": f"{uid}/1"})
        record = self.last_record(2, 0)
        self.assertEqual((record["exitCode"], record["reason"]), (87, "Fenced"), record)
        self.assertEqual(self.trainers.of(job), {1}, "the trainer whose end was confirmed goes on")

        writer.plug_back()
        job = self.wait_until_complete()
        self.assertEqual(job["status"].get("failures", 0), 0)
        self.assert_uninterrupted_weights(volume)
        self.assert_one_writer_at_a_time(volume)

    def test_a_runtime_that_loses_its_container_leaves_no_trainer_behind(self):
        volume = self.begin("shim", steps=400, step_milliseconds=50, save_every=10)
        job = self.wait_for_attempt(1)
        before = self.wait_for_steps(volume, 2)
        os.kill(self.trainers.keeper(job, 0), signal.SIGKILL)
        self.wait_for_attempt(2)
        self.assertGreaterEqual(volume.resume_point(2)["step"], before)
        job = self.wait_until_complete()
        self.assertEqual(job["status"]["attempt"], 2)
        self.assert_uninterrupted_weights(volume)
        self.assert_one_writer_at_a_time(volume)

    def first_pod_of_attempt(self, attempt):
        return self.seen.wait_for(f"a pod of attempt {attempt}", lambda kind, _, thing: kind == "pods" and
                                  thing["metadata"]["name"].startswith(f"{self.job_name}-{attempt}-"))

    def first_sight_of_boot(self, machine):
        return self.seen.wait_for(f"the new boot of {machine.name}", lambda kind, _, thing: kind == "nodes" and
                                  thing["status"]["nodeInfo"]["bootID"] == machine.boot_id)

    def assert_later(self, later, earlier):
        versions = [int(entry[2]["metadata"]["resourceVersion"]) for entry in (earlier, later)]
        self.assertLess(*versions)


if __name__ == "__main__":
    unittest.main()
