# SPDX-License-Identifier: Apache-2.0
"""Arrays that are written in place beside others that still read them."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

READERS = {
    "flipped": lambda v: jnp.flip(v, 1),
    "transposed": lambda v: v.T + 0,
    "summed": lambda v: (v.sum(0), v.max()),
    "multiplied": lambda v: v @ v[:3].T,
    "sorted": lambda v: jnp.sort(v, 1),
    "a part": lambda v: v[1:, ::2] * 3,
    "taken": lambda v: v[jnp.asarray([2, 0, 2])],
}
WRITERS = {
    "a slice of itself": lambda v, i: v.at[1:].set(v[1:] + v[1:]),
    "a row": lambda v, i: v.at[i].set(7.0),
    "added": lambda v, i: v.at[jnp.asarray([3, 0, 3])].add(1.0),
    "a window": lambda v, i: lax.dynamic_update_slice(v, v[:2, :2] * 5, (i, i)),
    "in turns": lambda v, i: lax.fori_loop(0, 4, lambda k, u: u.at[k].add(u[k + 1]), v),
}


def in_steps(x):
    """What is computed one after another beside the rest, and so decides when that is done."""
    return jnp.max(x.T @ jnp.abs(x @ jnp.flip(x[0])))


def after_a_branch(read, write, x, i):
    v = jnp.sort(x, 0)
    chosen = lax.cond(v.sum() > 0, lambda q: q, lambda q: q + q, x[0])
    return chosen, read(v), write(v, i), in_steps(x)


PLACES = {
    "beside": lambda read, write, x, i: (lambda v: (read(v), write(v, i), in_steps(x)))(
        jnp.sort(x, 0)
    ),
    "before": lambda read, write, x, i: (lambda v: (in_steps(x), write(v, i), read(v)))(
        x @ x.T[:, :9]
    ),
    "after a branch": after_a_branch,
    "in a loop": lambda read, write, x, i: lax.scan(
        lambda v, k: (write(v, k), (read(v), in_steps(x * k))), jnp.sort(x, 0), jnp.arange(3)
    ),
    "argument": lambda read, write, x, i: (read(x), write(x, i), in_steps(x)),
}


@pytest.mark.combined(place=PLACES, reader=READERS, writer=WRITERS)
def test_what_is_read_is_not_yet_written(place, reader, writer, on_both):
    def program(x, i):
        return PLACES[place](READERS[reader], WRITERS[writer], x, i)

    x = np.random.default_rng(0).integers(-9, 10, (9, 9)).astype(np.float32)
    large = np.random.default_rng(1).integers(-9, 10, (101, 101)).astype(np.float32)
    for array in (x, large):
        for got, want in on_both(program, array, np.int32(1)):
            np.testing.assert_array_equal(got, want)


@pytest.mark.parametrize("writer", WRITERS)
def test_donated(writer, device, cpu):
    def program(x, i):
        return [read(x) for read in READERS.values()], WRITERS[writer](x, i), in_steps(x)

    x = np.random.default_rng(0).integers(-9, 10, (64, 64)).astype(np.float32)
    results = [
        jax.tree.leaves(jax.jit(program, donate_argnums=0)(jax.device_put(x, where), np.int32(1)))
        for where in (device, cpu)
    ]
    for got, want in zip(*results, strict=True):
        np.testing.assert_array_equal(got, want)
