#!/usr/bin/env bash
# orbax-checkpoint 0.12.8 (jax 0.10.2): StandardCheckpointer, and a tree in which a key has a dot.
#
# A leaf's place in the checkpoint is its keys joined by dots. {"head": {"bias": ...}} and "head.bias", a flat name of PyTorch's kind
# beside the nested one, are two leaves with one place: the save writes both there, one value stays, and the restore hands it out as
# both leaves. Nothing is raised, and the checkpoint's own metadata lists both leaves, with one name. The value that stays is not the
# same from save to save. An index of a list makes such a place too: {"steps": [a, b], "steps.1": c}. Two leaves of different shapes in
# one place make the save fail.
#
# Seen on 2026-11-30:
#   saved {'head': {'bias': 2}, 'head.bias': 1}: both are 1, or both are 2, 5 saves out of 5; names in the metadata: head.bias head.bias
#   saved {'steps': [10, 11], 'steps.1': 7}: item 1 and steps.1 are the same, 5 saves out of 5
#   different shapes: the save raises ValueError
#
# Needs Python 3 with venv. Exit code 1 when it is otherwise.
set -euo pipefail

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check orbax-checkpoint==0.12.8 jax==0.10.2

cat >"$work/leaves.py" <<'P'
import logging, pathlib, sys
import numpy as np
import orbax.checkpoint as ocp

logging.disable(logging.ERROR)
folder, saves = pathlib.Path(sys.argv[1]), 0


def there_and_back(tree):
    global saves
    saves += 1
    with ocp.StandardCheckpointer() as checkpointer:
        checkpointer.save(folder / str(saves), tree)
        checkpointer.wait_until_finished()
        return checkpointer.restore(folder / str(saves)), checkpointer.metadata(folder / str(saves)).item_metadata.tree


def filled(value, length=3):
    return np.full(length, value)


same = 0
for _ in range(5):
    got, names = there_and_back({"head": {"bias": filled(2)}, "head.bias": filled(1)})
    same += got["head"]["bias"].tolist() == got["head.bias"].tolist()
print("saved {'head': {'bias': 2}, 'head.bias': 1}: both are 1, or both are 2,", same, "saves out of 5; names in the metadata:",
      names["head"]["bias"].name, names["head.bias"].name)
same = 0
for _ in range(5):
    got, _ = there_and_back({"steps": [filled(10), filled(11)], "steps.1": filled(7)})
    same += got["steps"][1].tolist() == got["steps.1"].tolist()
print("saved {'steps': [10, 11], 'steps.1': 7}: item 1 and steps.1 are the same,", same, "saves out of 5")
try:
    there_and_back({"head": {"bias": filled(2)}, "head.bias": filled(1, 4)})
except ValueError:
    print("different shapes: the save raises ValueError")
P

seen=$("$work/venv/bin/python" "$work/leaves.py" "$work" 2>"$work/log") || cat "$work/log" >&2
echo "$seen"
[ "$seen" = "saved {'head': {'bias': 2}, 'head.bias': 1}: both are 1, or both are 2, 5 saves out of 5; names in the metadata: head.bias head.bias
saved {'steps': [10, 11], 'steps.1': 7}: item 1 and steps.1 are the same, 5 saves out of 5
different shapes: the save raises ValueError" ] || {
  echo "it is otherwise by now" >&2
  exit 1
}
