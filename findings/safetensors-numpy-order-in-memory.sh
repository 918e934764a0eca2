#!/usr/bin/env bash
# safetensors 0.8.0 (safetensors.numpy; numpy 2.4.6): a resume of a training whose weights began as a transposed array.
#
# A weight matrix is taken over from another layout with .T, and a small training with momentum goes on from it in place. save_file()
# writes the bytes as they lie in memory beside the shape as it is seen, so the matrix comes back with its entries in other places. So
# do the momentum and copies, since zeros_like, np.copy and astype keep the order in memory (the method .copy() does not, and is saved
# right). The shape is the right one, nothing is raised, and the training goes on from a ruined model. The loaded arrays are plain ones,
# so the next save and load is right. safetensors 0.7.0 writes the same state as it is: an image with a newer package, and the same
# script loses its model at its first resume.
#
# Seen on 2026-11-30 (a linear model, the loss at the save and after the load):
#   safetensors 0.7.0: loss 0.00 at the save, 0.00 after the load; changed: none
#   safetensors 0.8.0: loss 0.00 at the save, 0.38 after the load; changed: weight momentum astype np.copy
#
# Needs Python 3.11 or newer with venv. Exit code 1 when it is otherwise.
set -euo pipefail

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m venv venv
venv/bin/pip install -q --disable-pip-version-check numpy==2.4.6

cat >resume.py <<'P'
import importlib.metadata
import numpy as np
from safetensors.numpy import load_file, save_file

random = np.random.default_rng(0)
x = random.normal(size=(256, 4))
target = random.normal(size=(4, 4))
weight = random.normal(size=(4, 4)).T
momentum = np.zeros_like(weight)


def loss(weight):
    return np.square(x @ (weight - target)).mean()


for _ in range(100):
    momentum *= 0.8
    momentum += 2 * x.T @ x @ (weight - target) / len(x)
    weight -= 0.05 * momentum

state = {"weight": weight, "momentum": momentum, "astype": weight.astype("float32"), "np.copy": np.copy(weight), ".copy": weight.copy()}
save_file(state, "state.safetensors")
loaded = load_file("state.safetensors")
save_file(loaded, "again.safetensors")
again = load_file("again.safetensors")
assert all(np.array_equal(loaded[name], again[name]) for name in state)
changed = [name for name in state if not np.array_equal(state[name], loaded[name])]
print(f"safetensors {importlib.metadata.version('safetensors')}: loss {loss(weight):.2f} at the save, "
      f"{loss(loaded['weight']):.2f} after the load; changed: {' '.join(changed) or 'none'}")
P
seen=$(for version in 0.7.0 0.8.0; do
  venv/bin/pip install -q --disable-pip-version-check "safetensors==$version"
  venv/bin/python resume.py
done)
echo "$seen"
[ "$seen" = "safetensors 0.7.0: loss 0.00 at the save, 0.00 after the load; changed: none
safetensors 0.8.0: loss 0.00 at the save, 0.38 after the load; changed: weight momentum astype np.copy" ] || {
  echo "it is otherwise by now" >&2
  exit 1
}
