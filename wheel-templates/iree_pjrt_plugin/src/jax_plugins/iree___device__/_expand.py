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


def index_what_has_no_index(module: ir.Module) -> None:
    """Puts a dimension of one in front of arrays that are written as a whole, in place.

    The IREE compiler 3.11 refuses scatters that index no dimension, with invalid IR that may
    crash it; JAX emits them for ``x.at[:].set``.
    """
    for op in ops_in(module, "stablehlo.scatter"):
        numbers = stablehlo.ScatterDimensionNumbers(op.attributes["scatter_dimension_numbers"])
        if not numbers.scattered_dims_to_operand_dims and not numbers.inserted_window_dims:
            with op.location, ir.InsertionPoint(op):
                _index(op, numbers)


def _index(op: Any, numbers: Any) -> None:
    count = len(op.operands) // 2
    arrays, indices, updates = (
        list(op.operands)[:count],
        op.operands[count],
        list(op.operands)[count + 1 :],
    )
    for i, array in enumerate(arrays):
        kind = ir.RankedTensorType(array.type)
        arrays[i] = stablehlo.reshape(
            ir.RankedTensorType.get([1, *kind.shape], kind.element_type), array
        )
    shape = list(ir.RankedTensorType(indices.type).shape)
    shape[numbers.index_vector_dim : numbers.index_vector_dim + 1] = [1]
    zeros = ir.DenseElementsAttr.get(np.zeros(shape, np.int32))
    window = list(numbers.update_window_dims)
    numbers = stablehlo.ScatterDimensionNumbers.get(
        window, [0], [], [], [0], numbers.index_vector_dim
    )
    made = remake_scatter(op, [*arrays, stablehlo.constant(zeros), *updates], numbers)
    for old, new in zip(op.results, made.results, strict=True):
        old.replace_all_uses_with(stablehlo.reshape(old.type, new))
    op.operation.erase()


def spread_indexed_windows(module: ir.Module) -> None:
    """Turns scatters of windows at an index into scatters of elements, in place.

    The IREE compiler 3.11 takes an indexed dimension for one that is not in the window, and
    writes the last element only; JAX emits them for a batched ``dynamic_update_slice``.
    """
    for op in ops_in(module, "stablehlo.scatter"):
        with op.location, ir.InsertionPoint(op):
            _spread(op)


def put_indexed_dimensions_first(module: ir.Module) -> None:
    """Transposes scatters so that windows come last in arrays and updates, in place.

    The IREE compiler 3.11 crashes on some where they do not; JAX makes them for a scatter in
    ``jax.vmap``.
    """
    for op in ops_in(module, "stablehlo.scatter"):
        with op.location, ir.InsertionPoint(op):
            _put_indexed_first(op)


def ops_in(module: ir.Module, name: str) -> list[Any]:
    """All ops of this name in the module; they may be replaced while they are gone through."""
    found: list[Any] = []

    def visit(op: Any) -> Any:
        if op.name == name:
            found.append(op)
        return ir.WalkResult.ADVANCE

    module.operation.walk(visit, ir.WalkOrder.PRE_ORDER)
    return found


def _put_indexed_first(op: Any) -> None:
    numbers = stablehlo.ScatterDimensionNumbers(op.attributes["scatter_dimension_numbers"])
    indexed = list(numbers.scattered_dims_to_operand_dims)
    if set(indexed) != set(numbers.inserted_window_dims):
        return
    count = len(op.operands) // 2
    rank, update_rank = (ir.RankedTensorType(op.operands[i].type).rank for i in (0, count + 1))
    order = indexed + [d for d in range(rank) if d not in indexed]
    window = list(numbers.update_window_dims)
    update_order = [u for u in range(update_rank) if u not in window] + window
    if order == list(range(rank)) and update_order == list(range(update_rank)):
        return
    arrays, updates = list(op.operands)[:count], list(op.operands)[count + 1 :]
    arrays = [stablehlo.transpose(array, order) for array in arrays]
    updates = [stablehlo.transpose(update, update_order) for update in updates]
    first = list(range(len(indexed)))
    numbers = stablehlo.ScatterDimensionNumbers.get(
        list(range(update_rank - len(window), update_rank)),
        first,
        [],
        [],
        first,
        numbers.index_vector_dim,
    )
    operands = [*arrays, op.operands[count], *updates]
    made = remake_scatter(op, operands, numbers)
    back = [order.index(d) for d in range(rank)]
    for old, new in zip(op.results, made.results, strict=True):
        old.replace_all_uses_with(stablehlo.transpose(new, back))
    op.operation.erase()


def remake_scatter(op: Any, operands: list[Any], numbers: Any) -> Any:
    """A scatter with the body of ``op``, which it takes; ``op`` is left to be erased."""
    made = ir.Operation.create(
        "stablehlo.scatter",
        [operand.type for operand in operands[: len(operands) // 2]],
        operands,
        # Neither sorted nor unique, the defaults: windows may have come to overlap.
        {"scatter_dimension_numbers": numbers},
        regions=1,
    )
    op.regions[0].blocks[0].append_to(made.regions[0])
    return made


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
    for u, d in spread.items():
        steps = stablehlo.iota(wide, batch.index(u))
        here = each([int(other == d) for other in indexed])
        start = stablehlo.add(start, stablehlo.multiply(steps, here))
    numbers = stablehlo.ScatterDimensionNumbers.get(
        kept, sorted({*inserted, *indexed}), [], [], indexed, len(batch)
    )
    operands = list(op.operands)
    operands[count] = start
    made = remake_scatter(op, operands, numbers)
    for old, new in zip(op.results, made.results, strict=True):
        old.replace_all_uses_with(new)
    op.operation.erase()


@functools.cache
def _register_passes() -> None:
    stablehlo.register_stablehlo_passes()
