# SPDX-License-Identifier: Apache-2.0
"""Windows that have one place along a dimension, and do not see the end of the array there.

A family of convolutions and poolings, generated, with their gradients.
"""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax


class Form:
    """Sizes of arrays and windows, by a seed; along one dimension or more the window stays."""

    def __init__(self, seed):
        rng = np.random.default_rng(seed)
        rank = int(rng.integers(1, 4))
        self.window = [int(n) for n in rng.integers(1, 4, rank)]
        self.dilation = [int(n) for n in rng.integers(1, 3, rank)]
        self.base = [int(n) for n in rng.integers(1, 3, rank) if rng.random() < 0.9]
        self.base += [1] * (rank - len(self.base))
        self.strides = [int(n) for n in rng.integers(2, 5, rank)]
        self.padding = [tuple(int(n) for n in rng.integers(0, 2, 2)) for _ in range(rank)]
        self.sizes = []
        for d in range(rank):
            span = (self.window[d] - 1) * self.dilation[d] + 1
            # Up to a step more than the window, or a few.
            seen = span + int(rng.integers(0, self.strides[d] * (1 if rng.random() < 0.7 else 3)))
            size = max(1, -((sum(self.padding[d]) - seen) // self.base[d]))
            while (size - 1) * self.base[d] + 1 + sum(self.padding[d]) < span:
                size += 1
            self.sizes.append(size)
        self.rng = rng

    def numbers(self, *shape):
        """Small whole numbers."""
        return self.rng.integers(-4, 5, shape).astype(np.float32)


FORMS = [Form(seed) for seed in range(18)]


def gradients(function):
    return jax.grad(lambda *given: (function(*given) ** 2).sum(), argnums=(0, 1))


def convolution(form, groups):
    def of(x, w):
        return lax.conv_general_dilated(
            x,
            w,
            form.strides,
            form.padding,
            lhs_dilation=form.base,
            rhs_dilation=form.dilation,
            feature_group_count=groups,
        )

    return of


@pytest.mark.parametrize("groups", [1, 2])
@pytest.mark.parametrize("first", range(0, len(FORMS), 6))
def test_convolutions(first, groups, same):
    forms = FORMS[first : first + 6]
    given = [(f.numbers(2, 4, *f.sizes), f.numbers(4, 4 // groups, *f.window)) for f in forms]

    def all_of_them(given):
        made = [(convolution(f, groups), *xw) for f, xw in zip(forms, given, strict=True)]
        return [(conv(x, w), gradients(conv)(x, w)) for conv, x, w in made]

    same(all_of_them, given)


REDUCTIONS = {"add": (0.0, lax.add), "max": (-np.inf, lax.max), "min": (np.inf, lax.min)}


def pooled(form, x):
    def windows(reduction):
        initial, combine = REDUCTIONS[reduction]
        return lambda x: lax.reduce_window(
            x,
            initial,
            combine,
            (1, *form.window, 1),
            (1, *form.strides, 1),
            [(0, 0), *form.padding, (0, 0)],
            base_dilation=(1, *form.base, 1),
            window_dilation=(1, *form.dilation, 1),
        )

    # JAX has no gradient of dilated windows.
    plain = all(d == 1 for d in (*form.dilation, *form.base))
    maximum = jax.grad(lambda x: (windows("max")(x) * 2).sum())(x) if plain else x
    return [windows(r)(x) for r in REDUCTIONS], maximum


@pytest.mark.parametrize("first", range(0, len(FORMS), 6))
def test_poolings(first, same):
    forms = FORMS[first : first + 6]

    def all_of_them(given):
        return [pooled(f, x) for f, x in zip(forms, given, strict=True)]

    same(all_of_them, [f.numbers(2, *f.sizes, 3) for f in forms])


@pytest.mark.parametrize("size", [4, 7, 224])
def test_the_last_pooling_of_a_network(size, same):
    x = np.random.default_rng(0).integers(-4, 5, (2, size, size, 3)).astype(np.float32)

    def pool(x):
        window = (1, size - 1, size - 1, 1)
        steps = (1, 2, 2, 1)
        return [
            lax.reduce_window(x, 0.0, lax.add, window, steps, "VALID"),
            lax.reduce_window(x, -jnp.inf, lax.max, window, steps, "VALID"),
        ]

    same(pool, x)
