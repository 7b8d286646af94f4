# SPDX-License-Identifier: Apache-2.0
"""Scatters and gathers that stay within the bounds of arrays.

StableHLO leaves out an update whose window does not fit, and moves a slice that does not fit to
where it does. The code that IREE 3.11 makes does not look at bounds: it reads and writes where it
is told, outside of the array too.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from jaxlib.mlir import ir
from jaxlib.mlir.dialects import stablehlo

from ._expand import ops_in, remake_scatter


def keep_scatters_in_bounds(module: ir.Module) -> None:
    """Rewrites scatters without batching dimensions in place, but for those that surely fit.

    Where an update does not fit, its window is moved to where it does, and

    - one that is added gets a zero to add;
    - a single one writes what is there already;
    - any other goes into rows of a wider array, which are cut off again.
    """
    for op in ops_in(module, "stablehlo.scatter"):
        with op.location, ir.InsertionPoint(op):
            _keep_in_bounds(op, _Windows(op))


def keep_gathers_in_bounds(module: ir.Module) -> None:
    """Clamps the indices of gathers in place."""
    for op in ops_in(module, "stablehlo.gather"):
        with op.location, ir.InsertionPoint(op):
            _clamp_gather(op)


def _clamp_gather(op: Any) -> None:
    numbers = stablehlo.GatherDimensionNumbers(op.attributes["dimension_numbers"])
    array, indices = op.operands
    shape = ir.RankedTensorType(array.type).shape
    sizes = np.array(ir.DenseI64ArrayAttr(op.attributes["slice_sizes"]))
    limits = [shape[d] - int(sizes[d]) for d in numbers.start_index_map]
    index_shape = list(ir.RankedTensorType(indices.type).shape)
    if not limits or 0 in index_shape or _surely_fit(indices, limits, numbers.index_vector_dim):
        return
    indices = _signed(indices)
    kind = ir.RankedTensorType(indices.type)
    along = [numbers.index_vector_dim] if numbers.index_vector_dim < len(index_shape) else []
    dtype = np.int64 if str(kind.element_type) == "i64" else np.int32
    last = ir.DenseElementsAttr.get(np.array(limits if along else limits[0], dtype))
    last = stablehlo.broadcast_in_dim(kind, stablehlo.constant(last), along)
    op.operands[1] = stablehlo.clamp(_scalar(kind, 0), indices, last)


class _Windows:
    """Where a scatter writes: shapes, and one limit for each component of an index."""

    def __init__(self, op: Any) -> None:
        numbers = stablehlo.ScatterDimensionNumbers(op.attributes["scatter_dimension_numbers"])
        self.count = len(op.operands) // 2
        self.indices = op.operands[self.count]
        self.updates = list(op.operands)[self.count + 1 :]
        self.shape = ir.RankedTensorType(op.operands[0].type).shape
        self.indexed = list(numbers.scattered_dims_to_operand_dims)
        self.vector_dim = numbers.index_vector_dim
        self.index_shape = ir.RankedTensorType(self.indices.type).shape
        update_shape = ir.RankedTensorType(self.updates[0].type).shape
        in_window = list(numbers.update_window_dims)
        # Dimensions of the updates that go through the indices, in their order.
        self.batch = [d for d in range(len(update_shape)) if d not in in_window]
        self.batch_shape = [update_shape[d] for d in self.batch]
        inserted = list(numbers.inserted_window_dims)
        windowed = [d for d in range(len(self.shape)) if d not in inserted]
        self.sizes = [1] * len(self.shape)
        for d, u in zip(windowed, in_window, strict=True):
            self.sizes[d] = update_shape[u]
        self.limits = [self.shape[d] - self.sizes[d] for d in self.indexed]


def _surely_fit(indices: Any, limits: list[int], vector_dim: int) -> bool:
    """Whether the indices are constants within the limits."""
    owner = indices.owner
    if isinstance(owner, ir.Block) or owner.name != "stablehlo.constant":
        return False
    shape = ir.RankedTensorType(indices.type).shape
    values = np.broadcast_to(np.array(ir.DenseIntElementsAttr(owner.attributes["value"])), shape)
    if vector_dim == len(shape):
        values = values[..., None]
    values = np.moveaxis(values, vector_dim, -1)
    return bool(((values >= 0) & (values <= limits)).all())


def _keep_in_bounds(op: Any, windows: _Windows) -> None:
    if not windows.indexed or 0 in windows.batch_shape:
        return
    if _surely_fit(windows.indices, windows.limits, windows.vector_dim):
        return
    if min(windows.limits) < 0:  # an empty dimension: nothing fits
        for result, operand in zip(op.results, op.operands, strict=False):
            result.replace_all_uses_with(operand)
        op.operation.erase()
        return
    parts = _components(windows)
    fits, moved = _clamp(parts, windows.limits)
    if windows.count == 1 and _is_addition(op):
        _write(op, windows, moved, [_select(fits, windows, _zeros(windows.updates[0].type))])
    elif math.prod(windows.batch_shape) == 1:
        there = [_read(op.operands[i], windows, moved, i) for i in range(windows.count)]
        updates = [_select(fits, windows, value, i) for i, value in enumerate(there)]
        _write(op, windows, moved, updates)
    else:
        _write_beside(op, windows, fits, moved)


def _components(windows: _Windows) -> list[Any]:
    """The components of the indices, each of the batch's shape, as signed integers."""
    indices, shape = windows.indices, list(windows.index_shape)
    indices = _signed(indices)
    if windows.vector_dim == len(shape):
        return [indices]
    element = ir.RankedTensorType(indices.type).element_type
    ends, steps = shape, [1] * len(shape)
    parts = []
    for k in range(len(windows.indexed)):
        starts = [0] * len(shape)
        ends = list(shape)
        starts[windows.vector_dim], ends[windows.vector_dim] = k, k + 1
        part = stablehlo.slice(indices, starts, ends, steps)
        parts.append(stablehlo.reshape(ir.RankedTensorType.get(windows.batch_shape, element), part))
    return parts


