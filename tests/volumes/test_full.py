"""Volumes on which nothing fits any more."""

import json
import subprocess
import time

from agents import AgentTest
from mounts import called, mounted, wait_for

# Trains for a while and saves 20 MiB, step by step, until it has saved four or a save finds no room.
FILLING = r"""
set -e
first=1
if [ -n "$REPRISE_RESUME_FROM" ]; then
  last=$(readlink "$REPRISE_RESUME_FROM"); first=$((${last##*-} + 1))
fi
for step in $(seq $first $((first + $SAVES - 1))); do
  sleep 1
  mkdir "$REPRISE_CHECKPOINT_DIR/step-$step"
  head -c 20M /dev/urandom >"$REPRISE_CHECKPOINT_DIR/step-$step/weights"
  : >"$REPRISE_CHECKPOINT_DIR/step-$step/_COMPLETE"
  until grep -qs "step-$step\"" "$REPRISE_CHECKPOINT_DIR"/.reprise/made/*.json; do sleep 0.02; done
done
"""
# Fills the volume to the last byte, says so, and goes on for as long as it is told.
FILLED = r"""
cd "$REPRISE_CHECKPOINT_DIR"; sleep 1
for size in 1M 4K 1 4K; do dd if=/dev/zero of=fill-$size-$$ bs=$size 2>/dev/null; sync -f "$FILLED"; done
: >"$SAID"; sleep "$SECONDS_TO_TRAIN"
"""


class Full(AgentTest):
    def test_a_full_volume_is_told_and_keep_makes_room_for_the_next_attempt(self):
        for kind, size in (("tmpfs", "100M"), ("ext4", "120M")):
            with self.subTest(kind), mounted(kind, size) as volume:
                fills = ("sh", "-c", FILLING)
                agent = self.start(volume, fills, REPRISE_CHECKPOINT_KEEP="", SAVES="20")
                wait_for("no reserve", (volume.place / ".reprise/reserve").exists)
                left, record = self.ended(volume, agent, code=1)
                whole = [name for name in left if (volume.place / name / "_COMPLETE").exists()]
                full = record["full"]
                self.assertGreaterEqual(len(whole), 4)
                self.assertEqual((full["generations"], full["keep"], full["keepDeletes"]), (len(whole), 2, len(whole) - 2))
                self.assertGreaterEqual(full["saveBytes"], 20 << 20)
                self.assertLess(full["freeBytes"], 1 << 20)
                self.assertFalse((volume.place / ".reprise/reserve").exists(), "the next attempt has its room")
                written = json.loads((volume.place / ".reprise/attempts/1/0.json").read_text())
                self.assertEqual(written["full"], full)
                left, record = self.ended(volume, self.start(volume, fills, attempt=2, SAVES="4"))
                last = len(whole) + 4
                self.assertEqual((left, record["resumedFromStep"]), ([f"step-{last - 1}", f"step-{last}"], len(whole)))
                self.assertNotIn("full", record)

    def test_ranks_that_cannot_be_told_where_to_resume_say_that_the_volume_is_full(self):
        with mounted("tmpfs", "1M") as volume:
            (volume.place / "somebody's").write_bytes(bytes(1 << 20))
            agent = self.start(volume, REPRISE_PARALLELISM="2", JOB_COMPLETION_INDEX="0")
            _, record = self.ended(volume, agent, code=87)
            self.assertEqual((record["reason"], record["full"]["freeBytes"]), ("VolumeFull", 0))

    def test_a_trainer_that_fails_without_a_word_where_nothing_fits_says_so(self):
        with mounted("tmpfs", "1M") as volume:
            words = ("sh", "-c", "head -c 2M /dev/zero >$REPRISE_CHECKPOINT_DIR/weights.pt 2>/dev/null || exit 7")
            _, record = self.ended(volume, self.start(volume, words), code=7)
            self.assertEqual(record["full"], {"freeBytes": 0, "generations": 0})

    def test_a_trainer_that_fails_with_room_left_says_nothing_of_it(self):
        with mounted("tmpfs", "100M") as volume:
            words = ("sh", "-c", "echo OSError: No space left on device: /dev/shm; exit 1")
            _, record = self.ended(volume, self.start(volume, words), code=1)
            self.assertNotIn("full", record)

    def test_a_full_volume_of_each_kind_takes_every_heartbeat_and_the_record(self):
        for kind, options in (("ext4", ("64M",)), ("xfs", ()), ("btrfs", ()), ("sshfs", ()), ("tmpfs", ("4M",))):
            with self.subTest(kind), mounted(kind, *options) as volume:
                said = volume.work / "said"
                agent = self.start(volume, ("sh", "-c", FILLED), SAID=str(said), SECONDS_TO_TRAIN="5",
                                   FILLED=str(volume.behind if kind == "sshfs" else volume.place),
                                   REPRISE_HEARTBEAT_SECONDS="0.5")
                wait_for("it was not filled", said.exists, 60)
                beats, place = [], volume.behind if kind == "sshfs" else volume.place
                for _ in range(30):
                    beats.append(json.loads((place / ".reprise/attempts/1/0.alive").read_text())["counter"])
                    time.sleep(0.1)
                self.assertGreaterEqual(len(set(beats)), 5, beats)
                _, record = self.ended(volume, agent)
                self.assertNotIn("no record", record.get("message", ""))
                written = json.loads((volume.place / ".reprise/attempts/1/0.json").read_text())
                self.assertTrue(written["finished"])

    def test_a_heartbeat_that_finds_no_block_to_be_written_to_is_seen_by_its_time(self):
        with mounted("btrfs") as volume:
            said = volume.work / "said"
            keeps = "btrfs subvolume snapshot $REPRISE_CHECKPOINT_DIR $REPRISE_CHECKPOINT_DIR/snapshot >/dev/null; "
            agent = self.start(volume, ("sh", "-c", keeps + FILLED), SAID=str(said), SECONDS_TO_TRAIN="12",
                               FILLED=str(volume.place), REPRISE_HEARTBEAT_SECONDS="0.5")
            wait_for("it was not filled", said.exists, 60)
            _, record = self.ended(volume, self.start(volume, attempt=2, REPRISE_HEARTBEAT_SECONDS="0.5"), code=87)
            self.assertIn("still writes to this volume", record["message"])
            _, record = self.ended(volume, agent)
            self.assertTrue(record["finished"])

    def test_an_attempt_that_starts_on_a_full_volume_is_seen_or_does_not_train(self):
        for kind, options in (("ext4", ("40M",)), ("xfs", ()), ("btrfs", ()), ("sshfs", ())):
            with self.subTest(kind), mounted(kind, *options) as volume:
                place = volume.behind if kind == "sshfs" else volume.place
                for size in ("1M", "4K", "1", "4K"):
                    subprocess.run(["dd", "if=/dev/zero", f"of={place}/fill-{size}-{time.monotonic()}", f"bs={size}"],
                                   check=False, stderr=subprocess.DEVNULL)
                    called("sync", "-f", place)
                ran = volume.work / "ran"
                agent = self.start(volume, ("touch", str(ran)))
                _, record = self.ended(volume, agent, code=87)
                self.assertFalse(ran.exists())
                self.assertEqual(record["reason"], "VolumeFull", record["message"])
