#!/usr/bin/env bash
# safetensors 0.8.0 with torch 2.15.0, and a file that is copied once more over itself while a model trains from it.
#
# A model on the CPU (as offloaded and averaged weights are) takes its weights from load_file() with load_state_dict(..., assign=True)
# and trains for 200 steps. Then another process fetches the very same base file once more to the same path with cp, which empties the
# file and fills it anew. Every weight of the running model is back at its first value, bit for bit: the tensors are pages of the file,
# and a file that is emptied takes back even the pages that the optimizer has written to since. There is no error and no warning, so the
# next save would hold untrained weights. A copy that is put in place by a rename does no harm, nor does load_state_dict() without
# assign. Jobs of one node that share a folder of base weights can do this to each other whenever one of them starts.
#
# Seen on 2026-11-30 (Linux 6.18, the loss before the training, after it, and after the copy):
#   assign, cp: 10.705 0.000 10.705, weights as at the start: True
#   assign, cp and mv: 10.705 0.000 0.000, weights as at the start: False
#   no assign, cp: 10.705 0.000 0.000, weights as at the start: False
#
# Needs Python 3.11 or newer with venv, and 6 GB of disk for PyPI's torch. Exit code 1 when it is otherwise.
set -euo pipefail

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m venv venv
venv/bin/pip install -q --disable-pip-version-check torch==2.15.0 safetensors==0.8.0 numpy==2.4.6

cat >train.py <<'P'
import subprocess
import torch
from safetensors.torch import load_file, save_file

torch.manual_seed(0)
x = torch.randn(256, 512)
y = 3 * x[:, :1]
save_file(torch.nn.Linear(512, 1).state_dict(), "origin.safetensors")

for name, assign, copy in (
    ("assign, cp", True, "cp origin.safetensors base.safetensors"),
    ("assign, cp and mv", True, "cp origin.safetensors new && mv new base.safetensors"),
    ("no assign, cp", False, "cp origin.safetensors base.safetensors"),
):
    subprocess.run("rm -f base.safetensors && cp origin.safetensors base.safetensors", shell=True, check=True)
    model = torch.nn.Linear(512, 1)
    model.load_state_dict(load_file("base.safetensors"), assign=assign)
    start = {key: value.clone() for key, value in model.state_dict().items()}
    loss = lambda: torch.nn.functional.mse_loss(model(x), y)
    seen = [loss().item()]
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    for _ in range(200):
        optimizer.zero_grad()
        loss().backward()
        optimizer.step()
    seen.append(loss().item())
    subprocess.run(copy, shell=True, check=True)
    seen.append(loss().item())
    same = all(torch.equal(start[key], value) for key, value in model.state_dict().items())
    print(f"{name}: {seen[0]:.3f} {seen[1]:.3f} {seen[2]:.3f}, weights as at the start: {same}")
P

seen=$(venv/bin/python train.py)
echo "$seen"
[ "$seen" = "assign, cp: 10.705 0.000 10.705, weights as at the start: True
assign, cp and mv: 10.705 0.000 0.000, weights as at the start: False
no assign, cp: 10.705 0.000 0.000, weights as at the start: False" ] || {
  echo "it is otherwise by now" >&2
  exit 1
}
