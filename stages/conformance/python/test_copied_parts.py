# SPDX-License-Identifier: Apache-2.0
"""Parts of arrays that are copied beside others: rolled, repeated, wrapped, along each dimension.

A part of one row has fewer dimensions for IREE; of dimensions of one size it is unclear which.
"""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

# What is not computed where it is copied.
SOURCES = {
    "a scatter": lambda x: x.at[::2].set(x[::2] * 2),
    "a scan": lambda x: lax.scan(lambda c, y: (c + y, c * jnp.tanh(y)), x[0], x)[1],
    "sorted": lambda x: jnp.sort(x, 0),
    "an argument": lambda x: x,
}
COPIES = {
    "rolled": lambda x, d: jnp.roll(x, 1, d),
    "wrapped": lambda x, d: jnp.pad(x, [(int(k == d),) * 2 for k in range(x.ndim)], "wrap"),
    "longer by its first": lambda x, d: jnp.concatenate([x, lax.slice_in_dim(x, 0, 1, axis=d)], d),
    "its last to the front": lambda x, d: jnp.concatenate(
        [lax.slice_in_dim(x, -1, None, axis=d), lax.slice_in_dim(x, 0, -1, axis=d)], d
    ),
}
SHAPES = [(3, 3, 3), (2, 2, 65), (1, 4, 4), (3, 1, 3, 3)]


FORMS = {
    "as it is": lambda program, source: program,
    "turned": lambda program, source: lambda x: program(jnp.moveaxis(source(x), 0, 1)),
    "mapped": lambda program, source: jax.vmap(program),
    "mapped in the middle": lambda program, source: jax.vmap(program, in_axes=1, out_axes=1),
}


@pytest.mark.combined(shape=SHAPES, source=SOURCES, copy=COPIES, form=FORMS)
def test_copies_along_each_dimension(shape, source, copy, form, on_both):
    def program(x):
        made = SOURCES[source](x)
        return [COPIES[copy](made, d) for d in range(made.ndim)]

    x = np.random.default_rng(0).standard_normal(shape).astype(np.float32)
    for got, want in on_both(FORMS[form](program, SOURCES[source]), x):
        np.testing.assert_allclose(got, want, rtol=1e-5, atol=1e-5)


LONG = {
    "one after another": lambda x: jnp.concatenate([x, x[:7], x[3:]]),
    "turned around": lambda x: jnp.roll(x, 11),
    "between numbers": lambda x: jnp.pad(x, (5, x.size), constant_values=3),
    "beside others": lambda x: jnp.stack([x, jnp.full(x.shape, 2, x.dtype), x]),
    "in the middle": lambda x: jnp.zeros(3 * x.size, x.dtype).at[x.size : 2 * x.size].set(x),
    "in turns": lambda x: jnp.tile(x, 3),
}


@pytest.mark.combined(
    form=LONG,
    length=[65_535, 262_143, 262_144, 262_145, 1_000_003],
    dtype=["int8", "bool", "bfloat16", "float32", "float64", "complex128"],
)
def test_long_ones(check, form, length, dtype):
    """Several threads copy and fill them."""
    x = np.arange(length) % 113
    with jax.enable_x64(True) if hasattr(jax, "enable_x64") else jax.experimental.enable_x64():
        check(form, LONG[form], jnp.asarray(x > 50 if dtype == "bool" else x, dtype))
