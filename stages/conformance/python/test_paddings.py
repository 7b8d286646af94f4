# SPDX-License-Identifier: Apache-2.0
"""What is padded twice, at its ends and between its elements, and gradients of slices of slices.

A family: IREE makes one step of two, and forgot how far apart the elements are.
"""

import itertools

import jax
import numpy as np
import pytest
from jax import lax

ROWS = np.arange(30, dtype=np.float32).reshape(5, 6) + 1
PADDINGS = [(2, 2, 1), (1, 0, 0), (-1, 2, 2), (0, -1, 1)]


def pad(x, first, second=(0, 0, 0), value=0):
    return lax.pad(x, np.float32(value), (first, second))


WAYS = {
    "in turn": lambda x, first, then: pad(pad(x, first), then),
    "of one dimension each": lambda x, first, then: pad(pad(x, first), (0, 0, 0), then),
    "turned between": lambda x, first, then: pad(pad(x, first).T, then),
    "with ones": lambda x, first, then: pad(pad(x, first, value=1), then, value=1),
    "a function first": lambda x, first, then: pad(jax.jit(lambda x: pad(x, first))(x), then),
    "a function then": lambda x, first, then: jax.jit(lambda x: pad(x, then))(pad(x, first)),
    "in a loop": lambda x, first, then: lax.fori_loop(
        0, 2, lambda _, y: pad(pad(y, first), then)[: x.shape[0]] + x, x
    ),
}


@pytest.mark.parametrize("way", WAYS)
def test_paddings_of_what_is_padded(way, same):
    pairs = list(itertools.product(PADDINGS, repeat=2))
    if way == "in a loop":  # only what grows
        pairs = [((1, 2, 1), (0, 1, 1)), ((2, 3, 0), (0, 0, 1)), ((0, 2, 1), (1, 1, 0))]
    same(lambda x: [WAYS[way](x, *pair) for pair in pairs], ROWS)


@pytest.mark.combined(n=[1, 2, 3, 7, 8, 33], dtype=["float32", "bool", "int8", "bfloat16"])
def test_elements_take_turns(n, dtype, same):
    """As associative_scan writes it, of all dimensions and combiners, with what is no zero, too."""
    combine = [lax.max, lax.bitwise_or] if dtype == "bool" else [lax.add, lax.mul, lax.min]

    def turns(x, y, axis, how, fill):
        def spread(z, first, rest):
            between = [(0, 0, 0)] * z.ndim
            between[axis] = (first, rest, 1)
            return lax.pad(z, np.asarray(fill, z.dtype), between)

        both = x.shape[axis] == y.shape[axis]
        return how(spread(x, 0, int(both)), spread(y, 1, int(not both)))

    def program(x):
        return [
            [turns(x, y, axis, how, fill) for y in (x, lax.slice_in_dim(x, 0, -1, axis=axis))]
            for axis in (0, 1)
            for how in combine
            for fill in (0, 1)
        ]

    x = (np.arange(n * 3).reshape(n, 3) % 7 - 3).astype(np.float32)
    same(program, np.asarray(jax.numpy.asarray(x, dtype)))


@pytest.mark.parametrize("n", [1, 2, 5, 64, 1_001])
def test_associative_scans(n, same):
    x = (np.arange(n * 3).reshape(n, 3) % 5 - 2).astype(np.float32)

    def program(x):
        # The second: products of matrices (a, b; 0, 1), of which only signs stay.
        pairs = lax.associative_scan(
            lambda l, r: (l[0] * r[0], l[1] * r[0] + r[1]), (jax.numpy.sign(x), x)
        )
        return lax.associative_scan(lax.add, x), lax.associative_scan(lax.max, x.T, axis=1), pairs

    same(program, x)


CUTS = [np.s_[::2], np.s_[1:-1], np.s_[:, 1::3], np.s_[::-2]]


def test_gradients_of_slices_of_slices(same):
    def gradient(x, first, then):
        return jax.grad(lambda x: (x[first][then] ** 2).sum())(x)

    pairs = list(itertools.product(CUTS, repeat=2))
    same(lambda x: [gradient(x, *pair) for pair in pairs], ROWS)
    same(jax.vmap(lambda x: [gradient(x, *pair) for pair in pairs]), np.stack([ROWS, ROWS + 5]))
