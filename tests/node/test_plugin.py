"""kubectl-reprise against real kubelets: what they refuse, in their own words, and what trainers print over an interruption."""

import json
import os
import subprocess
import tempfile
import unittest

from harness import wait
from nodetier import jobs
from nodetier.case import NodeCase
from nodetier.tier import NAMESPACE
from nodetier.volume import Volume

BLOCKED = 7


def with_trainer(job, **container):
    job["spec"]["template"]["spec"]["containers"][0].update(container)
    return job


def with_secret(job, secret):
    pod = job["spec"]["template"]["spec"]
    pod["volumes"] = [{"name": "token", "secret": {"secretName": secret}}]
    return with_trainer(job, volumeMounts=[{"name": "token", "mountPath": "/token"}])


# what the job is called for: (what is wrong with it, cause, what the kubelet says)
BLOCKS = {
    "no-image": (lambda job: with_trainer(job, image="registry.invalid/trainer:1", imagePullPolicy="Always"),
                 "ImagePullFailed", "registry.invalid/trainer:1"),
    "no-config": (lambda job: with_trainer(job, envFrom=[{"configMapRef": {"name": "settings"}}]),
                  "ConfigMissing", 'configmap "settings" not found'),
    "no-secret": (lambda job: with_secret(job, "hub-token"), "ConfigMissing", 'secret "hub-token" not found'),
    "not-ready": (lambda job: with_trainer(job, readinessProbe={"tcpSocket": {"port": 9}, "periodSeconds": 1}),
                  "ReadinessProbeFails", "connection refused"),
}


class Plugin(NodeCase):
    def plugin(self, *arguments):
        return [self.tier.build / "bin/kubectl-reprise", *arguments, "-n", NAMESPACE]

    def environment(self):
        return dict(os.environ, KUBECONFIG=str(self.cluster.kubeconfig))

    def why(self, name):
        done = subprocess.run(self.plugin("why", f"job/{name}", "-o", "json"), capture_output=True, text=True, timeout=60,
                              env=self.environment(), check=False)
        self.assertIn(done.returncode, (0, BLOCKED), done.stderr)
        return json.loads(done.stdout)

    def named(self, name, cause, found):
        told = self.why(name)
        if told.get("cause") != cause or found not in told["found"]:
            raise LookupError(told)
        return told

    def test_what_a_kubelet_refuses_is_named_in_its_words(self):
        names = {block: self.tier.name(block) for block in BLOCKS}
        for block, (spoil, *_) in BLOCKS.items():
            name = names[block]
            volume = Volume(self.tier.volumes / name)
            job = jobs.job(name, steps=100_000, step_milliseconds=50, save_every=0, parallelism=1)
            self.cluster.apply(*jobs.volume(name, volume.directory), spoil(job))
            self.addCleanup(self.cluster.kubectl, "delete", "resumablejob", name, "-n", NAMESPACE, "--ignore-not-found")
        for block, (_, cause, found) in BLOCKS.items():
            with self.subTest(block):
                told = wait.until(f"{cause} blocks {block}", lambda: self.named(names[block], cause, found), 120)
                self.assertEqual(told["object"]["kind"], "Pod", told)
                self.assertTrue(told["toDo"], told)

    def test_logs_that_are_followed_go_on_with_the_next_attempt_and_end_with_the_job(self):
        volume = self.begin("spoken", steps=400, step_milliseconds=50, save_every=10, on_notice={"signal": "SIGUSR1"})
        self.wait_for_attempt(1)
        told = self.enterContext(tempfile.TemporaryFile("w+"))
        follower = self.enterContext(subprocess.Popen(self.plugin("logs", self.job_name, "-f", "--index", "0"), stdout=told,
                                                      stderr=subprocess.STDOUT, env=self.environment()))
        self.addCleanup(follower.kill)
        self.wait_for_steps(volume, 3)
        self.cluster.kubectl("delete", "pod", f"{self.job_name}-1-1", "-n", NAMESPACE)
        self.wait_until_complete()
        self.assertEqual(follower.wait(60), 0)
        told.seek(0)
        lines = told.read().splitlines()
        ranks = list(dict.fromkeys(line.split("]")[0] + "]" for line in lines if line.startswith("[")))
        self.assertEqual(ranks, ["[1/0]", "[2/0]"], lines)
        self.assertIn(str(self.steps), lines[-1], "the last that the trainer said")


if __name__ == "__main__":
    unittest.main()
