# SPDX-License-Identifier: Apache-2.0
"""Constants inside programs."""

import jax.numpy as jnp
import numpy as np
import pytest


@pytest.mark.parametrize("size", [1, 2, 7, 8, 9, 24, 4000])
def test_booleans(check, size):
    x = np.arange(size, dtype=np.float32) + 1
    some = np.arange(size) % 3 == 0
    last = np.arange(size) == size - 1

    def program(x):
        return jnp.where(some, x, 0), jnp.where(last, x, 0), some, ~last

    check(f"{size} booleans", program, x)


def test_a_reduction_with_a_mask(check):
    x = np.arange(24, dtype=np.float32).reshape(2, 3, 4) - 5
    mask = (np.arange(24) % 3 == 0).reshape(2, 3, 4)
    check("masked", lambda x: (jnp.sum(x, 1, where=mask), jnp.sum(x, where=mask)), x)
