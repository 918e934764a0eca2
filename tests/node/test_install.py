"""The chart installed by helm: the operator as pods of real kubelets, from the image that is shipped."""

import json
import tempfile
import unittest

from harness import wait
from harness.cluster import ROOT, is_true
from nodetier import former
from nodetier.case import NodeCase
from nodetier.install_path import InstallPath
from nodetier.installation import Installation
from nodetier.narration import Narration
from nodetier.tier import NAMESPACE

# What a person who keeps the values of the former release names anew: the image.
UPGRADE = ("--reset-then-reuse-values", "--set", "image.tag=")


def setUpModule():
    tier = NodeCase.tier
    InstallCase.narration = Narration(tier.cluster, aloud=False)
    InstallCase.installation = Installation(tier, InstallCase.narration)
    tier.stop_operator()
    unittest.addModuleCleanup(tier.start_operator)
    InstallCase.former = former.Image()
    InstallCase.installation.prepare(InstallCase.former)


class InstallCase(NodeCase):
    narration = None
    installation = None
    former = None

    def operator_log(self):
        return self.installation.log()


class Installed(InstallCase):
    @classmethod
    def setUpClass(cls):
        cls.path = InstallPath(cls.tier, cls.installation, cls.narration, "outlives")
        cls.path.install()
        cls.addClassCleanup(cls.path.remove)

    def test_a_job_outlives_the_machine_of_its_writer_and_of_the_leading_replica(self):
        path = self.path
        self.job_name, self.steps = path.job, 600
        path.train(steps=self.steps, step_milliseconds=50, save_every=10)
        saved = path.lose_power()
        self.assertEqual(self.attempts_seen(), {1})
        self.assertNotEqual(self.installation.leader()["spec"]["nodeName"], path.lost.name)
        path.confirm()
        other = {machine.name for machine in self.tier.nodes} - {path.lost.name}
        self.assertEqual({self.pod(2, index)["spec"]["nodeName"] for index in (0, 1)}, other)
        self.assertGreaterEqual(path.volume.resume_point(2)["step"], saved)
        job = path.complete()
        self.assertEqual((job["status"]["attempt"], job["status"].get("failures", 0)), (2, 0))
        self.assert_uninterrupted_weights(path.volume)
        self.assert_one_writer_at_a_time(path.volume)

    def test_two_replicas_of_the_shipped_image_run_apart_and_restricted(self):
        image, = json.loads((self.cluster.state / "image/oci/index.json").read_text())["manifests"]
        manifest = json.loads((self.cluster.state / "image/oci/blobs" / image["digest"].replace(":", "/")).read_text())
        pods = wait.until("both replicas are ready", lambda: self.both_ready(self.installation.pods()))
        self.assertEqual({pod["spec"]["nodeName"] for pod in pods}, {machine.name for machine in self.tier.nodes})
        for pod in pods:
            status, = pod["status"]["containerStatuses"]
            self.assertEqual(status["imageID"], manifest["config"]["digest"])
            self.assertEqual(pod["spec"]["serviceAccountName"], "reprise")
        refused = self.cluster.run("kubectl", "run", "as-root", "--image=reprise:0", "--namespace", "reprise-system", check=False)
        self.assertIn("violates PodSecurity", refused.stderr, "the namespace admits restricted pods alone")

    def both_ready(self, pods):
        return pods if len(pods) == 2 and all(is_true(pod, "Ready") for pod in pods) else None

    # Karpenter's machines are played, since nobody has GPUs to rent here; the operator that asks for them is not.
    def test_the_quickstart_as_it_stands_rents_machines_and_moves_when_they_are_taken(self):
        self.job_name = "finetune"
        self.addCleanup(self.remove_pool, "t4")
        self.addCleanup(self.cluster.kubectl, "delete", "resumablejob", self.job_name, "-n", NAMESPACE)
        for file in ("pool.yaml", "job.yaml"):
            self.cluster.kubectl("apply", "-f", str(ROOT / "examples/quickstart" / file))
        self.wait_for_attempt(1)
        first = {self.pod(1, index)["spec"]["nodeName"] for index in (0, 1)}
        self.assertFalse(first & {machine.name for machine in self.tier.nodes}, "the pool's machines are Karpenter's")
        self.cluster.kubectl("delete", "nodeclaim", "--all", "--wait=false")
        self.wait_for_attempt(2)
        self.assertFalse(first & {self.pod(2, index)["spec"]["nodeName"] for index in (0, 1)})

    def remove_pool(self, name):
        """Its deletion is rejected until it has counted that its jobs are gone."""
        wait.until("no job uses the pool", lambda: not self.cluster.get("gpupool", name)["status"].get("jobs"))
        self.cluster.kubectl("delete", "gpupool", name, "--wait=false")


