# SPDX-License-Identifier: Apache-2.0
"""Values that loops and branches hand out unchanged stay as they are while others read them.

IREE would, and the caller's array changed.
"""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

ROWS = np.arange(15, dtype=np.uint8).reshape(5, 3) + 1


def itself(x):
    return x


def doubled(x):
    return x * np.uint8(2)


def below(x, p):
    return lax.fori_loop(0, p * 3, lambda i, c: doubled(c), x).at[2].set(x[0])


def no_turn(x, p):
    return lax.while_loop(lambda c: (c[0, 0] > 50) | (p > 9), doubled, x).at[2].set(x[0])


def switch(x, p):
    return lax.switch(p, [itself, doubled, itself], x).at[2].set(x[0])


def branch(x, p):
    return lax.cond(p > 0, doubled, itself, x).at[2].set(x[0])


def update_slice(x, p):
    y = lax.cond(p > 0, doubled, itself, x)
    return lax.dynamic_update_slice(y, y[:1], (p + 2, 0))


def branch_in_branch(x, p):
    def inner(x):
        return lax.cond(x[0, 0] > 0, itself, doubled, x)

    return lax.cond(p > 0, doubled, inner, x).at[2].set(x[0])


def of_what_is_computed(x, p):
    z = doubled(x)
    y = lax.cond(p > 0, doubled, itself, z)
    return y.at[2].set(y[0]), z, z.sum(1)


def one_after_the_other(x, p):
    z = doubled(x)
    a = lax.cond(p > 0, doubled, itself, z)
    b = lax.while_loop(lambda c: c[0, 0] > 200, doubled, a)
    c = lax.cond(p > 0, doubled, itself, b)
    return c.at[0].set(c[1]), z.sum(0), a.sum(1)


def two_branches(x, p):
    z = doubled(x)
    a = lax.cond(p > 0, doubled, itself, z)
    b = lax.cond(p > 0, itself, doubled, z)
    return a.at[0].set(b[1]), b.at[1].set(a[0]), a, b


def in_a_scan(x, p):
    def body(c, i):
        y = lax.cond(i + p > 7, doubled, itself, x)
        return c + y.at[2].set(y[0]), c.sum()

    return lax.scan(body, x, jnp.arange(3))


def carried_into_the_next_turn(x, p):
    z = doubled(x)

    def body(i, c):
        c = lax.cond(c[0, 0] > i, lambda c: z, itself, c)
        return c.at[i].set(doubled(c[1]))

    return lax.fori_loop(0, 3 + p, body, x), z


def two_names_in_a_loop(x, p):
    def body(i, c):
        a = c[0].at[2].set(c[1][1] + i.astype(np.uint8))
        return a, a

    a, b = lax.fori_loop(0, 3 + p, body, (x, x))
    return a.at[0].set(b[3]), b


def constant(x, p):
    table = jnp.asarray(ROWS[::-1].copy())
    a = lax.cond(p > 0, itself, lambda x: table, x)
    return a.at[0].set(a[1]), table[0] + a[0]


def written_where_it_came_from(x, p):
    z = x.max(0)
    branch = lax.cond(p > 0, doubled, itself, z)
    return lax.fori_loop(0, p, lambda i, c: doubled(c), z), branch, jnp.sort(z)


def read_by_a_loop_before(x, p):
    z = doubled(x)
    total = lax.scan(lambda c, row: (c + row, None), z[0], z)[0]
    return total, z.at[3 + p].set(z[0])


def written_in_some_turns(x, p):
    def body(i, c):
        return lax.cond(i % 2 == 0, lambda c: c.at[i].set(doubled(c[1])), itself, c)

    return lax.fori_loop(0, 4 + p, body, x)


PROGRAMS = [
    below,
    no_turn,
    switch,
    branch,
    update_slice,
    branch_in_branch,
    of_what_is_computed,
    one_after_the_other,
    two_branches,
    in_a_scan,
    carried_into_the_next_turn,
    two_names_in_a_loop,
    constant,
    written_where_it_came_from,
    read_by_a_loop_before,
    written_in_some_turns,
]


@pytest.mark.parametrize("p", [0, 1])
@pytest.mark.parametrize("program", PROGRAMS)
def test_is_read_elsewhere(program, p, cpu):
    with jax.default_device(cpu):
        expected = jax.tree.leaves(jax.jit(program)(ROWS, p))
    x = jnp.asarray(ROWS)
    got = jax.tree.leaves(jax.jit(program)(x, p))
    np.testing.assert_array_equal(x, ROWS)
    for ours, theirs in zip(got, expected, strict=True):
        np.testing.assert_array_equal(ours, theirs)


def test_results_that_are_one_array_outlive_a_donation():
    one, other = jax.jit(lambda x, p: (lax.cond(p, doubled, itself, x + 1), x + 1))(ROWS, False)
    jax.jit(lambda x: x.at[2].set(9), donate_argnums=0)(one)
    np.testing.assert_array_equal(other, ROWS + 1)


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16, np.uint32])
def test_loops_that_write_into_unsigned_arrays(dtype, cpu):
    def body(i, c):
        c = c.at[i].max(c[1] * dtype(3)).at[0].add(dtype(200))
        return lax.sort((c, c + dtype(1)), dimension=0)[1].at[c[0, 0] % dtype(5)].set(c[2])

    x = ROWS.astype(dtype)
    with jax.default_device(cpu):
        expected = jax.jit(lambda x: lax.fori_loop(0, 4, body, x))(x)
    np.testing.assert_array_equal(jax.jit(lambda x: lax.fori_loop(0, 4, body, x))(x), expected)
