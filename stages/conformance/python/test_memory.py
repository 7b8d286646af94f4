# SPDX-License-Identifier: Apache-2.0
"""Ten thousand calls of every kind leave the process as large as it was."""

import pytest

# Launches, transfers, failures; now and then a program is loaded, run and dropped.
MIXED = """
import gc, os, sys, jax, jax.numpy as jnp, numpy as np
from jax.experimental.serialize_executable import deserialize_and_load, serialize

def resident():
    gc.collect()
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 2**20

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
    grown = float(run_script(MIXED, leaky).stdout)
    assert (grown < MEBIBYTES) != bool(leaky), grown
