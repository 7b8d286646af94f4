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


# m, k and n
SIZES = [(1, 512, 512), (3, 1000, 7), (17, 33, 65), (64, 64, 64), (128, 784, 10)]
SIZES += [(0, 40, 40), (40, 1, 40)]
EQUATIONS = ["mk,kn->mn", "mk,nk->mn", "km,kn->nm", "mk,kn->", "mk,kn->n"]
DTYPES = ["float64", "float32", "bfloat16", "int32", "int8", "uint8", "complex64"]

CASES = [("float32", equation) for equation in EQUATIONS[1:]]
CASES += [(dtype, EQUATIONS[0]) for dtype in DTYPES]


# Without AVX-512 small ones are packed, too.
@pytest.mark.parametrize(("dtype", "equation"), CASES)
def test_products_of_all_shapes(check, dtype, equation):
    with jax.enable_x64(True):
        for m, k, n in SIZES:
            sizes = {"m": m, "k": k, "n": n}
            operands = equation.partition("->")[0].split(",")
            shapes = [[sizes[dimension] for dimension in operand] for operand in operands]
            a, b = ((NORMAL(shape) * 2).astype("int8").astype(dtype) for shape in shapes)
            check(f"{equation} of {m}, {k}, {n}", lambda a, b: jnp.einsum(equation, a, b), a, b)


def test_products_of_batches(check):
    a, b = (NORMAL(shape, dtype=np.float32) for shape in ((5, 33, 17), (5, 17, 40)))
    check("batches", lambda a, b: jnp.round(a @ b, 2), np.round(a * 4), np.round(b * 4))
