"""The base of node tests: one job on the machines of the tier, a record of all that was seen, and its history on failure."""

import json
import sys
import unittest

from harness import wait
from harness.cluster import condition
from harness.watchlog import WatchLog

from . import jobs
from .tier import NAMESPACE
from .trainers import Trainers
from .volume import Volume


class NodeCase(unittest.TestCase):
    tier = None  # set by tests/node/run

    def setUp(self):
        self.cluster = self.tier.cluster
        for machine in self.tier.nodes:
            if not machine.is_on():  # a test before this one failed in the dark
                machine.power_on()
            self.tier.wait_until_ready(machine)
        self.trainers = self.enterContext(Trainers())
        self.seen = self.enterContext(WatchLog(self.cluster, "pods", "nodes", "resumablejobs", "persistentvolumeclaims"))

    def run(self, result=None):
        self.job_name = ""
        failures = len(result.failures) + len(result.errors) if result else 0
        super().run(result)
        if result and len(result.failures) + len(result.errors) > failures:
            print(self._history(), file=sys.stderr)
        if self.job_name:
            self.cluster.kubectl("delete", "resumablejob", self.job_name, "-n", NAMESPACE, "--ignore-not-found")

    def begin(self, wish, **settings):
        """Applies a job with a volume of its own and returns the volume. Its name, `self.job_name`, is `wish`, or `wish2` when
        a job before it had that one."""
        self.job_name = name = self.tier.name(wish)
        self.steps = settings["steps"]
        volume = Volume(self.tier.volumes / name)
        self.cluster.apply(*jobs.volume(name, volume.directory), jobs.job(name, **settings))
        return volume

    def job(self):
        return self.cluster.job(self.job_name, NAMESPACE)

    def pod(self, attempt, index):
        return self.cluster.get("pod", f"{self.job_name}-{attempt}-{index}", NAMESPACE)

    def machine_of(self, attempt, index):
        name = self.pod(attempt, index)["spec"]["nodeName"]
        return next(machine for machine in self.tier.nodes if machine.name == name)

    def bind(self, attempt, index, machine):
        """As the scheduler would: the pod starts on that machine, cordoned or not."""
        name = f"{self.job_name}-{attempt}-{index}"
        self.cluster.kubectl("create", "--raw", f"/api/v1/namespaces/{NAMESPACE}/pods/{name}/binding", "-f", "-",
                             input=json.dumps({"apiVersion": "v1", "kind": "Binding", "metadata": {"name": name},
                                               "target": {"apiVersion": "v1", "kind": "Node", "name": machine}}))

    def wait_for_attempt(self, attempt):
        return self.cluster.wait_for_attempt(self.job_name, attempt, NAMESPACE)

    def wait_for_steps(self, volume, count):
        """Waits until the trainer has saved `count` checkpoints or more, and returns the newest step."""
        return wait.until(f"{count} checkpoints", lambda: len(volume.steps()) >= count and volume.steps()[-1])

    def wait_until_complete(self):
        def complete():
            job = self.job()
            self.assertEqual(condition(job, "Failed")["status"], "False", condition(job, "Failed"))
            if condition(job, "Complete")["status"] != "True":
                raise LookupError(condition(job, "PodsReady"))
            return job
        return wait.until(f"resumablejob {self.job_name} is complete", complete, 300)

    def wait_for_reason(self, reason):
        return self.cluster.wait_for_state(self.job_name, reason, namespace=NAMESPACE)

    def last_record(self, attempt, index):
        """The record that came with the pod's end."""
        name = f"{self.job_name}-{attempt}-{index}"

        def record():
            for _, pod in self.seen.of("pods"):
                if pod["metadata"]["name"] == name:
                    for status in pod["status"].get("containerStatuses", []):
                        if "terminated" in status["state"]:
                            return json.loads(status["state"]["terminated"]["message"])
            return None
        return wait.until(f"the kubelet tells how {name} ended", record)

    def attempts_seen(self):
        """The numbers of all attempts that ever had a pod."""
        labels = [pod["metadata"]["labels"] for _, pod in self.seen.of("pods")]
        return {int(found["reprise.dev/attempt"]) for found in labels if found.get("reprise.dev/job") == self.job_name}

    def assert_uninterrupted_weights(self, volume):
        self.assertEqual(volume.weights(), self.tier.plain_weights(self.steps), "weights differ from those of a plain run")

    def assert_one_writer_at_a_time(self, volume):
        self.assertEqual(self.trainers.overlaps(self.job()), [], "trainers of two attempts lived at once")
        numbers = volume.attempts()
        for before, after in zip(numbers, numbers[1:]):
            self.assertLess(volume.last_heartbeat(before), volume.first_choice(after),
                            f"attempt {before} still wrote when attempt {after} had begun")

    def operator_log(self):
        return self.tier.operator.tail(40)

    def _history(self):
        parts = ["--- the job", self.cluster.kubectl("get", "resumablejobs", "-n", NAMESPACE, "-o", "yaml",
                                                     check=False),
                 "--- pods", self.cluster.kubectl("get", "pods", "-n", NAMESPACE, "-o", "wide", check=False),
                 "--- events", self.cluster.kubectl("get", "events", "-n", NAMESPACE, check=False),
                 "--- operator", self.operator_log()]
        return "\n".join([*parts, *(machine.logs() for machine in self.tier.nodes)])
