# SPDX-License-Identifier: Apache-2.0
"""The cells of the growth table: an operation or its gradient, a dtype, a size.

``python cells.py`` prints one JSON object: the version of jaxlib, and the cells.
"""

import json
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import jaxlib
import numpy as np
from operations import OPERATIONS
from operations.operation import GRADIENT_DTYPES, Input, Operation

_SEED = 20261124


@dataclass(frozen=True)
class Cell:
    """One operation, or the gradient of it, in a dtype, at a size."""

    operation: Operation
    gradient: bool
    dtype: str
    size: int

    @property
    def curve(self) -> str:
        """What its sizes share, as ``neural/softmax.grad/f32``."""
        name = self.operation.name + (".grad" if self.gradient else "")
        return f"{self.operation.family}/{name}/{self.dtype}"

    @property
    def id(self) -> str:
        """As ``neural/softmax.grad/f32/16384``."""
        return f"{self.curve}/{self.size}"

    @property
    def wide(self) -> bool:
        """Whether JAX needs its types of 64 bits."""
        return self.dtype in ("f64", "c128")

    def elements(self) -> int:
        """Elements of all inputs together."""
        inputs = jax.tree.leaves(self.operation.inputs(self.size))
        return sum(math.prod(each.shape) for each in inputs)

    def arrays(self) -> tuple[Any, ...]:
        """The arguments of ``function()`` as NumPy arrays, equal in each process."""
        rng = np.random.default_rng(_SEED)

        def make(each: Input) -> np.ndarray:
            return each.array(rng, self.dtype)

        inputs = jax.tree.map(make, self.operation.inputs(self.size))
        if not self.gradient:
            return inputs
        results = jax.eval_shape(self._chosen(inputs)[0], *self._chosen(inputs)[1])
        cotangents = [rng.uniform(0.5, 1.5, y.shape).astype(y.dtype) for y in results]
        return (*inputs, cotangents)

    def function(self) -> Callable[..., Any]:
        """What is compiled: the operation, or the pull-back of cotangents, its last argument."""
        return self._pulled_back if self.gradient else self.operation.call

    def _pulled_back(self, *arguments: Any) -> Any:
        *inputs, cotangents = arguments
        call, chosen = self._chosen(inputs)
        return jax.vjp(call, *chosen)[1](cotangents)

    def _chosen(self, inputs: Sequence[Any]) -> tuple[Callable[..., list[Any]], list[Any]]:
        """The operation as a function of the inputs that it is differentiated by, and those."""
        places = self.operation.gradient

        def call(*chosen: Any) -> list[Any]:
            whole = list(inputs)
            for place, value in zip(places, chosen, strict=True):
                whole[place] = value
            results = jax.tree.leaves(self.operation.call(*whole))
            return [y for y in results if jnp.issubdtype(y.dtype, jnp.inexact)]

        return call, [inputs[place] for place in places]

    def about(self) -> dict[str, Any]:
        """What stands in the table beside its figures."""
        operation = self.operation
        return {
            "id": self.id,
            "unit": operation.unit,
            "elements": self.elements(),
            "loop": operation.loop,
            "bound": operation.bound,
        }


def _cells_of(operation: Operation) -> Iterator[Cell]:
    for gradient in (False, True) if operation.gradient else (False,):
        for dtype in operation.dtypes:
            if gradient and dtype not in GRADIENT_DTYPES:
                continue
            # Of the other dtypes every other size, the largest among them: the table takes an hour.
            sizes = operation.sizes[:: 1 if dtype == operation.dtypes[0] else -2]
            yield from (Cell(operation, gradient, dtype, size) for size in sorted(sizes))


CELLS = {cell.id: cell for operation in OPERATIONS for cell in _cells_of(operation)}


def main() -> None:
    """Prints the version and the cells."""
    cells = [cell.about() for cell in CELLS.values()]
    print(json.dumps({"jaxlib": jaxlib.__version__, "cells": cells}, ensure_ascii=False))


if __name__ == "__main__":
    main()
