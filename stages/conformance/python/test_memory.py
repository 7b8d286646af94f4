# SPDX-License-Identifier: Apache-2.0
"""Ten thousand calls of every kind, and training, leave the process as large as it was."""

import pytest

RESIDENT = """
import gc, os

def resident():
    gc.collect()
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 2**20
"""

# Launches, transfers, failures; now and then a program is loaded, run and dropped.
MIXED = """
import sys, jax, jax.numpy as jnp, numpy as np
from jax.experimental.serialize_executable import deserialize_and_load, serialize

leaky = bool(int(sys.argv[1]))
leaked = []
add = jax.jit(lambda a, b: a + b)
host = np.ones((64, 64), np.float32)
device = jax.device_put(host)
gone = jnp.zeros((64, 64))
gone.delete()
parts = serialize(jax.jit(lambda a: jnp.tanh(a) @ a).lower(device).compile())

def fail():
    try:
        add(gone, gone)
    except RuntimeError:
        return
    raise AssertionError("it did not fail")

def calls(count, first):
    for number in range(first, first + count):
        kind = number % 5
        if kind < 3:
            add(device, device)
        elif kind == 3:
            np.asarray(jax.device_put(host))
        else:
            fail()
        if leaky:
            leaked.append(add(device, device))
        if number % 250 == 0:
            deserialize_and_load(*parts)(device)

calls(3000, 0)
before = resident()
calls(10000, 3000)
print(resident() - before)
"""

MEBIBYTES = 16


@pytest.mark.parametrize("leaky", [0, 1], ids=["flat", "a_planted_leak_is_seen"])
def test_ten_thousand_mixed_calls(run_script, leaky):
    grown = float(run_script(RESIDENT + MIXED, leaky).stdout)
    assert (grown < MEBIBYTES) != bool(leaky), grown


# With `leaky`, each step keeps a copy of some weights.
TRAINING = """
import functools, sys, jax, jax.numpy as jnp, numpy as np

def loss(weights, x):
    y = functools.reduce(lambda y, w: jnp.tanh(y @ w), weights, x)
    return jnp.mean((y - jnp.sin(x)) ** 2)

@functools.partial(jax.jit, donate_argnums=0)
def step(state, x):
    weights, mean, square = state
    value, gradient = jax.value_and_grad(loss)(weights, x)
    mean = [0.9 * m + 0.1 * g for m, g in zip(mean, gradient)]
    square = [0.99 * s + 0.01 * g * g for s, g in zip(square, gradient)]
    updated = [w - 1e-3 * m / (jnp.sqrt(s) + 1e-8) for w, m, s in zip(weights, mean, square)]
    return (updated, mean, square), value

leaky = bool(int(sys.argv[1]))
leaked = []
rng = np.random.default_rng(0)
x = rng.standard_normal((8, 128), np.float32)
weights = [rng.standard_normal((128, 128), np.float32) / 12 for _ in range(2)]
first = loss(weights, x)
state = (jax.device_put(weights), *(jax.device_put([w * 0 for w in weights]) for _ in range(2)))
for turn in range(2000):
    if turn == 500:
        before = resident()
    state, value = step(state, x)
    if leaky:
        leaked.append(state[0][0] + 0)
assert value < first / 2, (first, value)
print(resident() - before)
"""


@pytest.mark.parametrize("leaky", [0, 1], ids=["flat", "a_planted_leak_is_seen"])
def test_training_with_donated_state(run_script, leaky):
    grown = float(run_script(RESIDENT + TRAINING, leaky).stdout)
    assert (grown < MEBIBYTES) != bool(leaky), grown
