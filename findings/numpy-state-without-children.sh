#!/usr/bin/env bash
# numpy 2.4.6: a resume by bit_generator.state, in a training that gives each worker of each epoch a generator of its own by spawn().
#
# An epoch takes its order of examples from the generator and spawns one child per worker for the augmentation. The state of the bit
# generator is saved as JSON after two epochs and set in a new process. The order of the third epoch is the one that an unbroken run
# has, which makes the resume look exact. The children are those of the first epoch: they come from the seed and from a count of the
# children so far, and neither is in the state. Each start thus augments with the first epochs' numbers again, and where a machine stays
# for two epochs, no other numbers are ever drawn. A new generator without the seed has the right order and children that belong to no
# run. A pickle of the generator has all of it and resumes right.
#
# Seen on 2026-11-30 (4 epochs, 3 workers, the first number of each worker):
#   unbroken: 305 681 396 | 479 801 479 | 421 780 544 | 332 587 305
#   state set, same seed: orders as unbroken: True; epochs 2 and 3: 305 681 396 | 479 801 479
#   state set, no seed: orders as unbroken: True; numbers as unbroken: False
#   pickle: orders as unbroken: True; epochs 2 and 3: 421 780 544 | 332 587 305
#   4 starts of 2 epochs each: 6 different streams, 24 in an unbroken run
#
# Needs Python 3.11 or newer with venv. Exit code 1 when it is otherwise.
set -euo pipefail

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check numpy==2.4.6

cat >"$work/epochs.py" <<'P'
import json
import pickle
import numpy as np


def trained(rng, epochs):
    orders, streams = [], []
    for _ in range(epochs):
        orders.append(rng.permutation(100).tolist())
        streams.append([int(worker.integers(1000)) for worker in rng.spawn(3)])
    return orders, streams


def shown(streams):
    return " | ".join(" ".join(map(str, epoch)) for epoch in streams)


def resumed(state, *seed):
    rng = np.random.default_rng(*seed)
    rng.bit_generator.state = json.loads(state)
    return rng


orders, streams = trained(np.random.default_rng(7), 4)
print("unbroken:", shown(streams))

stopped = np.random.default_rng(7)
trained(stopped, 2)
state, pickled = json.dumps(stopped.bit_generator.state), pickle.dumps(stopped)
order, stream = trained(resumed(state, 7), 2)
print(f"state set, same seed: orders as unbroken: {order == orders[2:]}; epochs 2 and 3: {shown(stream)}")
order, stream = trained(resumed(state), 2)
print(f"state set, no seed: orders as unbroken: {order == orders[2:]}; numbers as unbroken: {stream == streams[2:]}")
order, stream = trained(pickle.loads(pickled), 2)
print(f"pickle: orders as unbroken: {order == orders[2:]}; epochs 2 and 3: {shown(stream)}")

state, keys = json.dumps(np.random.default_rng(7).bit_generator.state), set()
for start in range(4):
    rng = resumed(state, 7)
    for epoch in range(2):
        keys |= {tuple(worker.integers(2**60, size=4)) for worker in rng.spawn(3)}
        rng.permutation(100)
    state = json.dumps(rng.bit_generator.state)
unbroken = {tuple(worker.integers(2**60, size=4)) for worker in np.random.default_rng(7).spawn(24)}
print(f"4 starts of 2 epochs each: {len(keys)} different streams, {len(unbroken)} in an unbroken run")
P
seen=$("$work/venv/bin/python" "$work/epochs.py")
echo "$seen"
[ "$seen" = "unbroken: 305 681 396 | 479 801 479 | 421 780 544 | 332 587 305
state set, same seed: orders as unbroken: True; epochs 2 and 3: 305 681 396 | 479 801 479
state set, no seed: orders as unbroken: True; numbers as unbroken: False
pickle: orders as unbroken: True; epochs 2 and 3: 421 780 544 | 332 587 305
4 starts of 2 epochs each: 6 different streams, 24 in an unbroken run" ] || {
  echo "it is otherwise by now" >&2
  exit 1
}
