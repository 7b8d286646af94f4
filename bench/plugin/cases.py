# SPDX-License-Identifier: Apache-2.0
"""What is timed: each case builds the same work for a device."""

from collections.abc import Callable
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from pairs import Case

_MEGABYTE = 1 << 20


def _array(device: Any, *shape: int) -> jax.Array:
    values = np.random.default_rng(0).standard_normal(shape, dtype=np.float32)
    return jax.device_put(values, device)


def _blocking(
    function: Callable[..., Any], *shapes: tuple[int, ...]
) -> Callable[[Any], Callable[[], Any]]:
    def build(device: Any) -> Callable[[], Any]:
        arguments = [_array(device, *shape) for shape in shapes]
        jitted = jax.jit(function)
        jax.block_until_ready(jitted(*arguments))
        return lambda: jax.block_until_ready(jitted(*arguments))

    return build


def _async_add(device: Any) -> Callable[[], Any]:
    x = _array(device)
    jitted = jax.jit(lambda a: a + 1)
    jitted(x).block_until_ready()
    return lambda: jitted(x)


def _chain(x: jax.Array) -> jax.Array:
    for step in range(5):
        x = x * 1.5 + step
    return x


def _chain_of_kernels(x: jax.Array) -> jax.Array:
    for _ in range(5):
        x = x + x.sum()
        x = jnp.roll(x, 1)
    return x


def _running_sums(rows: jax.Array) -> Any:
    return jax.lax.scan(lambda total, row: (total + row, total), rows[0], rows)


def _mlp(batch: int, widths: tuple[int, ...], device: Any) -> Callable[[], Any]:
    shapes = zip(widths[:-1], widths[1:], strict=True)
    weights = [_array(device, *shape) * 0.04 for shape in shapes]
    x, y = _array(device, batch, widths[0]), _array(device, batch, widths[-1])

    def loss(weights: list[jax.Array], x: jax.Array, y: jax.Array) -> jax.Array:
        for layer in weights[:-1]:
            x = jax.nn.relu(x @ layer)
        return jnp.mean((x @ weights[-1] - y) ** 2)

    step = jax.jit(jax.value_and_grad(loss))
    jax.block_until_ready(step(weights, x, y))
    return lambda: jax.block_until_ready(step(weights, x, y))


# Arrays aligned like this a device may use in place; NumPy's own often are, and often are not.
_ALIGNMENT = 64


def _host_array(aligned: bool) -> np.ndarray:
    count = 16 * _MEGABYTE // 4
    room = np.zeros(count + _ALIGNMENT, np.float32)
    start = -(room.ctypes.data // 4) % (_ALIGNMENT // 4)
    return room[start if aligned else start + 1 :][:count]


def _round_trip(aligned: bool, device: Any) -> Callable[[], Any]:
    values = _host_array(aligned)

    def call() -> None:
        np.asarray(jax.device_put(values, device))

    call()
    return call


def _matmul(size: int) -> Callable[[Any], Callable[[], Any]]:
    return _blocking(jnp.matmul, (size, size), (size, size))


_LARGE = (4096, 1024)

CASES = (
    Case("jitted scalar add, async", 1.5, _async_add),
    Case("jitted scalar add, blocking", 1.5, _blocking(lambda a: a + 1, ())),
    Case("10 chained small ops in one jit", 1.2, _blocking(_chain, (64,))),
    Case("10 chained small ops that do not fuse", None, _blocking(_chain_of_kernels, (64,))),
    Case("MLP value_and_grad, 32×(64-512-10)", 0.7, partial(_mlp, 32, (64, 512, 10))),
    Case("MLP value_and_grad, 32×(512-512-512-512)", 0.7, partial(_mlp, 32, (512,) * 4)),
    Case("matmul 64", 0.7, _matmul(64)),
    Case("matmul 128", 0.7, _matmul(128)),
    Case("matmul 256", None, _matmul(256)),
    Case("matmul 512", None, _matmul(512)),
    Case("matmul 1024", 1.6, _matmul(1024)),
    Case("softmax 4096×1024", 1.8, _blocking(partial(jax.nn.softmax, axis=-1), _LARGE)),
    Case("sum 4096×1024", 1.8, _blocking(jnp.sum, _LARGE)),
    Case("largest of each row of 4096×1000", None, _blocking(partial(jnp.max, axis=1), (4096, 1000))),
    Case("scan over 100 rows of 1024", None, _blocking(_running_sums, (100, 1024))),
    Case("tanh·2+sin 4096×1024", 0.5, _blocking(lambda a: jnp.tanh(a) * 2 + jnp.sin(a), _LARGE)),
    Case("host to device and back, 16 MB, aligned", 1.2, partial(_round_trip, True)),
    Case("host to device and back, 16 MB, unaligned", 1.2, partial(_round_trip, False)),
)
