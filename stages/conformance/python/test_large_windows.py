# SPDX-License-Identifier: Apache-2.0
"""Convolutions with few places for a large window, and products that are long to add up.

As gradients of filters and of layers over large batches are: families, generated, beside XLA:CPU,
of whole numbers, whose sums are exact.
"""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

LETTERS = "DHW"


class Form:
    """A convolution by a seed, its dimensions in any order."""

    def __init__(self, seed):
        self.rng = rng = np.random.default_rng(seed)

        def numbers(least, most):
            return [int(n) for n in rng.integers(least, most, rank)]

        rank = int(rng.integers(1, 4))
        longest = {1: 200, 2: 20, 3: 8}[rank]
        self.window = numbers(longest // 2, longest)
        self.strides = numbers(1, 4)
        self.dilation, self.base = numbers(1, 3), numbers(1, 4)
        places = numbers(1, 4)
        self.padding, sizes = [], []
        for d in range(rank):
            # Most have one of them only, as gradients of JAX's have.
            if rng.random() < 0.7:
                self.dilation[d] = 1
            elif rng.random() < 0.9:
                self.base[d] = 1
            low = int(rng.integers(-3, 4))
            span = (self.window[d] - 1) * self.dilation[d] + 1
            seen = span + (places[d] - 1) * self.strides[d] + int(rng.integers(self.strides[d]))
            size = max(1, (seen - low) // self.base[d] + int(rng.integers(-1, 2)))
            sizes.append(size)
            self.padding.append((low, seen - low - (size - 1) * self.base[d] - 1))
        wide = seed % 4 == 3  # as many features as make IREE fast, and many results
        features = int(rng.integers(8, 12)) if wide else int(rng.integers(1, 8))
        rows, columns = (
            (int(n) for n in rng.integers(64, 70, 2)) if wide else map(int, rng.integers(1, 20, 2))
        )
        space = LETTERS[3 - rank :]
        named = [("N" + space + "C", [rows, *sizes, features])]
        named.append((space + "IO", [*self.window, features, columns]))
        named.append(("N" + space + "C", []))
        self.names, self.shapes = [], []
        for names, shape in named:
            # Half of them in an order that a gradient has.
            order = rng.permutation(rank + 2) if rng.random() < 0.5 else np.arange(rank + 2)
            self.names.append("".join(names[i] for i in order))
            self.shapes.append([shape[i] for i in order] if shape else [])

    def apply(self, x, k):
        """The convolution of an array with a kernel."""
        return lax.conv_general_dilated(
            x,
            k,
            self.strides,
            self.padding,
            lhs_dilation=self.base,
            rhs_dilation=self.dilation,
            dimension_numbers=tuple(self.names),
        )


@pytest.mark.combined(seed=range(24))
def test_convolutions_of_few_places(check, seed):
    form = Form(seed)
    dtype = ("float32", "float32", "bfloat16")[seed % 3]
    x, k = (
        jnp.asarray(form.rng.integers(-2, 3, shape), dtype)
        for shape in (form.shapes[0], form.shapes[1])
    )
    check("a convolution", form.apply, x, k)


@pytest.mark.parametrize("batch", [1, 3, 16])
@pytest.mark.parametrize("names", ["NHWC HWIO NHWC", "NCHW OIHW NCHW"])
def test_gradients_of_filters(check, batch, names):
    """Of strided, dilated and transposed layers, mapped over examples, and of a gradient again."""
    rng = np.random.default_rng(batch)
    names = tuple(names.split())
    sizes = {"N": batch, "H": 20, "W": 17, "C": 6}
    filters = {"H": 3, "W": 2, "I": 6, "O": 9}
    x = rng.integers(-2, 3, [sizes[c] for c in names[0]]).astype(np.float32)
    k = rng.integers(-2, 3, [filters[c] for c in names[1]]).astype(np.float32)

    def with_gradient(**more):
        def layer(k, x):
            return lax.conv_general_dilated(
                x, k, padding="SAME", dimension_numbers=names, **({"window_strides": (1, 1)} | more)
            )

        def gradient(k, x):
            return jax.grad(lambda k: (layer(k, x) ** 2).sum())(k)

        return gradient

    for more in (
        {},
        {"window_strides": (2, 3)},
        {"rhs_dilation": (3, 2)},
    ):
        check(str(more), with_gradient(**more), k, x)
    check("mapped", jax.vmap(with_gradient(), (None, 0)), k, np.stack([x, -x]))

    def of_a_transposed_layer(k, x):
        return jax.grad(lambda k: (transposed(k, x, names) ** 2).sum())(k)

    check("transposed", of_a_transposed_layer, k, x)
    check("twice", lambda k, x: jax.grad(lambda x: (with_gradient()(k, x) ** 2).sum())(x), k, x)


def transposed(k, x, names):
    return lax.conv_general_dilated(
        x, k, (1, 1), ((2, 1), (1, 1)), lhs_dilation=(2, 2), dimension_numbers=names
    )


# Rows, columns, and how many products are added up: of one part, of some, and with a rest.
PRODUCTS = [
    (16, 32, 12_544),
    (128, 128, 6272),
    (8, 512, 2048),
    (65, 33, 8191),
    (100, 100, 4099),
    (9, 16, 65_537),
]


@pytest.mark.combined(
    sizes=PRODUCTS,
    equation=["km,kn->mn", "mk,kn->mn", "mk,nk->mn", "km,nk->nm"],
    dtype=["float32", "bfloat16", "float64"],
)
def test_long_products(check, sizes, equation, dtype):
    rng = np.random.default_rng(5)
    size_of = dict(zip("mnk", sizes, strict=True))
    with jax.enable_x64(dtype == "float64"):
        a, b = (
            jnp.asarray(rng.integers(-2, 3, [size_of[c] for c in side]), dtype)
            for side in equation.partition("->")[0].split(",")
        )
        check(f"{equation} of {sizes}", lambda a, b: jnp.einsum(equation, a, b), a, b)
