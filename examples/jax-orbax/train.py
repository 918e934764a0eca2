"""JAX with Orbax's CheckpointManager, which writes in the background."""

import os
import signal
import sys
import time
from pathlib import Path

import jax
import jax.numpy as jnp
import orbax.checkpoint as ocp

STEPS, SAVE_EVERY, SECONDS_A_STEP = 150, 50, float(os.environ.get("SECONDS_A_STEP", "0.05"))
checkpoints = Path(os.environ["REPRISE_CHECKPOINT_DIR"])
asked_to_stop = False


def stop(_signal, _frame):
    global asked_to_stop
    asked_to_stop = True


def predict(weights, rows):
    return jnp.tanh(rows @ weights["in"]) @ weights["out"]


@jax.jit
def train(state):
    """One step: gradient descent with momentum, on rows that the state's own key draws."""
    key, now = jax.random.split(state["key"])
    rows = jax.random.normal(now, (16, 8))
    wanted = jnp.sin(rows.sum(axis=1, keepdims=True))
    loss, gradients = jax.value_and_grad(lambda weights: jnp.mean((predict(weights, rows) - wanted) ** 2))(state["weights"])
    momenta = jax.tree.map(lambda momentum, gradient: 0.9 * momentum + gradient, state["momenta"], gradients)
    weights = jax.tree.map(lambda weight, momentum: weight - 0.01 * momentum, state["weights"], momenta)
    return {"weights": weights, "momenta": momenta, "key": key}, loss


def save(manager, step, state):
    manager.save(step, args=ocp.args.StandardSave(state))
    manager.wait_until_finished()
    (checkpoints / str(step) / "_COMPLETE").touch()  # last: without it the checkpoint does not count


first, second, key = jax.random.split(jax.random.PRNGKey(0), 3)
weights = {"in": jax.random.normal(first, (8, 32)) / 3, "out": jax.random.normal(second, (32, 1)) / 6}
state = {"weights": weights, "momenta": jax.tree.map(jnp.zeros_like, weights), "key": key}
manager = ocp.CheckpointManager(checkpoints)
step = 0
if resume_from := os.environ.get("REPRISE_RESUME_FROM"):
    step = int(Path(resume_from).name)
    state = manager.restore(step, args=ocp.args.StandardRestore(state))

signal.signal(signal.SIGTERM, stop)
while step < STEPS:
    time.sleep(SECONDS_A_STEP)  # the work of a larger model
    state, loss = train(state)
    step += 1
    print(f"step {step} loss {loss:.6f}", flush=True)
    if asked_to_stop or step % SAVE_EVERY == 0 or step == STEPS:
        save(manager, step, state)
    if asked_to_stop and step < STEPS:
        sys.exit(143)
