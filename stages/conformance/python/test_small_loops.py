# SPDX-License-Identifier: Apache-2.0
"""Loops of small bodies, which are one dispatch on memory: what may share memory of theirs."""

import time

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax


def turns(body, *start, n=5):
    return lax.fori_loop(0, n, lambda i, state: body(i, *state), start)


def ragged(x):
    """Each row stops at another turn."""
    ends = jnp.array([0, 3, 1, 7])

    def row(end, y):
        return lax.while_loop(lambda s: s[0] < end, lambda s: (s[0] + 1, s[1] * 1.5), (0, y))

    return jax.vmap(row)(ends, x[:4])


def lstm(x, w):
    def step(state, now):
        h, c = state
        i, f, g = jnp.split(jnp.concatenate([now, h]) @ w, 3)
        c = jax.nn.sigmoid(f) * c + jax.nn.sigmoid(i) * jnp.tanh(g)
        return (jnp.tanh(c), c), h

    start = jnp.zeros_like(x[0])
    return lax.scan(step, (start, start), x)


def chosen(x):
    def step(c, e):
        c = lax.cond(e > 0, lambda c: c.at[1].set(c[0] * e), lambda c: c[::-1], c)
        return lax.switch(jnp.int32(e * 3), [jnp.sin, lambda c: c + 1, lambda c: c], c), c

    return lax.scan(step, x[:4], x[4:])


PROGRAMS = {
    "exchanged": lambda x, y: turns(lambda i, a, b: (b, a), x, y),
    "exchanged and changed": lambda x, y: turns(lambda i, a, b: (b + i, a * 0.5), x, y),
    "in a circle": lambda x, y: turns(lambda i, a, b, c: (b, c, a), x, y, x + y),
    "twice": lambda x, y: turns(lambda i, a, b: (a + b, a + b), x, y),
    "old and new": lambda x, y: turns(lambda i, a, b: (a.at[i].set(b[i]), a), x, y),
    "read after it was written": lambda x, y: turns(
        lambda i, a, b: (a.at[i].add(1), a.at[i + 1].set(9) + b), x, y
    ),
    "into itself": lambda x, y: turns(
        lambda i, a, b: (a.at[1:].set(a[:-1]), lax.dynamic_update_slice(b, b[2:5], (i,))), x, y
    ),
    "backwards": lambda x, y: turns(lambda i, a, b: (a[::-1], jnp.roll(b, 1) + a), x, y),
    "one place again and again": lambda x, y: turns(
        lambda i, a: (a.at[jnp.array([1, 1, 2])].add(a[:3]),), x
    ),
    "the start is used later": lambda x, y: (turns(lambda i, a: (a * 0.5,), x + y), x + y),
    "two loops from one start": lambda x, y: (
        turns(lambda i, a: (a.at[i].set(0),), x + y),
        turns(lambda i, a: (a.at[i].add(3),), x + y),
    ),
    "one after the other": lambda x, y: turns(
        lambda i, a: (a + y,), turns(lambda i, a: (a * 0.5,), x)[0] - x
    ),
    "no turn": lambda x, y: turns(lambda i, a, b: (b, a + 1), x, y, n=0),
    "no turn, as it turns out": lambda x, y: turns(
        lambda i, a, b: (b, a + 1), x, y, n=jnp.int32(x[0] * 0)
    ),
    "in a loop": lambda x, y: turns(
        lambda i, a, b: (turns(lambda j, c: (c.at[j].add(a[i]),), b)[0], a + b), x, y
    ),
    "in a loop, of what it changes": lambda x, y: turns(
        lambda i, a: (turns(lambda j, c: (c.at[j].set(c[j + 1] * 0.5),), a)[0],), x
    ),
    "rows": lambda x, y: lax.scan(lambda c, r: (c + r, (c, r[::-1])), y, x[:, None] * y),
    "rows from the end": lambda x, y: lax.scan(
        lambda c, r: (c * 0.5 + r, c.sum()), y, x[:, None] * y, reverse=True
    ),
    "ends that differ": lambda x, y: ragged(x),
    "branches": lambda x, y: chosen(x),
    "gradient": lambda x, y: jax.grad(
        lambda x: lax.scan(lambda c, e: (jnp.sin(c) * e + y, c), y, x)[1].sum()
    )(x),
    "gradient of an LSTM": lambda x, y: jax.grad(lambda w: lstm(x[:, None] * y, w)[1].sum())(
        jnp.outer(jnp.tile(y, 2), jnp.tile(x, 3))
    ),
}


