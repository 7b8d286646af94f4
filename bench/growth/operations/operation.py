# SPDX-License-Identifier: Apache-2.0
"""What an operation of the growth table is: a function, and its inputs at a size."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import jax.numpy as jnp
import numpy as np

DTYPES: Mapping[str, Any] = {
    "f32": np.float32,
    "bf16": jnp.bfloat16,
    "f16": np.float16,
    "f64": np.float64,
    "c64": np.complex64,
    "c128": np.complex128,
    "i8": np.int8,
    "i32": np.int32,
    "u32": np.uint32,
    "bool": np.bool_,
}
FLOATS = ("f32", "bf16", "f16", "f64")
# People train in these; in the others only the operation itself is measured.
GRADIENT_DTYPES = ("f32", "bf16")

# Elements. Rows are of 256 where models have rows, of 100 where vectors are not to fill up.
ELEMENTS = (1_000, 10_000, 100_000, 1_000_000)
POWERS = (1_024, 16_384, 131_072, 1_048_576)
MATRICES = (32, 64, 128, 256, 512, 1024)
IMAGES = (28, 56, 112, 224)
BATCHES = (1, 8, 64)

_Make = Callable[[np.random.Generator, tuple[int, ...], str], np.ndarray]


@dataclass(frozen=True)
class Input:
    """An array: its shape, how its values are made, and its dtype ('' is that of the cell)."""

    shape: tuple[int, ...]
    make: _Make
    dtype: str = ""

    def array(self, rng: np.random.Generator, dtype: str) -> np.ndarray:
        """The values, in this input's own dtype or else in ``dtype``; equal for equal ``rng``."""
        name = self.dtype or dtype
        return np.asarray(self.make(rng, self.shape, name)).astype(DTYPES[name])


def _is_integer(dtype: str) -> bool:
    return dtype in ("i8", "i32", "u32")


def uniform(*shape: int, low: float = -1.0, high: float = 1.0, dtype: str = "") -> Input:
    """Uniform in [low, high); whole numbers of it for integers; both parts of complex numbers."""

    def make(rng: np.random.Generator, shape: tuple[int, ...], dtype: str) -> np.ndarray:
        if _is_integer(dtype):
            return rng.integers(int(low), int(high), shape)
        values = rng.uniform(low, high, shape)
        return values + 1j * rng.uniform(low, high, shape) if dtype.startswith("c") else values

    return Input(shape, make, dtype)


def normal(*shape: int, scale: float = 1.0, dtype: str = "") -> Input:
    """Normal around 0; whole numbers from -100 to 99 for integers."""

    def make(rng: np.random.Generator, shape: tuple[int, ...], dtype: str) -> np.ndarray:
        if _is_integer(dtype):
            return rng.integers(-100, 100, shape)
        values = rng.standard_normal(shape) * scale
        if dtype.startswith("c"):
            return values + 1j * rng.standard_normal(shape) * scale
        return values

    return Input(shape, make, dtype)


def integers(*shape: int, low: int = 0, high: int, dtype: str = "i32") -> Input:
    """Whole numbers in [low, high)."""
    return Input(shape, lambda rng, shape, _: rng.integers(low, high, shape), dtype)


def booleans(*shape: int, part: float = 0.5) -> Input:
    """True for about ``part`` of the elements."""
    return Input(shape, lambda rng, shape, _: rng.random(shape) < part, "bool")


def places(n: int, count: int) -> Input:
    """``count`` different ones of the numbers 0 to n - 1, in any order."""
    return Input((count,), lambda rng, shape, _: rng.permutation(n)[: shape[0]], "i32")


def ascending(n: int) -> Input:
    """Uniform in [0, 1), sorted."""
    return Input((n,), lambda rng, shape, _: np.sort(rng.random(shape)))


def positive_definite(*shape: int) -> Input:
    """Symmetric matrices, whose eigenvalues are from 1 to about 5."""

    def make(rng: np.random.Generator, shape: tuple[int, ...], _: str) -> np.ndarray:
        values = rng.standard_normal(shape)
        return values @ values.swapaxes(-1, -2) / shape[-1] + np.eye(shape[-1])

    return Input(shape, make)


def well_conditioned(*shape: int) -> Input:
    """Square matrices with a strong diagonal."""

    def make(rng: np.random.Generator, shape: tuple[int, ...], _: str) -> np.ndarray:
        n = shape[-1]
        return rng.standard_normal(shape) / np.sqrt(n) + 2 * np.eye(n)

    return Input(shape, make)


def lower_triangular(*shape: int) -> Input:
    """Lower triangles with a strong diagonal."""

    def make(rng: np.random.Generator, shape: tuple[int, ...], _: str) -> np.ndarray:
        n = shape[-1]
        return np.tril(rng.standard_normal(shape) / np.sqrt(n) + 2 * np.eye(n))

    return Input(shape, make)


def key() -> Input:
    """A key for jax.random, uint32[2]."""
    return Input((2,), lambda *_: np.array([0, 42]), "u32")


def like(*shape: int) -> Input:
    """Zeros that only tell a shape and a dtype; jit drops them."""
    return Input(shape, lambda _, shape, __: np.zeros(shape))


@dataclass(frozen=True)
class Operation:
    """One operation: a line or three of a family's file.

    ``call`` takes the arrays of ``inputs(n)`` and may read their shapes as constants.
    """

    name: str
    call: Callable[..., Any]
    inputs: Callable[[int], tuple[Input, ...]]
    family: str = ""
    sizes: tuple[int, ...] = ELEMENTS
    dtypes: tuple[str, ...] = ("f32",)
    # Positions of the inputs that a gradient is taken of; empty: nobody takes it.
    gradient: tuple[int, ...] = ()
    # What a size counts, where it is not elements: "n of n x n".
    unit: str = "elements"
    # How much more than a dtype's own tolerance two results may differ.
    tolerance: float = 1.0
    # The largest ratio to XLA:CPU's time that is wanted.
    bound: float = 2.0
    # Whether it is a loop of many turns, which the mean leaves out.
    loop: bool = False
    # Whether the first argument is given away and replaced by the first result.
    donate: bool = False
    # Of the results as NumPy arrays, what must be equal; for results that are not unique.
    invariant: Callable[..., Any] = field(default=lambda *leaves: leaves)


def in_family(name: str, *operations: Operation) -> tuple[Operation, ...]:
    """The operations, marked as those of a family."""
    return tuple(Operation(**(vars(operation) | {"family": name})) for operation in operations)
