# SPDX-License-Identifier: Apache-2.0
"""Programs whose matrices are large enough to be packed before they are multiplied.

IREE's later way to pack them ended the process on gradients of an embedding that is used twice.
"""

from itertools import permutations

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


@pytest.mark.parametrize("dtype", ["complex64", "complex128", "float64", "bfloat16", "int8"])
def test_packed_products(check, dtype):
    """Of factors that are computed, and used further: as their parts of complex numbers are."""
    with jax.enable_x64(True):
        for m, k, n in [(512, 512, 512), (523, 300, 700)]:
            a, b = ((NORMAL(shape) * 2).astype("int8").astype(dtype) for shape in ((m, k), (k, n)))
            check(f"{dtype} {m}", lambda a, b: (a + a) @ b, a, b)
            check(f"{dtype} {m}, used", lambda a, b: (a @ b) * 2, a, b)


def test_products_of_batches(check):
    a, b = (NORMAL(shape, dtype=np.float32) for shape in ((5, 33, 17), (5, 17, 40)))
    check("batches", lambda a, b: jnp.round(a @ b, 2), np.round(a * 4), np.round(b * 4))


def test_transposed_products(same):
    """In all orders that begin with the batches, some of them of swapped factors."""
    orders = [(*b, *f) for b in permutations((0, 1)) for f in permutations((2, 3, 4))]
    orders.append((2, 0, 4, 1, 3))

    def program(a, b):
        def product(a, b):
            return lax.dot_general(a, b, (((2,), (3,)), ((0, 1), (1, 0))))

        return [lax.transpose(product(a + i, b), order) for i, order in enumerate(orders)]

    a, b = (np.round(NORMAL(shape) * 2) for shape in ((2, 3, 8, 40), (3, 2, 16, 8, 5)))
    for dtype in ("float32", "bfloat16", "int32"):
        same(program, jnp.asarray(a, dtype), jnp.asarray(b, dtype))


# Whole numbers, so that sums are exact. Packed ones of pairs, and those whose tiles do not fit.
LARGE = [(256, 512, 512), (300, 500, 450), (512, 130, 1000)]


@pytest.mark.parametrize("dtype", ["int8", "bfloat16", "float16", "float64"])
def test_large_products_of_other_types(same, dtype):
    wide = {"int8": "int32", "float64": "float64"}.get(dtype, "float32")
    with jax.enable_x64(True):
        for m, k, n in LARGE:
            whole = [(NORMAL(shape) * 3).astype("int8") for shape in ((m, k), (k, n))]
            a, b = (jnp.asarray(factor).astype(dtype) for factor in whole)
            same(lambda a, b: lax.dot(a, b, preferred_element_type=wide), a, b)


# Those that AMX's tiles multiply where there are such, as they lie and transposed, with a rest.
TILED = ["mk,kn->mn", "mk,nk->mn", "km,kn->mn", "km,nk->nm", "xmk,xkn->xmn", "mxk,nxk->xmn"]
TILED += ["xkm,xkn->mn", "mxk,nxk->mn", "mkx,knx->xmn", "xyk,nk->xyn", "xmk,nkx->nmx"]
TILED_SIZES = {"m": 150, "k": 140, "n": 130, "x": 4, "y": 60}


@pytest.mark.combined(equation=TILED, dtype=["int8", "bfloat16"])
def test_products_of_narrow_types_in_every_order(same, dtype, equation):
    wide = "int32" if dtype == "int8" else "float32"

    def program(a, b):
        product = jnp.einsum(equation, a, b, preferred_element_type=wide)
        rounded = jnp.einsum(equation, a, b + 1, preferred_element_type=wide).astype(dtype)
        return product, jax.nn.relu(rounded), product.sum(0)

    operands = equation.partition("->")[0].split(",")
    whole = [(NORMAL([TILED_SIZES[d] for d in o]) * 2).astype("int8") for o in operands]
    same(program, *(jnp.asarray(factor, dtype) for factor in whole))


