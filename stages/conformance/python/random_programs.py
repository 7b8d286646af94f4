# SPDX-License-Identifier: Apache-2.0
"""Programs of random operations, each known by a number: what passes do to each other.

By hand, over as many as a time allows, in an environment with JAX and the wheel::

    python random_programs.py PLATFORM FIRST SECONDS
"""

import sys
import time
from collections.abc import Callable, Sequence

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

Array = jax.Array
DTYPES = [np.float32, np.int32, np.bool_, np.complex64, np.int8, np.uint8]
SHAPES = [(), (3,), (4,), (3, 4), (2, 3, 4), (4, 4), (1, 4), (17,), (5, 16)]
LARGEST = 600
PADS = ["constant", "edge", "wrap"]


def real(v: Array) -> Array:
    """The value as float32; of complex numbers, the real part."""
    return jnp.real(v).astype(np.float32)


def doubled(v: Array) -> Array:
    """Twice the value; the negation of booleans."""
    return ~v if v.dtype == bool else v + v


def like(w: Array, v: Array) -> Array:
    """The values of w in v's type; clipped, as XLA leaves open what floats out of range become."""
    fits = jnp.clip(real(w), 0, 100) if v.dtype.kind in "iu" else w
    return fits.astype(v.dtype)


def negated(v: Array) -> Array:
    """The negative; the negation of booleans."""
    return ~v if v.dtype == bool else -v


def row(v: Array, w: Array) -> Array:
    """An index into v that depends on w: an integer, however w is rounded."""
    size = jnp.asarray(jnp.real(w).size + (w.reshape(-1)[0] != 0), np.int32)
    return size % v.shape[0]


def combined(v: Array, w: Array) -> Array:
    """The sum; for booleans, whether they differ."""
    v, w = jnp.broadcast_arrays(v, w)
    return v ^ w if v.dtype == bool and w.dtype == bool else v + w


def scanned(v: Array, k: int) -> Array:
    """The last carry, or all products, of a scan over the rows."""
    step = (lambda c, y: (c ^ y, c & y)) if v.dtype == bool else (lambda c, y: (c + y, c * y))
    return lax.scan(step, v[0], v)[k % 2]


def turned(v: Array, w: Array, k: int) -> Array:
    """The rows in turn set to the last one, as many times as w and k decide: maybe never."""
    turns = jnp.where(real(w).sum() > 0.1, k % 4, 0)
    return lax.fori_loop(0, turns, lambda i, c: c.at[(i + k) % v.shape[0]].set(c[-1]), v)


def chosen(v: Array, w: Array, k: int) -> Array:
    """The first row set to the last one if w says so, and then row k to it."""
    rows = lax.cond(real(w).sum() > 0.1, lambda q: q, lambda q: q.at[0].set(q[-1]), v)
    return rows.at[k % v.shape[0]].set(rows[-1])


def paired(v: Array, k: int) -> Array:
    """Sums, products or largest of the rows, combined each with each."""
    rows = real(v).reshape(v.shape[0], -1)
    each = [jnp.sum, jnp.prod, jnp.max][k % 3](rows, 1)
    return [jnp.add, jnp.multiply, jnp.minimum, jnp.arctan2][k % 4](each[:, None], each)


def crossed(v: Array, k: int) -> Array:
    """The matrix with its transpose or its diagonal; others as they are."""
    if v.ndim != 2 or v.shape[0] != v.shape[1]:
        return v
    return combined(v, [v.T, jnp.diag(v), jnp.diag(v)[:, None]][k % 3])


