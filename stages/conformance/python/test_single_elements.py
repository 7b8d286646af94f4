# SPDX-License-Identifier: Apache-2.0
"""One element taken from a list that is computed from narrower numbers: compilation ends."""

import jax.numpy as jnp
import numpy as np
import pytest


def first(x):
    return x.reshape(-1)[:1]


# Of numbers of a narrow type.
PROGRAMS = {
    "scaled by itself": lambda x: x.astype("float32") * first(x.astype("float32")),
    "a row": lambda x: jnp.arange(13) + first(x.astype("int32")),
    "an index": lambda x: x[first(x.astype("int32"))],
    "shifted and scaled": lambda x: jnp.ones((7, 2)) * first(x.astype("float32") * 0.5 - 1),
    "in the middle": lambda x: jnp.ones(3) * x.reshape(-1).astype("float32")[41:42],
}


@pytest.mark.parametrize("dtype", ["uint8", "bfloat16"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_one_of_what_is_widened(name, dtype, same):
    x = np.random.default_rng(0).integers(0, 100, (101, 13))
    same(PROGRAMS[name], np.asarray(jnp.asarray(x, dtype)))
