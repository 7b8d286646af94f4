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


CUTS = [np.s_[::2], np.s_[1:-1], np.s_[:, 1::3], np.s_[::-2]]


def test_gradients_of_slices_of_slices(same):
    def gradient(x, first, then):
        return jax.grad(lambda x: (x[first][then] ** 2).sum())(x)

    pairs = list(itertools.product(CUTS, repeat=2))
    same(lambda x: [gradient(x, *pair) for pair in pairs], ROWS)
    same(jax.vmap(lambda x: [gradient(x, *pair) for pair in pairs]), np.stack([ROWS, ROWS + 5]))
