"""What a file system proves durable is kept, and older ones go."""

from agents import INTERRUPTED, WAITS, AgentTest
from mounts import called, mounted, wait_for
from results import measured

# Leaves a checkpoint as Hugging Face's Trainer does, but holds its weights open for a while, half written, as a thread
# does that writes beside the training.
HALF_WRITTEN = r"""
import os, struct, sys, time, zipfile
place = os.environ["REPRISE_CHECKPOINT_DIR"] + "/checkpoint-7"
os.mkdir(place)
for name in ("optimizer.pt", "scheduler.pt", "rng_state.pth", "training_args.bin"):
    with open("/tmp/part-" + name, "w+b") as part:
        with zipfile.ZipFile(part, "w") as archive:
            archive.writestr("archive/data.pkl", b"\x80\x02}.")
            archive.writestr("archive/version", "3\n")
        part.seek(0)
        with open(f"{place}/{name}", "wb") as file:
            file.write(part.read())
with open(place + "/trainer_state.json", "w") as file:
    file.write('{"global_step": 7}')
header = b'{"weight":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}}'
with open(place + "/model.safetensors", "wb", buffering=0) as weights:
    weights.write(struct.pack("<Q", len(header)) + header)
    time.sleep(1.5)
    weights.write(bytes(8))
time.sleep(1)
"""


class Proofs(AgentTest):
    def test_what_a_file_system_proves_durable_is_kept_and_older_ones_go(self):
        for kind in ("tmpfs", "ext4", "xfs", "btrfs", "overlay"):
            with self.subTest(kind), mounted(kind) as volume:
                left, record = self.trained(volume)
                self.assertEqual(left, ["step-3", "step-4"])
                self.assertEqual((record["step"], record["durable"], record.get("structureOnly")), (4, True, None))
                self.assertEqual(record["volume"], {"type": kind, "rename": True, "overwrite": True, "delete": True,
                                                    "durability": "Synced"})
                self.assertFalse((volume.place / ".reprise/probe").exists())
                left, record = self.trained(volume, attempt=2)
                self.assertEqual((left, record["resumedFromStep"]), (["step-7", "step-8"], 4))
                measured(kind, type=kind, durability=record["volume"]["durability"])

    def test_on_a_mount_by_fuse_of_which_nothing_is_known_nothing_is_deleted(self):
        for kind, shown in (("bindfs", "fuse"), ("mergerfs", "fuse.mergerfs"), ("sshfs", "fuse.sshfs"),
                            ("write-back", "fuse.s3fs")):
            with self.subTest(kind), mounted(kind, "100") as volume:
                left, record = self.trained(volume)
                self.assertEqual(left, ["step-1", "step-2", "step-3", "step-4"])
                self.assertEqual((record["step"], record["structureOnly"]), (4, True))
                self.assertEqual((record["volume"]["type"], record["volume"]["durability"]), (shown, "StructureOnly"))
                if kind != "write-back":  # which is played
                    measured(kind, type=shown, durability=record["volume"]["durability"])

    def test_object_stores_prove_what_is_closed_and_are_pruned_where_that_can_be(self):
        table = (("gcsfuse", ["20"], {"type": "fuse.gcsfuse", "rename": True, "overwrite": True, "delete": True,
                                      "durability": "Closed"}),
                 ("mountpoint-s3", ["200", "allow-overwrite", "allow-delete"],
                  {"type": "fuse.mountpoint-s3", "rename": False, "overwrite": True, "delete": True,
                   "durability": "Reopened"}))
        for kind, options, found in table:
            with self.subTest(kind), mounted(kind, *options) as volume:
                left, record = self.trained(volume)
                self.assertEqual(left, ["step-3", "step-4"], record)
                self.assertEqual((record["step"], record["durable"], record.get("structureOnly")), (4, True, None))
                self.assertEqual(record["volume"], found)
                self.assertEqual(volume.logged("finished-too-early"), [])

    def test_where_nothing_can_be_written_again_or_deleted_a_job_trains_and_resumes_all_the_same(self):
        with mounted("mountpoint-s3", "100") as volume:
            _, record = self.trained(volume)
            self.assertEqual(record["volume"], {"type": "fuse.mountpoint-s3", "rename": False, "overwrite": False,
                                                "delete": False, "durability": "Reopened"})
            self.assertIsNone(record.get("structureOnly"))
            self.assertNotIn("volume:", record.get("message", ""), "nothing that the mount refuses is a failure")
            left, record = self.trained(volume, attempt=2)
            self.assertEqual(record["resumedFromStep"], 4)
            self.assertEqual(left, [f"step-{step}" for step in range(1, 9)])

    def test_two_attempts_see_each_other_where_nothing_can_be_written_again(self):
        with mounted("mountpoint-s3", "10") as volume:
            with self.running(volume, WAITS):
                beats = volume.place / ".reprise/attempts/1"
                wait_for("no heartbeat", lambda: (beats / "0.alive.3").exists())
                second = self.start(volume, attempt=2)
                _, record = self.ended(volume, second, code=87)
                self.assertIn("still writes to this volume", record["message"])

    def test_an_interrupted_job_resumes_from_what_it_saved_last(self):
        for kind, options in (("ext4", ()), ("gcsfuse", ["50"]), ("mountpoint-s3", ["50"])):
            with self.subTest(kind), mounted(kind, *options) as volume:
                agent = self.start(volume, ("sh", "-c", INTERRUPTED))
                wait_for("nothing was saved", (volume.place / ".reprise/made/1.json").exists)
                called("pkill", "-TERM", "-P", str(agent.pid))
                _, record = self.ended(volume, agent)
                self.assertEqual((record["asked"], record["step"], record.get("structureOnly")), (True, 9, None))
                _, record = self.trained(volume, attempt=2)
                self.assertEqual((record["resumedFromStep"], record["step"]), (9, 13))

    def test_a_file_that_somebody_writes_is_never_opened(self):
        for kind in ("gcsfuse", "mountpoint-s3", "write-back"):
            with self.subTest(kind), mounted(kind, "20") as volume:
                agent = self.start(volume, ("python3", "-c", HALF_WRITTEN))
                _, record = self.ended(volume, agent)
                self.assertEqual(volume.logged("finished-too-early") + volume.logged("refused"), [])
                self.assertEqual(record["step"], 7, "once it is closed it counts")

    def test_a_checkpoint_of_which_a_mount_moves_a_half_stays_whole_where_it_lies(self):
        saves = """cd "$REPRISE_CHECKPOINT_DIR"; mkdir step-1; echo weights >step-1/weights; : >step-1/_COMPLETE
            until grep -qs step-1 .reprise/made/*.json; do sleep 0.02; done; mkdir step-2; echo 0 >step-2/shard-0
            until grep -qs step-2 .reprise/made/*.json; do sleep 0.02; done"""
        with mounted("mergerfs") as volume:
            self.ended(volume, self.start(volume, ("sh", "-c", saves), REPRISE_CHECKPOINT_FORMAT="Marker"))
            other = next(each for each in (volume.work / "one", volume.work / "two") if not (each / "step-2").exists())
            (other / "step-2").mkdir()
            (other / "step-2/shard-1").write_text("1")
            _, record = self.ended(volume, self.start(volume, ("true",), attempt=2, REPRISE_CHECKPOINT_FORMAT="Marker"))
            places = {path.parent for path in volume.place.rglob("shard-*")}
            self.assertEqual(places, {volume.place / "step-2"}, record["message"])
            self.assertIn("step-2 was left in place", record["message"])
