# SPDX-License-Identifier: Apache-2.0
"""Products that add nothing up, and products of what they gave, converted in between.

A family: IREE makes multiplications of them, and loses the conversions of factors.
"""

import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

FIRST = {
    "row by column": lambda x: x[:1] @ x[:1].T,
    "vectors": lambda x: (x[0] @ x[1])[None, None],
    "column by row": lambda x: x[:, :1] @ x[:1],
    "batched": lambda x: jnp.einsum("bij,bkj->bik", x[:, None], x[:, None]),
}
SECOND = {
    "square": lambda x: x @ jnp.swapaxes(x, -1, -2),
    "outer": lambda x: x[..., :1] @ x[..., :1, :],
    "with another": lambda x: x[..., :1] @ (x + x)[..., :1, :],
}
TYPES = [("int8", "float32"), ("int8", "int32"), ("float32", "bfloat16"), ("bfloat16", "float32")]


@pytest.mark.parametrize("types", TYPES)
def test_products_of_products(types, on_both):
    given, between = types

    def function(x):
        products = [first(x).astype(between) for first in FIRST.values()]
        return [[p, *(second(p) for second in SECOND.values())] for p in products]

    x = np.arange(6).reshape(2, 3).astype(given)
    for got, want in on_both(function, x):
        # XLA:CPU keeps bfloat16 wide in between.
        np.testing.assert_allclose(got.astype("float32"), want.astype("float32"), rtol=1e-2)


NUMBERS = ["bool", "int8", "uint8", "int32", "float16", "bfloat16", "float32", "complex64"]
# Shapes of two factors, and which of their dimensions are batches.
OUTER = [
    ((3, 1), (1, 4), ((), ())),
    ((5,), (2, 3), ((), ())),
    ((4,), (4,), ((0,), (0,))),
    ((2, 1, 4), (3, 2, 1), ((0,), (1,))),
    ((5, 2, 3), (3, 5, 1), ((2, 0), (0, 1))),
]


def product(x, y, batches):
    """The product of all elements of each pair, within batches."""
    ones = [
        [d for d, n in enumerate(a.shape) if n == 1 and d not in batch]
        for a, batch in zip((x, y), batches, strict=True)
    ]
    count = min(map(len, ones))
    contracted = [o[:count] for o in ones]
    wide = jnp.int32 if x.dtype.kind in "iub" else jnp.result_type(x, jnp.float32)
    return [
        lax.dot_general(x, y, (contracted, batches)),
        lax.dot_general(x, y, (contracted, batches), preferred_element_type=wide),
    ]


@pytest.mark.parametrize("dtype", NUMBERS)
def test_outer_products(dtype, same):
    rng = np.random.default_rng(0)
    pairs = [
        (rng.integers(0, 5, a).astype(dtype), rng.integers(0, 5, b).astype(dtype))
        for a, b, _ in OUTER
    ]

    def all_of_them(pairs):
        return [
            product(x, y, batches) for (x, y), (_, _, batches) in zip(pairs, OUTER, strict=True)
        ]

    same(all_of_them, pairs)


@pytest.mark.parametrize("dtype", NUMBERS)
def test_products_that_share_a_factor(dtype, same):
    def shared(x):
        row = lax.optimization_barrier(x).T
        return [product(y, row, ((), ())) for y in (row.T, row.T + row.T, x)]

    same(shared, np.asarray([[3], [1], [2]]).astype(dtype))
