"""An example as users have it, with the real framework: script, image's name and command are those of examples/."""

import re
import subprocess
import unittest

import packages
import yaml

from harness import wait
from harness.cluster import ROOT
from nodetier import images, jobs
from nodetier.case import NodeCase
from nodetier.tier import NAMESPACE
from nodetier.volume import Volume

NAME = "huggingface-trainer"
EXAMPLE = ROOT / "examples" / NAME
LAST = "checkpoint-320"  # 5 epochs of 512 rows, 8 in a step
# The packages are several GB: they and this host's Python come into the pod as a volume of data does, to be read.
MOUNTS = {"/usr": "host-usr", "/packages": "framework-packages"}
ENVIRONMENT = {"PATH": "/packages/bin:/usr/bin:/bin", **packages.SETTINGS}
START_SECONDS = 240  # to import the framework from a cold disk on a busy machine


@unittest.skipUnless(packages.installed(), "the frameworks' packages are not installed; make test-frameworks installs them")
class Framework(NodeCase):
    def test_trainer_of_hugging_face_whose_machine_is_taken_goes_on_elsewhere_to_the_weights_of_an_undisturbed_run(self):
        undisturbed = self.start_undisturbed()
        volume = self.begin_example()
        self.wait_for_attempt(1)
        self.assertEqual(self.first_step_of(1), 1)
        taken = self.take_machine_of(1)

        record = self.last_record(1, 0)
        self.assertTrue(record["asked"] and record["saved"] and record["durable"], record)
        self.assertFalse(record["finished"], record)
        job = self.wait_for_attempt(2)
        self.assertNotEqual(self.machine_of(2, 0), taken)
        self.assertEqual(job["status"]["checkpoint"]["step"], record["step"])
        self.assertEqual(volume.resume_point(2)["step"], record["step"])
        self.assertEqual(self.first_step_of(2), record["step"] + 1)

        job = self.wait_until_complete()
        self.assertFalse(taken.is_on(), "nothing of it was needed")
        self.assertEqual((job["status"]["attempt"], job["status"].get("failures", 0)), (2, 0))
        self.assertEqual(job["status"]["checkpoint"]["step"], int(LAST.split("-")[1]))
        self.assert_one_writer_at_a_time(volume)
        self.assert_same_weights(self.wait_for_end(undisturbed), volume.directory / LAST)

    def begin_example(self):
        container, = yaml.safe_load((EXAMPLE / "job.yaml").read_text())["spec"]["template"]["spec"]["containers"]
        archive = self.tier.images / f"{NAME}.tar"
        images.make_example(archive, container["image"], EXAMPLE, ENVIRONMENT)
        for machine in self.tier.nodes:
            machine.load(archive)
        for path, claim in MOUNTS.items():
            self.cluster.apply(*jobs.volume(claim, packages.directory() if path == "/packages" else path))
        self.job_name = self.tier.name(NAME)
        volume = Volume(self.tier.volumes / self.job_name)
        self.cluster.apply(*jobs.framework(NAME, self.job_name, volume.directory, MOUNTS))
        return volume

    def take_machine_of(self, attempt):
        """As a cloud takes one that it has given notice of: drained, and then without power, for good."""
        machine = self.machine_of(attempt, 0)
        self.addCleanup(self.cluster.kubectl, "uncordon", machine.name)
        self.cluster.kubectl("drain", machine.name, f"--pod-selector=reprise.dev/job={self.job_name}",
                             "--delete-emptydir-data", "--timeout=120s")
        machine.cut_power()
        return machine

    def first_step_of(self, attempt):
        """The first step that the attempt's trainer prints."""
        def found():
            log = self.cluster.kubectl("logs", f"{self.job_name}-{attempt}-0", "-n", NAMESPACE, check=False)
            return re.search(r"^step (\d+)$", log, re.MULTILINE)
        return int(wait.until(f"the trainer of attempt {attempt} trains", found, START_SECONDS)[1])

    def start_undisturbed(self):
        """The same script with the same packages on this host, without pod and agent, and with no pause between its steps."""
        directory = self.tier.volumes / self.tier.name(f"{NAME}-undisturbed")
        directory.mkdir()
        with open(f"{directory}.log", "wb") as log:
            process = subprocess.Popen(
                ["python", EXAMPLE / "train.py"], stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                env={**packages.environment(), "SECONDS_A_STEP": "0", "REPRISE_CHECKPOINT_DIR": str(directory)})
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process, directory

    def wait_for_end(self, undisturbed):
        process, directory = undisturbed
        wait.until("the undisturbed run has ended", lambda: process.poll() is not None, START_SECONDS)
        with open(f"{directory}.log", errors="replace") as log:
            self.assertEqual(process.returncode, 0, log.read())
        return directory / LAST

    def assert_same_weights(self, expected, found):
        done = subprocess.run(["python", ROOT / "examples/same_weights.py", expected, found], text=True,
                              capture_output=True, env=packages.environment(), check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


if __name__ == "__main__":
    unittest.main()
