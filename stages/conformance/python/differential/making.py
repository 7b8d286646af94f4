# SPDX-License-Identifier: Apache-2.0
"""What operations are made with: values to use, choices, and the table of operations."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

_Each = TypeVar("_Each")

FLOATS = ("float32", "float64", "float16", "bfloat16")
COMPLEX = ("complex64", "complex128")
INTEGERS = ("int32", "int8", "uint8", "int64")


def broadcasts(*shapes: tuple[int, ...]) -> bool:
    """Whether arrays of these shapes can be used element by element."""
    try:
        np.broadcast_shapes(*shapes)
    except ValueError:
        return False
    return True


@dataclass(frozen=True)
class Value:
    """A named array of a program."""

    name: str
    shape: tuple[int, ...]
    dtype: str

    @property
    def ndim(self) -> int:
        """How many dimensions it has."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """How many elements it has."""
        return math.prod(self.shape)


class Maker:
    """Makes the text of one operation: numbers decide what it uses, the least the simplest."""

    def __init__(self, pool: Sequence[Value], numbers: Sequence[int], wide: bool) -> None:
        self.pool = pool
        self._numbers = list(numbers)
        self._next = 0
        self.float = "f64" if wide else "f32"
        self.complex = "c128" if wide else "c64"

    def of(self, choices: Sequence[_Each]) -> _Each:
        """One of several."""
        number = self._numbers[self._next % len(self._numbers)]
        self._next += 1
        return choices[number % len(choices)]

    def number(self, first: int, last: int) -> int:
        """A whole number, the ends included."""
        return self.of(range(first, last + 1))

    def value(self, fits: Callable[[Value], bool] = lambda _: True) -> Value | None:
        """A value that fits, most likely a late one."""
        found = [value for value in reversed(self.pool) if fits(value)]
        return self.of(found) if found else None

    def rows(self, least: int = 1) -> Value | None:
        """A value with dimensions, the first of them of some length."""
        return self.value(lambda v: v.ndim > 0 and v.shape[0] >= least)

    def axis(self, v: Value) -> int:
        """One of its dimensions, the last the simplest."""
        return self.of(range(v.ndim - 1, -1, -1))

    def beside(self, v: Value) -> Value:
        """A value that broadcasts with it; itself, if no other does."""
        found = self.value(lambda w: broadcasts(v.shape, w.shape))
        assert found is not None
        return found

    def real(self, v: Value) -> str:
        """The value in a type of floats."""
        if v.dtype in FLOATS:
            return v.name
        return f"{v.name}.real" if v.dtype in COMPLEX else f"{v.name}.astype({self.float})"

    def full(self, v: Value) -> str:
        """The value in the program's type of floats."""
        text = f"{v.name}.real" if v.dtype in COMPLEX else v.name
        return f"{text}.astype({self.float})"

    def whole(self, v: Value, largest: int = 100) -> str:
        """The value as int32; clipped, as XLA leaves open what floats out of range become."""
        if v.dtype in ("int32", "int8", "uint8", "bool"):
            return f"{v.name}.astype(i32)"
        return f"jnp.clip({self.real(v)}, -{largest}, {largest}).astype(i32)"

    def matrix(self, most: int) -> tuple[str, tuple[int, int]] | None:
        """A matrix of floats, and its shape."""
        v = self.value(lambda w: w.ndim > 0 and w.size > 0 and max(w.shape) <= most)
        if v is None:
            return None
        if v.ndim == 2:
            return self.full(v), (v.shape[0], v.shape[1])
        shape = (v.shape[0], v.size // v.shape[0])
        return f"{self.full(v)}.reshape{shape}", shape


@dataclass(frozen=True)
class Operation:
    """Makes the text of an operation, or None where no value suits it."""

    name: str
    make: Callable[[Maker], str | None]
    errors: str


OPERATIONS: dict[str, Operation] = {}


def operation(
    errors: str,
) -> Callable[[Callable[[Maker], str | None]], Callable[[Maker], str | None]]:
    """Puts a function into the table; ``errors`` are ``exact``, ``rounded`` or ``sums``."""

    def put(make: Callable[[Maker], str | None]) -> Callable[[Maker], str | None]:
        name = make.__name__.strip("_")
        assert name not in OPERATIONS, name
        OPERATIONS[name] = Operation(name, make, errors)
        return make

    return put