def _signed(indices: Any) -> Any:
    kind = ir.RankedTensorType(indices.type)
    name = str(kind.element_type)
    if name in ("i32", "i64"):
        return indices
    # What is too large for the sign becomes negative. That lies outside as well.
    element = ir.IntegerType.get_signless(64 if name == "ui64" else 32)
    return stablehlo.convert(ir.RankedTensorType.get(kind.shape, element), indices)


def _clamp(parts: list[Any], limits: list[int]) -> tuple[Any, list[Any]]:
    """Whether each index fits, and the nearest that does."""
    fits, moved = None, []
    for part, limit in zip(parts, limits, strict=True):
        inside = stablehlo.clamp(_scalar(part.type, 0), part, _scalar(part.type, limit))
        moved.append(inside)
        same = stablehlo.compare(part, inside, stablehlo.ComparisonDirectionAttr.get("EQ"))
        fits = same if fits is None else stablehlo.and_(fits, same)
    return fits, moved


def _scalar(like: ir.Type, value: int) -> Any:
    """A constant of the element type of ``like``."""
    element = ir.RankedTensorType(like).element_type
    attribute = ir.IntegerAttr.get(element, value)
    return stablehlo.constant(
        ir.DenseElementsAttr.get_splat(ir.RankedTensorType.get([], element), attribute)
    )


def _zeros(like: ir.Type) -> Any:
    """What changes nothing when it is added: of floats, the negative zero."""
    kind = ir.RankedTensorType(like)
    element = kind.element_type
    if isinstance(element, ir.IntegerType):
        attribute: Any = ir.IntegerAttr.get(element, 0)
    else:
        attribute = ir.FloatAttr.get(element, -0.0)
    return stablehlo.constant(ir.DenseElementsAttr.get_splat(kind, attribute))


def _is_addition(op: Any) -> bool:
    """Whether what is there and the update are added, and both are real numbers."""
    element = ir.RankedTensorType(op.operands[0].type).element_type
    body = [inner.name for inner in op.regions[0].blocks[0].operations]
    return not isinstance(element, ir.ComplexType) and body == ["stablehlo.add", "stablehlo.return"]


def _select(fits: Any, windows: _Windows, otherwise: Any, i: int = 0) -> Any:
    update = windows.updates[i]
    shape = ir.RankedTensorType(update.type).shape
    mask = ir.RankedTensorType.get(shape, ir.IntegerType.get_signless(1))
    return stablehlo.select(
        stablehlo.broadcast_in_dim(mask, fits, windows.batch), update, otherwise
    )


def _read(operand: Any, windows: _Windows, starts: list[Any], i: int) -> Any:
    """What is there where the only update goes."""
    element = ir.RankedTensorType(starts[0].type).element_type
    scalar = ir.RankedTensorType.get([], element)
    at = [_scalar(scalar, 0)] * len(windows.shape)
    for d, start in zip(windows.indexed, starts, strict=True):
        at[d] = stablehlo.reshape(scalar, start)
    window = stablehlo.dynamic_slice(operand, at, windows.sizes)
    return stablehlo.reshape(windows.updates[i].type, window)


def _write_beside(op: Any, windows: _Windows, fits: Any, starts: list[Any]) -> None:
    """Makes room past the end of the first indexed dimension for what does not fit."""
    dim = windows.indexed[0]
    size, room = windows.shape[dim], windows.sizes[dim]
    outside = stablehlo.broadcast_in_dim(starts[0].type, _scalar(starts[0].type, size), [])
    starts = [stablehlo.select(fits, starts[0], outside), *starts[1:]]
    begin, ones = [0] * len(windows.shape), [1] * len(windows.shape)
    end = list(windows.shape)
    end[dim] = room
    wide = []
    for i in range(windows.count):
        # Its own elements, so that no constant is needed: IREE crashes on complex ones.
        more = stablehlo.slice(op.operands[i], begin, end, ones)
        wide.append(stablehlo.concatenate([op.operands[i], more], dim))
    made = _scatter(op, windows, wide, starts, windows.updates)
    for old, new in zip(op.results, made.results, strict=True):
        old.replace_all_uses_with(stablehlo.slice(new, begin, windows.shape, ones))
    op.operation.erase()


def _write(op: Any, windows: _Windows, starts: list[Any], updates: list[Any]) -> None:
    operands = list(op.operands)[: windows.count]
    made = _scatter(op, windows, operands, starts, updates)
    for old, new in zip(op.results, made.results, strict=True):
        old.replace_all_uses_with(new)
    op.operation.erase()


def _scatter(
    op: Any, windows: _Windows, operands: list[Any], starts: list[Any], updates: list[Any]
) -> Any:
    """The same scatter of other operands."""
    element = ir.RankedTensorType(starts[0].type).element_type
    if windows.vector_dim < len(windows.index_shape):
        one = list(windows.index_shape)
        one[windows.vector_dim] = 1
        kind = ir.RankedTensorType.get(one, element)
        starts = [stablehlo.reshape(kind, start) for start in starts]
    indices = starts[0] if len(starts) == 1 else stablehlo.concatenate(starts, windows.vector_dim)
    return remake_scatter(
        op, [*operands, indices, *updates], op.attributes["scatter_dimension_numbers"]
    )