def test_products_of_bytes_in_loops_and_maps(same):
    a = jnp.asarray((NORMAL((160, 160)) * 2).astype("int8"))

    def turns(a):
        def turn(_, x):
            return (lax.dot(x, a, preferred_element_type="int32") >> 5).astype("int8")

        return lax.fori_loop(0, 5, turn, a), jax.vmap(lambda s: turn(0, a + s))(a[0, :3])

    same(turns, a)


def test_gradients_of_bfloat16_layers(on_both):
    def loss(weights, x):
        hidden = jax.nn.gelu(x @ weights[0]) @ weights[1]
        return (hidden.astype("float32") ** 2).mean()

    weights = [jnp.asarray(NORMAL(s) / 12, "bfloat16") for s in ((192, 320), (320, 160))]
    x = jnp.asarray(NORMAL((200, 192)), "bfloat16")
    for got, want in on_both(jax.grad(loss), weights, x):
        got, want = (np.asarray(each, np.float32) for each in (got, want))
        np.testing.assert_allclose(got, want, rtol=0.02, atol=0.02 * np.abs(want).max())


ROWS = np.random.default_rng(2).integers(450, size=300)
AROUND = {
    "taken": lambda a, b: ((a @ b)[ROWS], (a @ b)[ROWS, ROWS[::-1]], a[ROWS] @ b),
    "summed": lambda a, b: ((a @ b).sum(0), jnp.max(a @ b, axis=1), jnp.trace(a @ b)),
    "fused": lambda a, b: (jax.nn.relu(a @ b + b[0]) * 2, (a @ b).T - a, (a.T @ b)[::-1, 3:]),
    "chained": lambda a, b: (a @ (b @ a), (a @ b) @ (a @ b + 1), a @ a + b @ b),
    "in a loop": lambda a, b: lax.fori_loop(0, 3, lambda _, x: (x @ a) % 7, b),
    "mapped": lambda a, b: jax.vmap(lambda s: (a + s) @ b)(a[0, :2]),
    "gradient": lambda a, b: jax.grad(lambda a: ((a @ b) * b).sum())(a),
}


@pytest.mark.combined(name=AROUND, dtype=["float32", "float64"])
def test_what_is_around_a_packed_product(same, dtype, name):
    with jax.enable_x64(True):
        a, b = (jnp.asarray(np.round(NORMAL((450, 450)) * 2), dtype) for _ in range(2))
        same(AROUND[name], a, b)


@pytest.mark.parametrize("shape", [(4, 256, 384), (3, 300, 330)])
def test_large_products_of_batches(same, shape):
    a, b = (np.round(NORMAL(shape) * 2).astype(np.float32) for _ in range(2))
    same(lambda a, b: (a @ jnp.swapaxes(b, 1, 2), jnp.swapaxes(a, 1, 2) @ b), a, b)


# m, k, n and the batch.
FLOAT64 = [(64, 64, 64, 0), (17, 65, 33, 0), (8, 4, 16, 0), (96, 80, 48, 3), (128, 7, 100, 2)]
ENDS = {
    "alone": lambda r: r,
    "changed": lambda r: jnp.abs(r + 1) * 2,
    "transposed": lambda r: jnp.swapaxes(r, -1, -2) + r.sum(),
}


@pytest.mark.combined(end=ENDS, turned=["neither", "left", "right", "both"])
def test_products_of_float64(same, turned, end):
    """Whose tiles are chosen by us with AVX-512. Several at once: compiling takes the time."""

    def transposed(x, sides):
        return jnp.swapaxes(x, -1, -2) if turned in sides else x

    def program(factors):
        left, right = ("left", "both"), ("right", "both")
        products = [transposed(a, left) @ transposed(b, right) for a, b in factors]
        return [ENDS[end](product) for product in products]

    def whole(*shape):
        return np.round(NORMAL(shape) * 3)

    factors = []
    for m, k, n, batch in FLOAT64:
        some = (batch,) if batch else ()
        left = (k, m) if turned in ("left", "both") else (m, k)
        right = (n, k) if turned in ("right", "both") else (k, n)
        factors.append((whole(*some, *left), whole(*some, *right)))
    with jax.enable_x64(True):
        same(program, factors)
