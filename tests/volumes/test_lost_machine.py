"""What is resumed from after a machine was lost while its disk still wrote, and after a disk has refused a write."""

import os
import tempfile
from pathlib import Path
from types import SimpleNamespace

from agents import AgentTest
from disks import overcommitted, slow_disk
from mounts import wait_for
from results import measured

# As torch.save and the trainers of libraries do: without a sync. The second save begins when `go` is there.
SAVES_TWICE = r"""
cd "$REPRISE_CHECKPOINT_DIR"
mkdir step-1; head -c 1M "$BYTES" >step-1/weights; : >step-1/_COMPLETE
until grep -qs step-1 .reprise/proven; do sleep 0.05; done
until [ -e "$GO" ]; do sleep 0.05; done
mkdir step-2; cat "$BYTES" >step-2/weights; : >step-2/_COMPLETE
while :; do sleep 0.05; done
"""
# Writes and closes without an error; the disk refuses a part of it later. Ends when the agent has had its say.
SAVES_MORE_THAN_FITS = r"""
cd "$REPRISE_CHECKPOINT_DIR"
mkdir step-1; head -c 4M "$BYTES" >step-1/weights; : >step-1/_COMPLETE
until grep -qs step-1 .reprise/proven; do sleep 0.05; done
mkdir step-2; cat "$BYTES" >step-2/weights; : >step-2/_COMPLETE
until grep -qs step-2 .reprise/made/*.json; do sleep 0.05; done
sync -f .; sync -f .
kill -9 $PPID
"""
SHOWS = ("sh", "-c", 'basename "$REPRISE_RESUME_FROM" >"$SHOWN"')
MIB = 1 << 20


def random_bytes(work, mebibytes):
    file = Path(work) / "bytes"
    file.write_bytes(os.urandom(mebibytes * MIB))
    return file


def state_of(save, data):
    weights = save / "weights"
    if not (save / "_COMPLETE").exists() or not weights.exists() or weights.stat().st_size == 0:
        return "torn"
    return "whole" if weights.read_bytes() == data.read_bytes() else "hollow"


class LostMachine(AgentTest):
    def resumed_from(self, place):
        """By the next attempt, in which nothing is seen of the end of the first."""
        with tempfile.TemporaryDirectory() as work:
            shown = Path(work) / "shown"
            volume = SimpleNamespace(place=place, work=Path(work))
            self.ended(volume, self.start(volume, SHOWS, attempt=2, SHOWN=str(shown), REPRISE_CHECKPOINT_FORMAT="Marker"))
            return shown.read_text().strip()

    def test_what_had_not_reached_the_disk_of_a_lost_machine_is_never_resumed_from(self):
        for kind in ("ext4", "xfs", "btrfs"):
            with self.subTest(kind), slow_disk(kind) as disk, tempfile.TemporaryDirectory() as other:
                data, go = random_bytes(other, 96), Path(other) / "go"
                with self.running(disk, ("sh", "-c", SAVES_TWICE), BYTES=str(data), GO=str(go),
                                  REPRISE_CHECKPOINT_FORMAT="Marker"):
                    proven = disk.place / ".reprise/proven"
                    wait_for("step-1 was not proven", lambda: proven.exists() and b"step-1" in proven.read_bytes())
                    disk.pace(8 * MIB)
                    go.touch()
                    wait_for("step-2 was not saved", (disk.place / "step-2/_COMPLETE").exists)
                    states = []
                    while b"step-2" not in proven.read_bytes():
                        states.append(self.lose(disk, data, len(states)))
                    states.append(self.lose(disk, data, len(states)))
                self.assertEqual(states[-1], "whole", "what was proven is there")
                self.assertGreater(len(states), 2)
                if kind == "ext4":
                    self.assertIn("hollow", states, "its names are there before its bytes")
                measured(kind, lost=1)  # until it is proven each of them began from the one before

    def lose(self, disk, data, number):
        """Loses the machine now. How the second save was there."""
        with disk.lost_now(number) as place:
            state = state_of(place / "step-2", data)
            was_proven = b"step-2" in (place / ".reprise/proven").read_bytes()
            self.assertFalse(was_proven and state != "whole", "it is written down as proven, and is not there")
            self.assertEqual(self.resumed_from(place), "step-2" if was_proven else "step-1", state)
            aside = [path.name for path in place.glob(".reprise/unproven/*")]
            self.assertEqual(aside, [] if was_proven or state == "torn" else ["step-2.2"], "it is not deleted")
        return state

    def test_a_save_just_before_the_end_has_the_time_that_its_disk_needs(self):
        """Nobody is about to kill the pod: the grace bounds nothing."""
        with slow_disk("ext4") as disk, tempfile.TemporaryDirectory() as other:
            data, go = random_bytes(other, 64), Path(other) / "go"
            fails = SAVES_TWICE.replace("while :; do sleep 0.05; done", "exit 3")
            agent = self.start(disk, ("sh", "-c", fails), BYTES=str(data), GO=str(go), REPRISE_CHECKPOINT_FORMAT="Marker",
                               REPRISE_CHECKPOINT_GRACE_SECONDS="2")
            proven = disk.place / ".reprise/proven"
            wait_for("step-1 was not proven", lambda: proven.exists() and b"step-1" in proven.read_bytes())
            disk.pace(8 * MIB)
            go.touch()
            _, record = self.ended(disk, agent, code=3)
            self.assertEqual((record["step"], record["durable"], record.get("structureOnly")), (2, True, None), record)
            disk.pace("")
            self.assertEqual(self.resumed_from(disk.place), "step-2")

    def test_the_last_good_checkpoint_outlives_one_that_the_disk_has_refused(self):
        for kind in ("ext4", "xfs"):
            with self.subTest(kind), overcommitted(kind, 70) as store, tempfile.TemporaryDirectory() as other:
                data = random_bytes(other, 80)
                place = store.place
                agent = self.start(store, ("sh", "-c", SAVES_MORE_THAN_FITS), BYTES=str(data),
                                   REPRISE_CHECKPOINT_FORMAT="Marker", REPRISE_CHECKPOINT_KEEP="1")
                agent.communicate(timeout=120)
                self.assertTrue((place / "step-1/_COMPLETE").exists(), "it was deleted for one that is not there")
                store.mount_anew()
                self.assertEqual(self.resumed_from(place), "step-1")
                self.assertEqual((place / "step-1/weights").read_bytes(), data.read_bytes()[: 4 * MIB])
