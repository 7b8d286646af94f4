# SPDX-License-Identifier: Apache-2.0
"""Products of what other products gave, converted in between.

A family: where nothing is added up, IREE makes multiplications of them, and once lost the
conversion between the two.
"""

import jax.numpy as jnp
import numpy as np
import pytest

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