# Functions of two values and a number; those of the second list need a dimension.
ANY: list[Callable[[Array, Array, int], Array]] = [
    lambda v, w, k: combined(v, w),
    lambda v, w, k: v * w,
    lambda v, w, k: jnp.where(real(v) > 1, v, like(w, v)),
    lambda v, w, k: jnp.maximum(real(v), real(w)),
    lambda v, w, k: real(v) if jnp.iscomplexobj(v) else v.astype(np.complex64),
    lambda v, w, k: jnp.imag(v) if jnp.iscomplexobj(v) else v.astype(np.int32),
    lambda v, w, k: negated(v),
    lambda v, w, k: abs(v) if v.dtype != bool else v,
    lambda v, w, k: jnp.tanh(real(v)),
    lambda v, w, k: jnp.cos(jnp.clip(real(v), -9, 9)),
    lambda v, w, k: v.reshape(-1),
    lambda v, w, k: v.T,
    lambda v, w, k: jnp.sum(v),
    lambda v, w, k: jnp.full(SHAPES[k % len(SHAPES)], 2).astype(v.dtype),
    lambda v, w, k: lax.cond(real(w).sum() > 0.1, lambda q: q, doubled, v),
]
WITH_ROWS: list[Callable[[Array, Array, int], Array]] = [
    lambda v, w, k: jnp.sum(v, k % v.ndim),
    lambda v, w, k: jnp.max(real(v), k % v.ndim),
    lambda v, w, k: jnp.flip(v, k % v.ndim),
    lambda v, w, k: jnp.cumsum(v, k % v.ndim),
    lambda v, w, k: jnp.sort(real(v), k % v.ndim),
    lambda v, w, k: v[k % v.shape[0] :],
    lambda v, w, k: v[..., k % v.shape[-1]],
    lambda v, w, k: v[::2],
    lambda v, w, k: jnp.concatenate([v, v[:1]]),
    lambda v, w, k: v[row(v, w)],
    lambda v, w, k: v.at[row(v, w)].set(v[0]),
    lambda v, w, k: v.at[::2].set(doubled(v[::2])),
    lambda v, w, k: v.at[1::2].set(v[0]),
    lambda v, w, k: real(v) @ real(v).T if v.ndim == 2 else v,
    lambda v, w, k: paired(v, k),
    lambda v, w, k: crossed(v, k),
    lambda v, w, k: jax.nn.softmax(real(v), k % v.ndim),
    lambda v, w, k: real(v) - real(v).mean(k % v.ndim, keepdims=True),
    lambda v, w, k: jnp.take_along_axis(v, row(v, w).reshape([1] * v.ndim), 0),
    lambda v, w, k: scanned(v, k),
    turned,
    chosen,
    lambda v, w, k: jnp.pad(v, [(1, 1), *[(0, 0)] * (v.ndim - 1)], PADS[k % 3]),
]


def arguments_of(seed: int) -> list[np.ndarray]:
    """One to three arrays."""
    r = np.random.default_rng(seed)
    arguments = []
    for _ in range(r.integers(1, 4)):
        shape, dtype = SHAPES[r.integers(len(SHAPES))], DTYPES[r.integers(len(DTYPES))]
        x = r.standard_normal(shape) * 3
        x = x + 1j * x[..., ::-1] if dtype == np.complex64 and shape else x
        x = abs(x) if dtype == np.uint8 else x > 0 if dtype == np.bool_ else x
        arguments.append(np.asarray(x).astype(dtype))
    return arguments


def program_of(seed: int) -> Callable[..., tuple[Array, ...]]:
    """A function of the arguments of the same seed, with one to three results."""
    r = np.random.default_rng([seed, 1])
    steps = r.integers(0, 2**31, size=(r.integers(3, 22), 4)).tolist()
    results = int(r.integers(1, 4))

    def program(*arguments: Array) -> tuple[Array, ...]:
        values = list(arguments)
        for first, second, which, k in steps:
            v, w = values[first % len(values)], values[second % len(values)]
            operations = [*ANY, *WITH_ROWS] if v.ndim else ANY
            try:
                value = operations[which % len(operations)](v, w, k)
            except (TypeError, ValueError):  # shapes that do not fit
                continue
            if value.size <= LARGEST:
                values.append(value)
        return tuple(values[-results:])

    return program


def run(seed: int, device: jax.Device) -> list[np.ndarray]:
    """The results on a device."""
    with jax.default_device(device):
        return [np.asarray(value) for value in jax.jit(program_of(seed))(*arguments_of(seed))]


def check(got: Sequence[np.ndarray], expected: Sequence[np.ndarray]) -> None:
    """Floats to a thousandth of the largest; the order of sums is the compiler's."""
    for ours, theirs in zip(got, expected, strict=True):
        if ours.dtype.kind not in "fc":
            np.testing.assert_array_equal(ours, theirs)
            continue
        largest = np.max(np.abs(theirs), initial=0, where=np.isfinite(theirs))
        np.testing.assert_allclose(ours, theirs, rtol=1e-3, atol=1e-3 * (1 + largest))


def main(platform: str, first: str, seconds: str) -> None:
    """Prints the programs that differ, and how many ran."""
    device, cpu = jax.devices(platform)[0], jax.devices("cpu")[0]
    end = time.monotonic() + float(seconds)
    seed, bad = int(first), 0
    while time.monotonic() < end:
        try:
            check(run(seed, device), run(seed, cpu))
        except (AssertionError, jax.errors.JaxRuntimeError) as error:
            bad += 1
            print(seed, *str(error).split("\n")[:6], sep="\n  ", flush=True)
        seed += 1
    print(f"{seed - int(first)} programs, {bad} of them wrong")


if __name__ == "__main__":
    main(*sys.argv[1:])