@pytest.mark.parametrize("start", range(4))
def test_values_share_memory_only_while_one_of_them_is_needed(on_both, start):
    """Several programs at once: compiling takes the time."""
    programs = list(PROGRAMS.values())[start::4]
    x = np.linspace(-1, 1, 8).astype(np.float32)
    y = np.cos(np.arange(8)).astype(np.float32)
    for here, there in on_both(lambda x, y: [f(x, y) for f in programs], x, y):
        np.testing.assert_allclose(here, there, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("types", [("int8", "uint8", "uint32"), ("bfloat16", "float16", "bool")])
def test_types(on_both, types):
    def program(*arrays):
        def body(i, state):
            a, b = state
            a = a ^ b if a.dtype == bool else a * 3 + b
            return jnp.where(a > b, b, a), a.at[i].set(b[i + 1])

        return [lax.fori_loop(0, 5, body, (a, a[::-1])) for a in arrays]

    numbers = np.arange(8) * 37 % 11
    arrays = [jnp.asarray(numbers > 4 if t == "bool" else numbers).astype(t) for t in types]
    for here, there in on_both(program, *arrays):
        np.testing.assert_array_equal(np.asarray(here), np.asarray(there))


def test_complex_numbers(on_both):
    z = (np.linspace(-1, 1, 8) + 0.5j).astype(np.complex64)
    for here, there in on_both(
        lambda z: lax.scan(lambda c, e: (c * e + z, jnp.abs(c)), z, z * 0.9), z
    ):
        np.testing.assert_allclose(here, there, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("n", [1_000, 1_000_000])
def test_sums_of_rows(on_both, n):
    x = np.random.default_rng(0).normal(size=(100, n // 100)).astype(np.float32)
    for here, there in on_both(
        lambda x: lax.scan(lambda c, r: (c + r, (c[:3], r.sum())), x[0], x), x
    ):
        np.testing.assert_allclose(here, there, rtol=1e-4, atol=1e-3)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_sums_along_memory(same, dtype):
    """Of lengths that are split into sums side by side, and of others."""
    lengths = [8, 33, 40, 130, 160]

    def program(matrices):
        def step(c, i):
            sums = [(m * c).sum(1) for m in matrices]
            products = [(m * c) @ m.T for m in matrices]
            return c + 1, (sums, products, [jnp.einsum("ik,ik->i", m, m) for m in matrices])

        return lax.scan(step, jnp.ones((), dtype), jnp.arange(3))

    matrices = [(np.arange(3 * n).reshape(3, n) % 7 - 3).astype(np.float32) for n in lengths]
    with jax.enable_x64(True):
        arrays = [jnp.asarray(m).astype(dtype) for m in matrices]
        # Whole numbers: sums are exact.
        same(program, arrays)


@pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "bfloat16"])
def test_sums_across_memory(same, dtype):
    """Of lengths that are unrolled, and of others; whole numbers, so that sums are exact."""

    def of(c, m, r):
        products = (m + c) @ r, (m.T @ m * c).T, jnp.einsum("bik,bkj->bji", m[None] * c, r[None])
        return products, m.sum(0), (r * c).max(0), r.argmin(0), (r > c).any(0)

    def program(pairs):
        def step(c, i):
            return c + 1, [of(c, m, r) for m, r in pairs]

        return lax.scan(step, jnp.ones((), dtype), jnp.arange(3))

    with jax.enable_x64(True):
        pairs = []
        for n in (1, 2, 7, 8, 11, 12, 24):
            whole = (jnp.arange(5 * n) % 5 - 2).astype(dtype)
            pairs.append((whole.reshape(5, n), whole.reshape(n, 5)))
        same(program, pairs)


def test_the_order_of_terms_stays(same):
    """What is added up in another order is rounded otherwise."""

    def program(x):
        def step(c, i):
            return c, lax.reduce(x * c, np.float32(0), lax.add, (0,))

        return lax.scan(step, jnp.float32(1), jnp.arange(2))[1]

    magnitudes = 10.0 ** (np.arange(24) % 7)
    x = np.random.default_rng(1).normal(size=(24, 3)) * magnitudes[:, None]
    same(program, x.astype(np.float32))


def test_large_arrays_that_start_as_one_number(on_both):
    """They are not on the stack as well."""

    def program(x):
        def step(c, row):
            return c * 0.5 + row, (c, c > row)

        return lax.scan(step, jnp.zeros_like(x[0]), x), turns(
            lambda i, a, b: (a.at[i].set(x[i]), b + a[0, 0]), jnp.ones_like(x), jnp.zeros(())
        )

    x = np.random.default_rng(0).normal(size=(30, 9_000)).astype(np.float32)
    for here, there in on_both(program, x):
        np.testing.assert_allclose(here, there, rtol=1e-5, atol=1e-5)


def test_a_turn_takes_no_microsecond(device):
    """With the queue of a device in it, each takes several."""
    with jax.default_device(device):
        loop = jax.jit(lambda x: lax.fori_loop(0, 1_000_000, lambda i, c: c * 0.5 + i, x))
        loop(1.0).block_until_ready()
        start = time.perf_counter()
        loop(1.0).block_until_ready()
        assert time.perf_counter() - start < 1
