"""JAX with Orbax's CheckpointManager, as its manual has it: it resumes from the newest step by itself and saves on SIGTERM."""

import os
import time

import jax
import jax.numpy as jnp
import orbax.checkpoint as ocp

STEPS, SAVE_EVERY, SECONDS_A_STEP = 300, 50, float(os.environ.get("SECONDS_A_STEP", "0.05"))


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


jax.distributed.initialize("127.0.0.1:29400", num_processes=1, process_id=0)  # this notices SIGTERM
first, second, key = jax.random.split(jax.random.PRNGKey(0), 3)
weights = {"in": jax.random.normal(first, (8, 32)) / 3, "out": jax.random.normal(second, (32, 1)) / 6}
state = {"weights": weights, "momenta": jax.tree.map(jnp.zeros_like, weights), "key": key}

with ocp.CheckpointManager(os.environ["REPRISE_CHECKPOINT_DIR"], options=ocp.CheckpointManagerOptions(save_interval_steps=SAVE_EVERY)) as manager:
    step = manager.latest_step() or 0
    if step:
        state = manager.restore(step, args=ocp.args.StandardRestore(state))
    while step < STEPS:
        time.sleep(SECONDS_A_STEP)  # the work of a larger model
        state, loss = train(state)
        step += 1
        print(f"step {step} loss {loss:.6f}", flush=True)
        manager.save(step, args=ocp.args.StandardSave(state))  # every SAVE_EVERY steps, and when SIGTERM has come
        if manager.reached_preemption(step):
            break
