# SPDX-License-Identifier: Apache-2.0
"""Loops of large bodies, whose turns write into what they carry: who else has the array."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

# Of more elements than a loop that becomes one dispatch may handle at once.
WIDTH = 40_000
ROWS = 6


def turns(body, *start, n=4):
    return lax.fori_loop(0, n, lambda i, state: body(i, *state), start)


def halved(i, a):
    return a.at[i].set(a[i] * 0.5 + i)


PROGRAMS = {
    "rows": lambda x, y: lax.scan(lambda c, r: (c + r, c), y, x),
    "rows, twice": lambda x, y: lax.scan(lambda c, r: (c + r, (c, c)), y, x),
    "rows of two kinds": lambda x, y: lax.scan(lambda c, r: (c * 0.5 + r, (c, c + y)), y, x),
    "rows from the end": lambda x, y: lax.scan(lambda c, r: (c - r, c), y, x, reverse=True),
    "columns": lambda x, y: turns(lambda i, a: (a.at[:, i].set(a[:, i + 1] + 1),), x),
    "into an input": lambda x, y: (turns(lambda i, a: (halved(i, a),), x), x + 1),
    "into what is used later": lambda x, y: (turns(lambda i, a: (halved(i, a),), x * y), x * y),
    "two loops from one start": lambda x, y: [
        turns(lambda i, a: (halved(i, a),), x + y),
        turns(lambda i, a: (halved(i + 1, a),), x + y),
    ],
    "two of one start": lambda x, y: turns(
        lambda i, a, b: (halved(i, a), halved(i + 1, b)), x * y, x * y
    ),
    "exchanged": lambda x, y: turns(lambda i, a, b: (halved(i, b), a), x, x + y),
    "in a circle": lambda x, y: turns(lambda i, a, b, c: (b, halved(i, c), a), x, x + y, x - y),
    "one left in two places": lambda x, y: turns(lambda i, a, b: (halved(i, a + b),) * 2, x, x + y),
    "old and new": lambda x, y: turns(lambda i, a, b: (halved(i, a), a), x, x + y),
    "read before and after": lambda x, y: turns(
        lambda i, a, s: (a.at[i].set(a[0] + 1), s + a[i] + a[5 - i]), x, y
    ),
    "no turn": lambda x, y: turns(lambda i, a, b: (halved(i, b), a), x, x + y, n=0),
    "no turn, as it turns out": lambda x, y: turns(
        lambda i, a, b: (halved(i, b), a), x, x + y, n=jnp.int32(x[0, 0] * 0)
    ),
    "ends when it is done": lambda x, y: lax.while_loop(
        lambda s: (s[0] < 4) & (s[1][0, 0] < 9), lambda s: (s[0] + 1, halved(s[0], s[1])), (0, x)
    ),
    "in a loop": lambda x, y: turns(
        lambda i, a, b: (turns(lambda j, c: (halved(j, c) + y,), b)[0], halved(i, a)), x, x + y
    ),
    "in a loop without a turn": lambda x, y: turns(
        lambda i, a: (turns(lambda j, c: (halved(j, c),), a, n=i)[0],), x
    ),
    "of a branch": lambda x, y: turns(
        lambda i, a: (lax.cond(i > 1, lambda a: halved(i, a), lambda a: a, a),), x
    ),
    "one that stays": lambda x, y: turns(lambda i, a, b: (halved(i, a + b), b), x, x + y),
    "one from outside": lambda x, y: turns(lambda i, a, b: (halved(i, a + b), x), x + y, x - y),
    "gradient": lambda x, y: jax.grad(
        lambda x: lax.scan(lambda c, r: (jnp.sin(c) * r, c), y, x)[1].sum()
    )(x),
}


@pytest.mark.parametrize("start", range(6))
def test_turns_write_only_into_what_is_theirs(on_both, start):
    """Several programs at once: compiling takes the time."""
    programs = list(PROGRAMS.values())[start::6]
    x = np.linspace(-1, 1, ROWS * WIDTH).reshape(ROWS, WIDTH).astype(np.float32)
    y = np.cos(np.arange(WIDTH)).astype(np.float32)
    # Twice: what was written into must not have been an input.
    for _ in range(2):
        for here, there in on_both(lambda x, y: [f(x, y) for f in programs], x, y):
            np.testing.assert_allclose(here, there, rtol=1e-5, atol=1e-5)


def test_a_donated_array_is_written_into(device):
    """And one that is not donated is left alone."""
    rows = np.zeros((ROWS, WIDTH), np.float32)

    def program(a):
        return turns(lambda i, a: (a.at[i].set(a[i] + i + 1),), a, n=ROWS)[0]

    wanted = rows + np.arange(1, ROWS + 1)[:, None]
    with jax.default_device(device):
        kept, given = jnp.asarray(rows), jnp.asarray(rows)
        np.testing.assert_array_equal(jax.jit(program)(kept), wanted)
        np.testing.assert_array_equal(jax.jit(program, donate_argnums=0)(given), wanted)
        np.testing.assert_array_equal(kept, rows)
