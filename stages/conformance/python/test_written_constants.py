# SPDX-License-Identifier: Apache-2.0
"""Constants that are written into: each call, and each reader, sees the same numbers."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

N = 6
TABLE = np.random.default_rng(0).standard_normal((N, N)).astype(np.float32)
CONSTANTS = {
    "zeros": lambda: jnp.zeros((N, N), jnp.float32),
    "table": lambda: jnp.asarray(TABLE),
    "counted": lambda: jnp.arange(N * N, dtype=jnp.float32).reshape(N, N),
}
# What IREE computes of them when it compiles.
FORMS = {
    "as it is": lambda c: c,
    "turned": lambda c: c.T,
    "repeated": lambda c: jnp.broadcast_to(c[0], (N, N)),
    "in another order": lambda c: c.reshape(2, 3, N).transpose(1, 0, 2).reshape(N, N),
    "a part": lambda c: jnp.pad(c, 2)[2:-2, 2:-2],
}


def in_a_loop(c, x, i):
    return lax.fori_loop(0, N, lambda k, c: c.at[i[k], k].add(x[k, 0]), c)


WRITES = {
    "rows": lambda c, x, i: c.at[i].add(x),
    "columns": lambda c, x, i: c.at[:, i].set(x),
    "elements": lambda c, x, i: c.at[i, i[::-1]].max(x[0]),
    "a column of each row": lambda c, x, i: jax.vmap(lambda c, x, i: c.at[i].add(x))(c, x[0], i),
    "a row of each column": lambda c, x, i: jax.vmap(
        lambda c, x, i: c.at[i].add(x), in_axes=(1, 0, 0), out_axes=1
    )(c, x[0], i),
    "a window": lambda c, x, i: lax.dynamic_update_slice(c, x[:2, :3], (i[0], i[1])),
    "every other row": lambda c, x, i: c.at[::2].multiply(x[::2]),
    "in a loop": in_a_loop,
}


def check_calls(program, arguments, device, cpu):
    """Each of two calls computes what XLA:CPU does."""
    jitted = jax.jit(program)
    with jax.default_device(cpu):
        want = jitted(*arguments)
    with jax.default_device(device):
        for _ in range(2):
            for got, wanted in zip(jitted(*arguments), want, strict=True):
                np.testing.assert_allclose(got, wanted, rtol=1e-6)


@pytest.mark.combined(constant=CONSTANTS, form=FORMS, write=WRITES)
def test_each_call_and_reader_sees_the_constant(constant, form, write, device, cpu):
    def program(x, i):
        c = FORMS[form](CONSTANTS[constant]())
        return WRITES[write](c, x, i), c, CONSTANTS[constant]()

    x = np.random.default_rng(1).standard_normal((N, N)).astype(np.float32)
    check_calls(program, (x, np.array([2, 0, 5, 1, 3, 4], np.int32)), device, cpu)


def test_gradients_of_sorted_columns(device, cpu):
    """Of a sort the gradient scatters into zeros; that of an unused argument is zeros, too."""

    def program(a, b):
        return jax.grad(lambda a, b: jnp.sin(jnp.sort(b, axis=0)).sum(), argnums=(0, 1))(a, b)

    check_calls(program, (np.ones((5, 5), np.float32), TABLE[:5, :5]), device, cpu)
