#!/usr/bin/env bash
# torch 2.15.0: torch.distributed.checkpoint and dictionaries whose keys are integers, as those of optimizer.state_dict()["state"] are.
#
# A state has numbers and tensors under integer keys. After dcp.load() the tensors are the saved ones, so that the load seems to be
# whole; the numbers are as they were before it. The saved numbers stand beside them under new keys of the same digits as strings. The
# table of records that each shard has read says 0 again, and torch's own SparseAdam, whose count of steps is such a number, goes on
# with moments of step 100 and a count of step 1. Nothing is said until the next save, which fails for the keys that are there twice.
#
# Seen on 2026-11-30:
#   read by each shard: {0: 0, 1: 0, '0': 5120, '1': 4096}
#   moments as saved: True; steps as saved: False (100 were saved, 1 is there)
#   next save: duplicated flatten key optimizer.state.0.step
#
# Needs Python 3.11 or newer with venv, and 6 GB of disk for PyPI's torch. Exit code 1 when it is otherwise.
set -euo pipefail

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m venv venv
venv/bin/pip install -q --disable-pip-version-check torch==2.15.0 numpy==2.4.6

cat >resume.py <<'P'
import warnings
import torch
import torch.distributed.checkpoint as dcp

warnings.filterwarnings("ignore")


def trained(steps):
    torch.manual_seed(0)
    table = torch.nn.Embedding(10, 4, sparse=True)
    optimizer = torch.optim.SparseAdam(table.parameters(), lr=0.1)
    for _ in range(steps):
        optimizer.zero_grad()
        ((table(torch.tensor([1, 2])) - 1) ** 2).sum().backward()
        optimizer.step()
    return table, optimizer


def state(table, optimizer, read):
    return {"model": table.state_dict(), "optimizer": optimizer.state_dict(), "read": read}


table, optimizer = trained(100)
dcp.save(state(table, optimizer, {0: 5120, 1: 4096}), checkpoint_id="first", no_dist=True)
saved = optimizer.state_dict()["state"][0]

# The new process makes one step, for its optimizer to have a state that can be filled.
table, optimizer = trained(1)
loaded = state(table, optimizer, {0: 0, 1: 0})
dcp.load(loaded, checkpoint_id="first", no_dist=True)
table.load_state_dict(loaded["model"])
optimizer.load_state_dict(loaded["optimizer"])
now = optimizer.state_dict()["state"][0]
print("read by each shard:", loaded["read"])
print(
    f"moments as saved: {torch.equal(saved['exp_avg'], now['exp_avg'])}; steps as saved: {saved['step'] == now['step']}",
    f"({saved['step']} were saved, {now['step']} is there)",
)
try:
    dcp.save(state(table, optimizer, {0: 0, 1: 0}), checkpoint_id="second", no_dist=True)
    print("next save: done")
except BaseException as error:
    print("next save:", str(error).strip().splitlines()[-1].removeprefix("ValueError: "))
P

seen=$(venv/bin/python resume.py 2>log) || { cat log >&2; exit 1; }
echo "$seen"
[ "$seen" = "read by each shard: {0: 0, 1: 0, '0': 5120, '1': 4096}
moments as saved: True; steps as saved: False (100 were saved, 1 is there)
next save: duplicated flatten key optimizer.state.0.step" ] || {
  echo "it is otherwise by now" >&2
  exit 1
}
