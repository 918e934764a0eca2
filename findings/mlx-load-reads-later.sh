#!/usr/bin/env bash
# mlx 0.32.4 (its CPU build for Linux, mlx-cpu 0.32.4): weights that are loaded to be gone back to later.
#
# A training loads its checkpoint of step 100 as what it will go back to, goes on, and saves step 200 under the same name. Its loss runs
# away, and it goes back with load_weights(). The weights that it gets are those of step 200: mx.load() reads nothing but the header,
# and the numbers are read from the file, as it is by then, when they are first computed with. If the file has got a longer header
# meanwhile (here by a note in its metadata), the numbers are read from the old places and are none of either step. Nothing is raised.
# It depends on the format and on how the file is replaced: .npy is read late as well, .npz and .gguf are not, and a file that a rename
# puts in place leaves the old one to be read. mx.eval() after the load makes it right. A teacher or a reference model that is loaded
# from the last checkpoint and first used after the next save is that next save in the same way.
#
# Seen on 2026-11-30 (each weight is the step that it was saved at):
#   safetensors: back at 200 200 200
#   safetensors, with mx.eval: back at 100 100 100
#   safetensors, saved by a rename: back at 100 100 100
#   safetensors, metadata added: back at neither
#   npy: back at 200 200 200
#   npz: back at 100 100 100
#   gguf: back at 100 100 100
#
# Needs Python 3 with venv. Exit code 1 when it is otherwise.
set -euo pipefail

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m venv venv
venv/bin/pip install -q --disable-pip-version-check mlx==0.32.4 mlx-cpu==0.32.4

cat >back.py <<'P'
import os
import mlx.core as mx
import mlx.nn as nn

SAVES = {
    "safetensors": mx.save_safetensors,
    "npy": lambda file, weights: mx.save(file, weights["w"]),
    "npz": lambda file, weights: mx.savez(file, **weights),
    "gguf": mx.save_gguf,
}


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.w = mx.zeros(3)


def gone_back(name, kind, evaluate=False, rename=False, **more):
    file, model = "last." + kind, Model()
    model.w = mx.full(3, 100.0)
    SAVES[kind](file, dict(model.parameters()))

    kept = mx.load(file)
    kept = kept if isinstance(kept, dict) else {"w": kept}
    if evaluate:
        mx.eval(kept)

    model.w = model.w + 100
    SAVES[kind]("new." + kind if rename else file, dict(model.parameters()), **more)
    if rename:
        os.replace("new." + kind, file)

    model.load_weights(list(kept.items()))
    back = " ".join(f"{value:.0f}" for value in model.w.tolist())
    print(f"{name}: back at", back if back in ("100 100 100", "200 200 200") else "neither")


gone_back("safetensors", "safetensors")
gone_back("safetensors, with mx.eval", "safetensors", evaluate=True)
gone_back("safetensors, saved by a rename", "safetensors", rename=True)
gone_back("safetensors, metadata added", "safetensors", metadata={"note": "the second epoch"})
for kind in ("npy", "npz", "gguf"):
    gone_back(kind, kind)
P
seen=$(venv/bin/python back.py)
echo "$seen"
[ "$seen" = "safetensors: back at 200 200 200
safetensors, with mx.eval: back at 100 100 100
safetensors, saved by a rename: back at 100 100 100
safetensors, metadata added: back at neither
npy: back at 200 200 200
npz: back at 100 100 100
gguf: back at 100 100 100" ] || {
  echo "it is otherwise by now" >&2
  exit 1
}