class Changed(InstallCase):
    def test_upgrade_rollback_and_uninstall_touch_no_running_trainer_and_what_is_installed_next_takes_the_job_on(self):
        chart = former.chart(self.enterContext(tempfile.TemporaryDirectory()))
        self.installation.install(chart, "--set", f"image.tag={former.TAG}")
        self.addCleanup(self.installation.uninstall)
        self.assertEqual(self.operator_images(), {self.former.id})
        volume = self.begin("kept", steps=100_000, step_milliseconds=50, save_every=20, on_notice={"signal": "SIGUSR1"})
        self.wait_for_attempt(1)
        self.wait_for_steps(volume, 2)
        before = self.what_runs()
        self.assertEqual(self.agent_images(1), {self.former.id})
        for name, change in (("upgrade", lambda: self.installation.upgrade(*UPGRADE)),
                             ("rollback", lambda: self.installation.rollback(1)),
                             ("uninstall", self.installation.uninstall),
                             ("install", self.installation.install)):
            operators, step = self.installation.uids(), volume.steps()[-1]
            change()
            self.assertFalse(operators & self.installation.uids(), f"the operator that was there before helm {name}")
            self.assertEqual(self.what_runs(), before, f"after helm {name}")
            if name != "uninstall":
                self.assertEqual(self.operator_images() == {self.former.id}, name == "rollback")
            wait.until(f"training goes on after helm {name}", lambda step=step: volume.steps()[-1] > step)
        self.assertEqual([thing["metadata"]["name"] for kind in ("pods", "persistentvolumeclaims", "resumablejobs")
                          for type_, thing in self.seen.of(kind) if type_ == "DELETED" and self.is_of_job(thing)], [])

        self.cluster.kubectl("delete", "pod", f"{self.job_name}-1-0", "-n", NAMESPACE)
        job = self.wait_for_attempt(2)
        self.assertEqual(job["metadata"]["uid"], before["job"])
        self.assertNotIn(self.former.id, self.agent_images(2), "today's agent goes on from what the former one left")
        self.assertGreaterEqual(volume.resume_point(2)["step"], self.last_record(1, 0)["step"])
        self.assert_one_writer_at_a_time(volume)

    def operator_images(self):
        return {status["imageID"] for pod in self.installation.pods() for status in pod["status"]["containerStatuses"]}

    def agent_images(self, attempt):
        """Of the init containers that copy the agent into the pods."""
        return {status["imageID"] for index in (0, 1) for status in self.pod(attempt, index)["status"]["initContainerStatuses"]}

    def is_of_job(self, thing):
        return thing["metadata"]["namespace"] == NAMESPACE and thing["metadata"]["name"].startswith(self.job_name)

    def what_runs(self):
        """Everything of the job by its identity: objects, containers, and the trainers' processes on this host."""
        job = self.job()
        containers = {}
        for pod in self.cluster.pods_of(self.job_name, namespace=NAMESPACE):
            for status in pod["status"]["initContainerStatuses"] + pod["status"]["containerStatuses"]:
                containers[pod["metadata"]["name"], status["name"]] = (
                    pod["metadata"]["uid"], pod["spec"]["nodeName"], status["containerID"], status["restartCount"])
        claim = self.cluster.get("persistentvolumeclaim", self.job_name, NAMESPACE)
        volume = self.cluster.get("persistentvolume", self.job_name)
        return {"job": job["metadata"]["uid"], "attempt": job["status"]["attempt"], "containers": containers,
                "claim": (claim["metadata"]["uid"], claim["status"]["phase"]), "volume": volume["metadata"]["uid"],
                "processes": self.trainers.processes(job)}


if __name__ == "__main__":
    unittest.main()
