"""Ranks with a volume each, on real kubelets: all resume from the newest step that every volume has."""

import shutil
import unittest

from harness import wait
from nodetier import jobs
from nodetier.case import NodeCase
from nodetier.volume import Volume

STEPS, EVERY = 2000, 80  # a save each 4 s


class VolumesEach(NodeCase):
    def begin_each(self, name):
        self.job_name, self.steps = self.tier.name(name), STEPS
        name = self.job_name
        volumes = [Volume(self.tier.volumes / f"{name}-{index}") for index in (0, 1)]
        self.cluster.apply(*jobs.volumes_each(name, [volume.directory for volume in volumes]),
                           jobs.job_with_volumes_each(name, steps=STEPS, step_milliseconds=50, save_every=EVERY))
        return volumes

    def annotation(self, attempt, index, key):
        """The step in it, without the fingerprint of its name; None: there is none."""
        found = self.pod(attempt, index)["metadata"]["annotations"].get(f"reprise.dev/{key}")
        return found and found.partition(":")[0]

    def test_ranks_resume_from_what_both_volumes_have_and_prune_no_further(self):
        first, second = volumes = self.begin_each("each")
        self.wait_for_attempt(1)
        self.assertEqual([self.annotation(1, index, "resume-step") for index in (0, 1)], ["none", "none"])
        wait.until("both know what both have saved", lambda: all(self.annotation(1, index, "common-step") for index in (0, 1)), 120)
        wait.until("what is older than that has gone from both", lambda: all(EVERY not in volume.steps() for volume in volumes))
        for volume, index in zip(volumes, (0, 1)):
            self.assertIn(int(self.annotation(1, index, "common-step")), volume.steps())

        wait.until("both volumes have two that both have", lambda: len(set(first.steps()) & set(second.steps())) > 1)
        writer = self.machine_of(1, 0)
        writer.cut_power()
        self.wait_for_reason("WriterNotFenced")
        known = int(self.annotation(1, 0, "common-step"))
        for step in first.steps():
            if step > known:  # as if it had been in the memory of that machine alone: what is known to be durable is not lost
                shutil.rmtree(first.directory / f"step-{step}")
        common = max(set(first.steps()) & set(second.steps()))
        self.assertGreaterEqual(common, known, "what both are known to have stays on both")
        ahead = second.steps()[-1]
        self.assertGreater(ahead, common, "the other rank has saved meanwhile, or had what this one lost")
        writer.power_on()
        self.tier.wait_until_ready(writer)
        self.wait_for_attempt(2)
        self.assertEqual([self.annotation(2, index, "resume-step") for index in (0, 1)], [str(common)] * 2)
        self.assertEqual([volume.resume_point(2)["step"] for volume in volumes], [common] * 2)
        self.assertEqual([path.name for path in second.directory.glob(f".reprise/*/step-{ahead}*")], [f"step-{ahead}.2"],
                         "what one rank alone had is put aside")

        job = self.wait_until_complete()
        self.assertEqual((job["status"]["attempt"], job["status"].get("failures", 0)), (2, 0))
        self.assertEqual(job["status"]["checkpoint"]["step"], STEPS)
        for volume in volumes:
            self.assert_uninterrupted_weights(volume)
            self.assert_one_writer_at_a_time(volume)


if __name__ == "__main__":
    unittest.main()
