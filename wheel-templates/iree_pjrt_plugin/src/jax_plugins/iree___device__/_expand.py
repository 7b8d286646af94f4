# SPDX-License-Identifier: Apache-2.0
"""Rewriting of ops that the IREE compiler does not survive."""

from __future__ import annotations

import functools
from typing import Any

from jaxlib.mlir import ir, passmanager
from jaxlib.mlir.dialects import stablehlo

# StableHLO 1.0 has no batching dimensions: expanding for it turns them into indices (iota).
_PIPELINE = "builtin.module(stablehlo-compatibility-expander{target=1.0.0})"


def expand_batched_scatters(module: ir.Module) -> None:
    """Rewrites scatters with batching dimensions in place, where there are any.

    The IREE compiler 3.11 crashes on them (``LinalgExt::ScatterOp``); JAX emits them for the
    gradient of ``jnp.take_along_axis``, such as in a cross-entropy loss.

    Raises:
      MLIRError: the pass failed.
    """
    found = False

    def visit(op: Any) -> Any:
        nonlocal found
        if op.name == "stablehlo.scatter":
            numbers = stablehlo.ScatterDimensionNumbers(op.attributes["scatter_dimension_numbers"])
            found = found or bool(numbers.input_batching_dims)
        return ir.WalkResult.INTERRUPT if found else ir.WalkResult.ADVANCE

    module.operation.walk(visit, ir.WalkOrder.PRE_ORDER)
    if found:
        _register_passes()
        passmanager.PassManager.parse(_PIPELINE).run(module.operation)


@functools.cache
def _register_passes() -> None:
    stablehlo.register_stablehlo_passes()
