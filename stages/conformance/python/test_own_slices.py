# SPDX-License-Identifier: Apache-2.0
"""Parts of an array that are written into the same array, at another place.

A family: where IREE writes in place, it reads what it has just written.
"""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax


def shifted(a):
    """Each row one further."""
    return a.at[1:].set(a[:-1])


def updated(a, start=1):
    return lax.dynamic_update_slice_in_dim(a, a[:-1], start, 0)


def moved(a, first, start):
    rows = lax.dynamic_slice_in_dim(a, first, a.shape[0] - 1)
    return lax.dynamic_update_slice_in_dim(a, rows, start, 0)


def of_what_others_write(a, i):
    v = a[::-1]
    other = v.at[::2].set(v[::2] * 2)
    return updated(v, i + (other.sum() > 1e9).astype(i.dtype)), other


# Of an array and the number 1.
WRITES = {
    "set": lambda a, i: shifted(a),
    "set of what is computed": lambda a, i: shifted(a * 2),
    "set, up": lambda a, i: a.at[:-1].set(a[1:]),
    "set twice": lambda a, i: shifted(a).at[:-1].set(a[1:]),
    "add": lambda a, i: a.at[1:].add(a[:-1]),
    "multiply": lambda a, i: a.at[1:].multiply(a[:-1]),
    "largest": lambda a, i: a.at[1:].max(a[:-1]),
    "every other": lambda a, i: a.at[1::2].set(a[: a.shape[0] - 1 : 2]),
    "turned": lambda a, i: a.at[1:].set(a[::-1][:-1]),
    "of rows taken": lambda a, i: a.at[jnp.arange(1, 4)].set(a[jnp.arange(3)]),
    "of indices in it": lambda a, i: a.at[a.reshape(-1)[1:3].astype(jnp.int32) % 4].set(a[:2]),
    "arithmetic": lambda a, i: a.at[1:-1].set((a[:-2] + a[2:]) * 0.5),
    "update": lambda a, i: updated(a),
    "update at an argument": lambda a, i: updated(a, i),
    "update at what is computed": lambda a, i: updated(
        a, (a.reshape(-1)[0] != 0).astype(jnp.int32)
    ),
    "update, down": lambda a, i: moved(a, i - 1, i),
    "update, up": lambda a, i: moved(a, i, i - 1),
    "update of what others write into, too": of_what_others_write,
    "in a loop": lambda a, i: lax.fori_loop(0, 3, lambda k, c: shifted(c), a),
    "update in a loop": lambda a, i: lax.fori_loop(0, 3, lambda k, c: updated(c), a),
    "shift register": lambda a, i: lax.scan(
        lambda c, x: (shifted(c).at[0].set(x + 1), c[-1]), a, a[::-1]
    ),
    "gradient": lambda a, i: jax.grad(lambda x: jnp.sum(jnp.sin(shifted(x)) * x))(a),
    "mapped": lambda a, i: jax.vmap(updated, in_axes=(0, None))(jnp.stack([a, a + 1]), i),
}


@pytest.mark.combined(name=WRITES, shape=[(5,), (257,), (7, 9), (4, 3, 5)], donated=[False, True])
def test_writes_into_the_same_array(name, shape, donated, device, cpu):
    values = np.arange(1, np.prod(shape) + 1, dtype=np.float32).reshape(shape)

    def results(where, **more):
        arguments = jax.device_put((values, np.int32(1)), where)
        return jax.tree.leaves(jax.jit(WRITES[name], **more)(*arguments))

    pairs = zip(results(device, donate_argnums=0 if donated else ()), results(cpu), strict=True)
    for got, want in pairs:
        np.testing.assert_allclose(got, want, rtol=1e-5, atol=1e-5)


# Of a row of 3 and a 3 x 4 array.
UPDATED = {
    "own rows": lambda x, w: updated_rows(x[:, None] * w),
    "own products": lambda x, w: updated_rows(x[:, None] @ w[:1]),
    "rows of another": lambda x, w: lax.dynamic_update_slice(x[:, None] * w, w[-1:] * x[0], (2, 0)),
    "in the middle": lambda x, w: updated_rows(x[:, None] * w, 1) ** 2,
}


def updated_rows(v, start=2):
    return lax.dynamic_update_slice(v, v[-1:] * 2, (start, 0))


@pytest.mark.parametrize("name", UPDATED)
def test_mapped_gradients_of_updates(name, on_both):
    """Scatters of zeros into an array of which others take the same rows."""
    rng = np.random.default_rng(0)
    x, w = rng.standard_normal((5, 3), np.float32), rng.standard_normal((3, 4), np.float32)
    loss = jax.grad(lambda x: jnp.sum(jnp.arctan(UPDATED[name](x, w))))
    ((ours, theirs),) = on_both(jax.vmap(loss), x)
    np.testing.assert_allclose(ours, theirs, rtol=1e-5, atol=1e-5)
