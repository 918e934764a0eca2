"""The ranks of a gang on one disk: one of them syncs a save, and all call it durable."""

import json

from agents import TRAINER, AgentTest
from mounts import mounted, wait_for

RANKS = 4
# Until index 0 has saved its last one, and a moment longer.
BESIDE = 'until [ -e "$REPRISE_CHECKPOINT_DIR/step-4/_COMPLETE" ]; do sleep 0.05; done; sleep 1'


class Gang(AgentTest):
    def start_rank(self, volume, rank, command):
        log = volume.work / f"termination-{rank}"
        log.write_text("")
        return self.start(volume, ("sh", "-c", command), JOB_COMPLETION_INDEX=str(rank), REPRISE_PARALLELISM=str(RANKS),
                          REPRISE_POD_UID=f"pod-{rank}", REPRISE_CHECKPOINT_FORMAT="Marker", REPRISE_TERMINATION_LOG=str(log))

    def test_index_0_syncs_for_all_ranks_of_a_disk(self):
        for kind in ("ext4", "xfs", "btrfs"):
            with self.subTest(kind), mounted(kind) as volume:
                words = volume.place / ".reprise/synced"
                ranks = [self.start_rank(volume, rank, BESIDE if rank else TRAINER) for rank in range(RANKS)]
                wait_for("nobody said that a save is synced",
                         lambda: any('"save":"step-' in word.read_text() for word in words.glob("*.json")))
                for rank in ranks:
                    output, _ = rank.communicate(timeout=120)
                    self.assertEqual(rank.returncode, 0, output)
                self.assertEqual([json.loads(word.read_text())["index"] for word in words.glob("*.json")], [0])
                for rank in range(RANKS):
                    record = json.loads((volume.place / f".reprise/attempts/1/{rank}.json").read_text())
                    self.assertEqual((record["step"], record["durable"], record.get("structureOnly")), (4, True, None), record)
