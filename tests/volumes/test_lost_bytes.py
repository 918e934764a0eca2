"""Object stores that lose power, or bytes."""

import json
import subprocess

from agents import AGENT, AgentTest
from mounts import mounted, wait_for


class LostBytes(AgentTest):
    def test_a_checkpoint_of_which_a_store_has_lost_bytes_is_passed_over_and_kept(self):
        for kind, options in (("gcsfuse", ["20"]), ("mountpoint-s3", ["20", "allow-overwrite", "allow-delete"]),
                              ("write-back", ["20"])):
            with self.subTest(kind), mounted(kind, *options) as volume:
                self.trained(volume, REPRISE_CHECKPOINT_KEEP="")
                lost = volume.behind / "step-4/weights"
                wait_for("it was not uploaded", lost.exists)
                wait_for("its mark was not uploaded", (volume.behind / "step-4/_COMPLETE").exists)
                (volume.behind / "step-4/weights.lost").touch()
                wait = ("sh", "-c", "readlink $REPRISE_RESUME_FROM")
                agent = self.start(volume, wait, attempt=2, REPRISE_CHECKPOINT_KEEP="")
                output, _ = agent.communicate(timeout=120)
                self.assertIn("step-3\n", output)
                record = json.loads((volume.work / "termination").read_text())
                self.assertIn("weights: cannot be read: Input/output error", record["message"])
                left = [path.parent.name for path in volume.behind.rglob("weights.lost")]
                self.assertEqual([name.split(".")[0] for name in left], ["step-4"])
                listed = subprocess.run([AGENT, "check", volume.place, "--verify", "full"], check=False,
                                        capture_output=True, text=True)
                self.assertEqual(listed.returncode, 0)
                self.assertEqual(listed.stdout.count("Complete"), 3, listed.stdout)

    def test_what_was_called_durable_outlives_a_power_loss(self):
        for kind in ("gcsfuse", "mountpoint-s3"):
            with self.subTest(kind), mounted(kind, "300", "allow-overwrite", "allow-delete") as volume:
                left, record = self.trained(volume)
                volume.lose_power()
                self.assertEqual((left, record.get("structureOnly")), (["step-3", "step-4"], None))
                for name in left:
                    self.assertEqual((volume.behind / name / "weights").read_text(), "weights\n")
                    self.assertTrue((volume.behind / name / "_COMPLETE").exists())

    def test_what_a_power_loss_takes_was_never_called_durable(self):
        with mounted("write-back", "600000") as volume:
            _, record = self.trained(volume)
            volume.lose_power()
            self.assertEqual((record["step"], record["structureOnly"]), (4, True))
            self.assertFalse((volume.behind / "step-4/weights").exists())

    def test_a_job_whose_machine_lost_power_resumes_from_what_is_whole(self):
        for kind in ("gcsfuse", "mountpoint-s3"):
            with self.subTest(kind), mounted(kind, "100", "allow-overwrite", "allow-delete") as volume:
                agent = self.start(volume)
                wait_for("nothing was saved", (volume.behind / "step-1/_COMPLETE").exists)
                wait_for("no third checkpoint", (volume.behind / ".reprise/made/3.json").exists)
                volume.lose_power()
                agent.kill()
                agent.communicate()
                whole = [int(path.parent.name.split("-")[1]) for path in volume.behind.glob("step-*/_COMPLETE")]
                left, record = self.trained(volume, attempt=2)
                self.assertEqual(record["resumedFromStep"], max(whole))
                self.assertIn(f"step-{max(whole) + 4}", left)
