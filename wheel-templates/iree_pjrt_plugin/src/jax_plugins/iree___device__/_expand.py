# SPDX-License-Identifier: Apache-2.0
"""Rewriting of ops that the IREE compiler does not survive."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
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


def spread_indexed_windows(module: ir.Module) -> None:
    """Turns scatters of windows at an index into scatters of elements, in place.

    The IREE compiler 3.11 takes an indexed dimension for one that is not in the window, and
    writes the last element only; JAX emits them for a batched ``dynamic_update_slice``.
    """
    scatters: list[Any] = []

    def visit(op: Any) -> Any:
        if op.name == "stablehlo.scatter":
            scatters.append(op)
        return ir.WalkResult.ADVANCE

    module.operation.walk(visit, ir.WalkOrder.PRE_ORDER)
    for op in scatters:
        with op.location, ir.InsertionPoint(op):
            _spread(op)


def _spread(op: Any) -> None:
    numbers = stablehlo.ScatterDimensionNumbers(op.attributes["scatter_dimension_numbers"])
    indexed = list(numbers.scattered_dims_to_operand_dims)
    inserted = list(numbers.inserted_window_dims)
    count = len(op.operands) // 2
    shape, updates = (ir.RankedTensorType(op.operands[i].type).shape for i in (0, count + 1))
    indices = op.operands[count]
    index_type = ir.RankedTensorType(indices.type)
    dtype = {"i32": np.int32, "i64": np.int64}.get(str(index_type.element_type))
    if not dtype or numbers.index_vector_dim != index_type.rank - 1:
        return
    if set(indexed) <= set(inserted):
        return
    window = [d for d in range(len(shape)) if d not in inserted]
    at = dict(zip(window, numbers.update_window_dims, strict=True))
    spread = {at[d]: d for d in indexed if d in at}
    kept = [u for u in numbers.update_window_dims if u not in spread]
    batch = [u for u in range(len(updates)) if u not in kept]
    wide = ir.RankedTensorType.get(
        [updates[u] for u in batch] + [len(indexed)], index_type.element_type
    )

    def each(values: list[int]) -> Any:  # one for each component of an index
        array = ir.DenseElementsAttr.get(np.array(values, dtype), type=index_type.element_type)
        constant = stablehlo.constant(array)
        return stablehlo.broadcast_in_dim(wide, constant, [len(batch)])

    to = [batch.index(u) for u in batch if u not in spread] + [len(batch)]
    start = stablehlo.broadcast_in_dim(wide, indices, to)
    # IREE does not look at bounds: a window that does not fit is moved to where it does.
    last = each([shape[d] - (updates[at[d]] if d in at else 1) for d in indexed])
    start = stablehlo.clamp(each([0] * len(indexed)), start, last)
    for u, d in spread.items():
        steps = stablehlo.iota(wide, batch.index(u))
        here = each([int(other == d) for other in indexed])
        start = stablehlo.add(start, stablehlo.multiply(steps, here))
    numbers = stablehlo.ScatterDimensionNumbers.get(
        kept, sorted({*inserted, *indexed}), [], [], indexed, len(batch)
    )
    operands = list(op.operands)
    operands[count] = start
    made = ir.Operation.create(
        "stablehlo.scatter",
        [result.type for result in op.results],
        operands,
        # Windows may overlap: neither sorted nor unique, the defaults.
        {"scatter_dimension_numbers": numbers},
        regions=1,
    )
    op.regions[0].blocks[0].append_to(made.regions[0])
    for old, new in zip(op.results, made.results, strict=True):
        old.replace_all_uses_with(new)
    op.operation.erase()


@functools.cache
def _register_passes() -> None:
    stablehlo.register_stablehlo_passes()
