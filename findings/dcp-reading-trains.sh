#!/usr/bin/env bash
# torch 2.15.0: get_optimizer_state_dict() of torch.distributed.checkpoint.state_dict, called before the first step of a training.
#
# Two runs with the same seed differ in one line: one of them reads the optimizer's state before its first step, as a job does that
# saves at its start. To have something to read, the function makes a step of its own with gradients and a learning rate of 0. The
# weights stay, but the optimizer's count of steps and its moments do not go back: Adam begins with its second step, and the losses
# part from the first step on. RAdam ends nearly four times as high. Rprop takes its size of step from the learning rate of its first
# step, so from then on it hardly moves at all. Hooks on the optimizer's steps are called once too often, so an average that is fed by
# one would count the untrained weights. A run that is compared with a run that makes no such save, or goes on from it, is another training.
#
# Seen on 2026-11-30 (the loss after 20 steps without and with the reading, the calls of a hook with it):
#   SGD: 0.8455 0.8455, 21 calls
#   Adam: 1.3073 1.4306, 21 calls
#   RAdam: 0.5400 1.9879, 21 calls
#   Rprop: 1.6312 8.3096, 21 calls
#
# Needs Python 3.11 or newer with venv, and 6 GB of disk for PyPI's torch. Exit code 1 when it is otherwise.
set -euo pipefail

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m venv venv
venv/bin/pip install -q --disable-pip-version-check torch==2.15.0 numpy==2.4.6

cat >read.py <<'P'
import torch
from torch.distributed.checkpoint.state_dict import get_optimizer_state_dict


def trained(kind, read, **options):
    torch.manual_seed(0)
    model = torch.nn.Linear(8, 1)
    x = torch.randn(64, 8)
    y = 3 * x[:, :1]
    optimizer = getattr(torch.optim, kind)(model.parameters(), **options)
    calls = []
    optimizer.register_step_post_hook(lambda *_: calls.append(1))
    if read:
        get_optimizer_state_dict(model, optimizer)
    for _ in range(20):
        optimizer.zero_grad()
        loss = ((model(x) - y) ** 2).mean()
        loss.backward()
        optimizer.step()
    return loss.item(), len(calls)


for kind, options in (("SGD", {"lr": 0.05, "momentum": 0.9}), ("Adam", {"lr": 0.1}), ("RAdam", {"lr": 0.1}), ("Rprop", {"lr": 0.01})):
    (plain, once), (read, twice) = trained(kind, False, **options), trained(kind, True, **options)
    assert once == 20
    print(f"{kind}: {plain:.4f} {read:.4f}, {twice} calls")
P

seen=$(venv/bin/python read.py)
echo "$seen"
[ "$seen" = "SGD: 0.8455 0.8455, 21 calls
Adam: 1.3073 1.4306, 21 calls
RAdam: 0.5400 1.9879, 21 calls
Rprop: 1.6312 8.3096, 21 calls" ] || {
  echo "it is otherwise by now" >&2
  exit 1
}
