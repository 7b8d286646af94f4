# SPDX-License-Identifier: Apache-2.0
"""Loops and branches that the IREE compiler gets wrong, refuses or does not survive."""

from functools import partial

import jax
import jax.numpy as jnp
import jax.scipy.optimize
import numpy as np
import pytest
from jax import lax


def test_a_loop_whose_values_are_not_all_needed():
    """The loop in igamma carries fifteen values, of which one is used."""
    a = np.array([[0.5, 1, 2.5], [3, 1.5, 0.2]], np.float32)
    x = np.array([[0.1, 0.5, 0.9], [0.2, 0.3, 0.7]], np.float32)
    want = [[0.34527916, 0.39346933, 0.12393155], [0.00114848, 0.10356757, 0.91521980]]
    np.testing.assert_allclose(jax.jit(lax.igamma)(a, x), want, rtol=1e-4)


def test_a_loop_over_a_count_that_is_an_input():
    spin = jax.jit(lambda x, n: lax.fori_loop(0, n, lambda _, y: y + 1, x))
    for turns in (0, 1, 300):
        np.testing.assert_array_equal(spin(jnp.zeros(5), turns), np.full(5, turns))


def test_a_loop_in_a_loop():
    def outer(i, c):
        return lax.while_loop(lambda s: s[0] < i, lambda s: (s[0] + 1, s[1] + s[0]), (0, c))[1]

    got = jax.jit(lambda n: lax.fori_loop(0, n, outer, 0))(6)
    assert got == sum(sum(range(i)) for i in range(6))


def turns(start):
    return lax.fori_loop(0, 3, lambda _, c: c * 1.1, start)


def inner(c):
    return turns(jnp.sin(c)) - jnp.sin(c)


# The value from which the loop starts is used after the loop, too.
SHARED_STARTS = {
    "as it is": inner,
    "changed": lambda x: turns(jnp.sin(x) * 2) - jnp.sin(x),
    "of several": lambda x: (
        lax.fori_loop(0, 3, lambda _, c: (c[0] * 1.1, c[1] + c[0]), (jnp.sin(x), jnp.cos(x)))[1]
        - jnp.sin(x) * jnp.cos(x)
    ),
    "scan": lambda x: (
        lax.scan(lambda c, y: (c + y, c * y), jnp.sin(x), x[:4, None] * x)[0] - jnp.sin(x)
    ),
    "while": lambda x: (
        lax.while_loop(lambda c: c[0] < 2, lambda c: c * 1.5, jnp.cos(x)) - jnp.cos(x)
    ),
    "in a loop": lambda x: lax.fori_loop(0, 3, lambda _, c: inner(c), x),
    "constant": lambda x: turns(jnp.ones_like(x)) * x - jnp.ones_like(x),
    "reduced": lambda x: turns(jnp.sin(x).sum()) - jnp.sin(x),
    "gradient": jax.grad(lambda x: jnp.sum(inner(x) ** 2)),
}


@pytest.mark.combined(size=[8, 1000, 100000], name=SHARED_STARTS)
def test_loops_whose_start_is_used_afterwards(check, name, size):
    check(name, SHARED_STARTS[name], np.linspace(0.1, 1, size, dtype=np.float32))


def test_loops_that_use_what_is_computed_outside():
    values = jax.jit(jax.scipy.special.expi)(np.float32([0.5, 1, 3]))
    np.testing.assert_allclose(values, [0.4542199, 1.8951178, 9.933833], rtol=1e-5)


def test_branches_that_return_one_value_several_times():
    branches = [lambda x: (x, x), lambda x: (2 * x, 4 * x), lambda x: (x, -x)]

    def program(x):
        return lax.switch(lax.convert_element_type(x, np.int32), branches, x)

    for x, wants in [(0.7, (0.7, 0.7)), (1.5, (3, 6)), (2.5, (2.5, -2.5))]:
        values, tangents = jax.jvp(program, (np.float32(x),), (np.float32(x),))
        np.testing.assert_allclose(values, wants, rtol=1e-6)
        np.testing.assert_allclose(tangents, wants, rtol=1e-6)


# Few numbers are a dispatch, for many each turn is queued.
@pytest.mark.parametrize("count", [4, 300_000])
@pytest.mark.parametrize("dtype", [np.float32, np.complex64])
def test_loops_four_deep(dtype, count):
    goal = np.resize(np.array([1, 2, 4, -5], dtype), count)
    goal = goal * (1 if dtype is np.float32 else 1 + 1j)

    @jax.jit
    def minimize(start):
        return jax.scipy.optimize.minimize(
            lambda x: jnp.real(jnp.dot(jnp.conj(x - goal), x - goal)),
            start,
            method="l-bfgs-experimental-do-not-rely-on-this",
        ).x

    np.testing.assert_allclose(minimize(jnp.zeros(count, dtype)), goal, rtol=1e-4)


def test_a_stack_of_parts_of_a_matrix():
    """Takes a matrix apart into halves of its diagonal, in arrays of several sizes."""
    size = 16

    def inside(array, bounds):
        indices = (lax.broadcasted_iota(jnp.int32, array.shape, i) for i in range(2))
        rows, columns = (index < bound for index, bound in zip(indices, bounds, strict=True))
        return rows & columns

    def take(array, start, bounds, shape):
        part = lax.dynamic_slice(jnp.pad(array, [(0, s) for s in shape]), start, shape)
        return jnp.where(inside(part, bounds), part, 0)

    def put(array, part, start, bounds):
        padded = jnp.pad(array, [(0, s) for s in part.shape])
        old = lax.dynamic_slice(padded, start, part.shape)
        new = jnp.where(inside(part, bounds), part, old)
        return lax.dynamic_update_slice(padded, new, start)[: array.shape[0], : array.shape[1]]

    def halve(bucket, offset, n, stack, top, blocks):
        h = take(blocks, (offset, 0), (n, n), (bucket, bucket))

        def leaf(stack, top, blocks):
            return stack, top, put(blocks, jnp.diag(h)[:, None], (offset, 0), (n, 1))

        def split(stack, top, blocks):
            product = lax.fori_loop(0, 3, lambda _, g: g @ jnp.eye(bucket), h)
            half, rest = n // 2, n - n // 2
            first = take(product, (0, 0), (half, half), (bucket, bucket))
            second = take(product, (half, half), (rest, rest), (bucket, bucket))
            blocks = put(blocks, first, (offset, 0), (half, half))
            blocks = put(blocks, second, (offset + half, 0), (rest, rest))
            stack = stack.at[top].set(jnp.stack([offset, half]))
            stack = stack.at[top + 1].set(jnp.stack([offset + half, rest]))
            return stack, top + 2, blocks

        return lax.cond(n <= 1, leaf, split, stack, top, blocks)

    @jax.jit
    def diagonal(matrix):
        buckets = np.array([size, size // 2, size // 4])

        def body(state):
            stack, top, blocks = state
            offset, n = stack[top - 1]
            which = jnp.argmin(jnp.where(buckets < n, 2**30, buckets))
            branches = [partial(halve, int(bucket)) for bucket in buckets]
            return lax.switch(which, branches, offset, n, stack, top - 1, blocks)

        stack = jnp.zeros((size + 1, 2), jnp.int32).at[0].set(np.array([0, size]))
        return lax.while_loop(lambda state: state[1] > 0, body, (stack, 1, matrix))[2][:, 0]

    matrix = np.arange(size * size, dtype=np.float32).reshape(size, size)
    np.testing.assert_array_equal(diagonal(matrix), np.diag(matrix))
