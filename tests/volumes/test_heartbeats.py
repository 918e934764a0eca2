"""What a heartbeat costs where no store counts its calls."""

from agents import ALIVE, WAITS, AgentTest, counter
from mounts import mounted, wait_for
from results import measured

KINDS = ("ext4", "xfs", "btrfs", "tmpfs", "overlay", "mergerfs", "sshfs", "bindfs")
BEATS = 10


def beside(alive):
    return [path.name for path in alive.parent.glob("*alive*") if path.suffix != ".tmp"]


class Heartbeats(AgentTest):
    def test_a_heartbeat_is_written_in_its_place_but_where_a_mount_does_not_say_whose_it_is(self):
        for kind in KINDS:
            with self.subTest(kind), mounted(kind) as volume, self.running(volume, WAITS, REPRISE_WATCH_SECONDS="3600"):
                alive = volume.place / ALIVE
                wait_for("it does not train", (volume.place / ".reprise/attempts/1/resume.json").exists)
                at, before, files = counter(alive), alive.stat(), beside(alive)
                wait_for("no heartbeats", lambda alive=alive, at=at: counter(alive) >= at + BEATS)
                after = alive.stat()
                way = "in place" if after.st_ino == before.st_ino else "renamed"
                self.assertEqual((way, after.st_size), ("renamed" if kind == "bindfs" else "in place", before.st_size))
                self.assertEqual(beside(alive), files, "it leaves nothing")
                measured(kind, beat={way: after.st_size})
