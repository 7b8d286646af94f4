# SPDX-License-Identifier: Apache-2.0
"""Programs whose matrices are large enough to be packed before they are multiplied.

IREE's later way to pack them ended the process on gradients of an embedding that is used twice.
"""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

NORMAL = np.random.default_rng(0).standard_normal
TOKENS = np.random.default_rng(1).integers(512, size=(32, 64), dtype=np.int32)


def gradient_of_a_tied_embedding(weights):
    def loss(weights):
        return (jax.nn.log_softmax(weights[TOKENS] @ weights.T) ** 2).mean()

    return jax.grad(loss)(weights)


PROGRAMS = {
    "tied embedding": (gradient_of_a_tied_embedding, [(512, 512)]),
    "256x1024x1024": (lambda a, b: a @ b, [(256, 1024), (1024, 1024)]),
    "transposed": (lambda a, b: a.T @ b, [(1024, 300), (1024, 500)]),
    "odd sizes": (lambda a, b: jax.nn.relu(a @ b) + 1, [(513, 511), (511, 517)]),
    "in a loop": (
        lambda a: lax.fori_loop(0, 3, lambda _, x: jnp.tanh(x @ a) / 20, a),
        [(512, 512)],
    ),
    "both ways": (lambda a, b: jax.grad(lambda a: ((a @ b) ** 2).mean())(a), [(512, 512)] * 2),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_values(name, device, cpu):
    function, shapes = PROGRAMS[name]
    arguments = [NORMAL(shape, dtype=np.float32) * 0.1 for shape in shapes]
    got, wanted = (
        np.asarray(jax.jit(function)(*(jax.device_put(a, where) for a in arguments)))
        for where in (device, cpu)
    )
    np.testing.assert_allclose(got, wanted, rtol=1e-3, atol=1e-5)
