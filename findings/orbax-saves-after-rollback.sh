#!/usr/bin/env bash
# orbax-checkpoint 0.12.8 with jax 0.10.2: a training that is taken back to an earlier step after its loss has run away.
#
# The folder holds steps 200 and 300. The training restores 200 and goes on from there, and saves at 250 and 300. Both saves return
# False and write nothing, and no warning is logged: the manager takes no step that is not past the newest one in its folder. A process
# that is taken away at step 305 thus has nothing of its own: the next one finds 300 as the latest and goes on from the weights that had
# been given up. The first save that is taken, at 310, throws out step 200, from which the training came, and keeps the step that had
# been given up. With force=True the save at 250 is made and the process names 250 as the latest step; the next process names 300.
#
# Seen on 2026-11-30 (the value of the weights is the step, and negative after the rollback):
#   restored 200; save at 250: False; save at 300: False; warnings: 0
#   the next process: latest step 300, weights 300
#   save at 310: True; steps: [300, 310]
#   with force, save at 250: True; steps: [300, 250], latest step 250; read anew: [250, 300], latest step 300
#
# Needs Python 3.11 or newer with venv. Exit code 1 when it is otherwise.
set -euo pipefail

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m venv venv
venv/bin/pip install -q --disable-pip-version-check orbax-checkpoint==0.12.8 jax==0.10.2 jaxlib==0.10.2 numpy==2.4.6

cat >rollback.py <<'P'
import logging
import os
import shutil
import numpy as np
import orbax.checkpoint as ocp

messages = []
logging.getLogger().addHandler(type("Kept", (logging.Handler,), {"emit": lambda self, record: messages.append(record)})())


def manager():
    return ocp.CheckpointManager(os.path.abspath("steps"), options=ocp.CheckpointManagerOptions(max_to_keep=2))


def save(to, step, value, **more):
    done = to.save(step, args=ocp.args.StandardSave({"w": np.full(2, value)}), **more)
    to.wait_until_finished()
    return done


def restore(at, step):
    return int(at.restore(step, args=ocp.args.StandardRestore({"w": np.zeros(2, int)}))["w"][0])


with manager() as first:
    for step in (200, 300):
        save(first, step, step)
shutil.copytree("steps", "again")
with manager() as second:
    back = restore(second, 200)
    messages.clear()
    print(f"restored {back}; save at 250: {save(second, 250, -250)}; save at 300: {save(second, 300, -300)}; warnings: {len(messages)}")
with manager() as third:
    print(f"the next process: latest step {third.latest_step()}, weights {restore(third, third.latest_step())}")
    print(f"save at 310: {save(third, 310, -310)}; steps: {third.all_steps()}")
shutil.rmtree("steps")
os.rename("again", "steps")
with manager() as fourth:
    restore(fourth, 200)
    print(f"with force, save at 250: {save(fourth, 250, -250, force=True)}; steps: {fourth.all_steps()},", end=" ")
    print(f"latest step {fourth.latest_step()};", end=" ")
with manager() as fifth:
    print(f"read anew: {fifth.all_steps()}, latest step {fifth.latest_step()}")
P

seen=$(JAX_PLATFORMS=cpu venv/bin/python rollback.py 2>log) || { cat log >&2; exit 1; }
echo "$seen"
[ "$seen" = "restored 200; save at 250: False; save at 300: False; warnings: 0
the next process: latest step 300, weights 300
save at 310: True; steps: [300, 310]
with force, save at 250: True; steps: [300, 250], latest step 250; read anew: [250, 300], latest step 300" ] || {
  echo "it is otherwise by now" >&2
  exit 1
}
