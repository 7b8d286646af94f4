# SPDX-License-Identifier: Apache-2.0
"""Programs whose values must be those of XLA:CPU."""

import itertools

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

VECTOR = np.linspace(-2.0, 2.0, 24, dtype=np.float32)
MATRIX = np.sin(np.arange(12 * 8, dtype=np.float32)).reshape(12, 8)
KEY = np.array([17, 42], np.uint32)


def loss(x):
    return jnp.sum(jnp.tanh(x) ** 2 * jnp.exp(-x))


def scan(x):
    return lax.scan(lambda carry, row: (carry * 0.9 + row, jnp.sin(carry)), x[0], x)


def while_loop(x):
    return lax.while_loop(lambda s: s[1] < 10, lambda s: (s[0] * 0.5 + 1, s[1] + 1), (x, 0))


def cond(x):
    return lax.cond(x[0] > 0, jnp.sin, jnp.cos, x), lax.switch(2, [jnp.abs, jnp.exp, jnp.square], x)


def random_normal(key):
    return jax.random.normal(jax.random.wrap_key_data(key), (64,))


PROGRAMS = {
    "jit": (lambda x: x * 2 + 1, VECTOR),
    "grad": (jax.grad(loss), VECTOR),
    "vmap": (jax.vmap(lambda row: jnp.dot(row, row) / (1 + jnp.max(row))), MATRIX),
    "matmul": (lambda x: x @ x.T, MATRIX),
    "scan": (scan, MATRIX),
    "while_loop": (while_loop, VECTOR),
    "cond": (cond, VECTOR),
    "random.normal": (random_normal, KEY),
    "cumsum": (lambda x: jnp.cumsum(x, axis=0), MATRIX),
    "sort and gather": (lambda x: x[jnp.argsort(x[:, 0])][::-1], MATRIX),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_program(name, check):
    function, *arguments = PROGRAMS[name]
    check(name, function, *arguments)


def test_one_plus_one(check, device):
    check("1 + 1", lambda: jnp.add(1, 1), jitted=False)
    with jax.default_device(device):
        assert str(jnp.add(1, 1)) == "2"


WIDTHS = (16, 32, 32, 32, 4)


def mlp_parameters():
    random = np.random.default_rng(0)
    return [
        (
            random.normal(0, rows**-0.5, (rows, columns)).astype(np.float32),
            np.zeros(columns, np.float32),
        )
        for rows, columns in itertools.pairwise(WIDTHS)
    ]


def mlp_training_step(parameters, inputs, labels):
    def cross_entropy(parameters):
        values = inputs
        for weights, bias in parameters[:-1]:
            values = jax.nn.relu(values @ weights + bias)
        weights, bias = parameters[-1]
        log_probabilities = jax.nn.log_softmax(values @ weights + bias)
        return -jnp.mean(jnp.sum(log_probabilities * jax.nn.one_hot(labels, WIDTHS[-1]), axis=1))

    loss_value, gradients = jax.value_and_grad(cross_entropy)(parameters)
    return loss_value, jax.tree.map(lambda p, g: p - 0.1 * g, parameters, gradients)


def test_mlp_training_step(check):
    random = np.random.default_rng(1)
    inputs = random.normal(size=(32, WIDTHS[0])).astype(np.float32)
    labels = random.integers(0, WIDTHS[-1], 32).astype(np.int32)
    check("mlp training step", mlp_training_step, mlp_parameters(), inputs, labels)


def test_mlp_learns(device):
    """Steps that feed on each other's results, on the device."""
    random = np.random.default_rng(1)
    inputs = random.normal(size=(32, WIDTHS[0])).astype(np.float32)
    labels = random.integers(0, WIDTHS[-1], 32).astype(np.int32)
    step = jax.jit(mlp_training_step)
    with jax.default_device(device):
        parameters, losses = mlp_parameters(), []
        for _ in range(20):
            value, parameters = step(parameters, inputs, labels)
            losses.append(float(value))
    assert np.isfinite(losses).all()
    assert losses[-1] < 0.8 * losses[0], losses


DTYPES = ("float32", "int32", "bool", "float64", "bfloat16")


@pytest.mark.parametrize("dtype", DTYPES)
def test_dtype(dtype, check, device):
    values = (np.arange(-6, 6) * 7 % 5).reshape(3, 4).astype(jnp.dtype(dtype))

    def program(x):
        return jnp.where(x > x[0], x, x[::-1]), jnp.concatenate([x, x * x], 1), jnp.max(x, 0)

    def logic(x):
        return x & x[::-1], jnp.any(x, 0), jnp.sum(x)

    with x64(dtype == "float64"):
        check(f"dtype {dtype}", logic if dtype == "bool" else program, values)
        on_device = jax.device_put(values, device)
        assert on_device.dtype == jnp.dtype(dtype)
        np.testing.assert_array_equal(np.asarray(on_device), values)


def x64(enabled):
    """A context manager that sets 64-bit mode; its place differs between versions of JAX."""
    if hasattr(jax, "enable_x64") and callable(jax.enable_x64):
        return jax.enable_x64(enabled)
    from jax.experimental import enable_x64

    return enable_x64(enabled)
