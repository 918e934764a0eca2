"""Attempts of a job: the agent with a real trainer process, as a container starts it."""

import json
import os
import subprocess
import unittest
from contextlib import contextmanager

from mounts import BUILD, wait_for

AGENT = BUILD / "bin" / "reprise-agent"
# Saves step by step from where it was resumed; each one when the agent has written down the one before.
TRAINER = r"""
first=1
if [ -n "$REPRISE_RESUME_FROM" ]; then
  last=$(readlink "$REPRISE_RESUME_FROM"); first=$((${last##*-} + 1))
fi
for step in $(seq $first $((first + 3))); do
  mkdir "$REPRISE_CHECKPOINT_DIR/step-$step"
  echo weights >"$REPRISE_CHECKPOINT_DIR/step-$step/weights"
  : >"$REPRISE_CHECKPOINT_DIR/step-$step/_COMPLETE"
  until grep -qs "step-$step\"" "$REPRISE_CHECKPOINT_DIR"/.reprise/made/*.json; do sleep 0.02; done
done
"""
# Saves once more when it is asked to stop.
INTERRUPTED = r"""
save() {
  mkdir "$REPRISE_CHECKPOINT_DIR/step-$1"
  echo weights >"$REPRISE_CHECKPOINT_DIR/step-$1/weights"
  : >"$REPRISE_CHECKPOINT_DIR/step-$1/_COMPLETE"
}
trap 'save 9; exit 0' TERM
save 8
while :; do sleep 0.05; done
"""
WAITS = ("sh", "-c", "while :; do sleep 0.05; done")
ALIVE = ".reprise/attempts/1/0.alive"


def counter(alive):
    """Of the heartbeat in that file, which may be in the middle of being written."""
    texts = []

    def is_whole():
        try:
            texts.append(json.loads(alive.read_text())["counter"])
        except (OSError, ValueError):
            return False
        return True
    wait_for("no heartbeat", is_whole)
    return texts[-1]


class AgentTest(unittest.TestCase):
    def start(self, volume, command=("sh", "-c", TRAINER), attempt=1, **more):
        environment = {**os.environ, "REPRISE_JOB_UID": "job", "REPRISE_POD_UID": f"pod-{attempt}",
                       "REPRISE_ATTEMPT": str(attempt), "REPRISE_CHECKPOINT_DIR": str(volume.place),
                       "REPRISE_WATCH_SECONDS": "0.05", "REPRISE_HEARTBEAT_SECONDS": "0.2",
                       "REPRISE_CHECKPOINT_KEEP": "2", "REPRISE_TERMINATION_LOG": str(volume.work / "termination"),
                       **more}
        (volume.work / "termination").write_text("")
        # As a container has it: the agent and what it starts are the only processes that it can see.
        own = ["unshare", "--pid", "--fork", "--mount-proc", "--kill-child"]
        return subprocess.Popen([*own, AGENT, "run", "--", *command], env=environment, stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)

    def ended(self, volume, agent, code=0):
        """The checkpoints that are left, and what the agent says of the last one."""
        output, _ = agent.communicate(timeout=120)
        self.assertEqual(agent.returncode, code, output)
        record = json.loads((volume.work / "termination").read_text())
        return sorted(path.name for path in volume.place.glob("step-*")), record

    @contextmanager
    def running(self, *arguments, **more):
        """An attempt that is killed in the end, where it has not ended by itself."""
        agent = self.start(*arguments, **more)
        try:
            yield agent
        finally:
            agent.kill()
            agent.communicate()

    def trained(self, volume, **more):
        return self.ended(volume, self.start(volume, **more))
