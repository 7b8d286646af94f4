# SPDX-License-Identifier: Apache-2.0
"""A value of a program on each of its devices, and tensors cut up and put together.

What is the same SSA value on all devices is kept, and computed, once.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeAlias

import numpy as np
from jaxlib.mlir import ir
from jaxlib.mlir.dialects import stablehlo

# One value for all devices, or one for each of them.
Copies: TypeAlias = list[Any]
# For each of some values, a number for each device: devices with the same copy have the same number
# (``classes``).
Kinds: TypeAlias = list[list[int]]


def on(copies: Copies, device: int) -> Any:
    """Returns a device's value."""
    return copies[device] if len(copies) > 1 else copies[0]


def joined(values: Iterable[Any]) -> Copies:
    """Returns copies of one value for each device: a single one if they are all the same."""
    copies = list(values)
    return copies[:1] if all(value == copies[0] for value in copies) else copies


def classes(keys: Sequence[Any]) -> list[int]:
    """Returns for each device the number of its key, in the order of their first appearance."""
    numbers: dict[Any, int] = {}
    return [numbers.setdefault(key, len(numbers)) for key in keys]


def different(copies: Sequence[Copies], kinds: Kinds) -> list[Any]:
    """Returns the copies of all values in a row, each different copy once."""
    return [
        on(own, kind.index(number))
        for own, kind in zip(copies, kinds, strict=True)
        for number in range(max(kind) + 1)
    ]


def spread(values: Iterable[Any], kinds: Kinds) -> list[Copies]:
    """Returns the copies of each value from such a row: the inverse of ``different``."""
    rest = iter(values)
    copies = []
    for kind in kinds:
        own = [next(rest) for _ in range(max(kind) + 1)]
        copies.append(joined(own[number] for number in kind))
    return copies


def each(count: int, operands: Sequence[Copies], make: Callable[[tuple[Any, ...]], Any]) -> list:
    """Calls ``make`` with the operands of each device, once for those that have the same.

    Returns what it returned, for each device; once if that is one for all.
    """
    if all(len(copies) == 1 for copies in operands):
        return [make(tuple(copies[0] for copies in operands))]
    made: dict[tuple[Any, ...], Any] = {}
    answers = []
    for device in range(count):
        key = tuple(on(copies, device) for copies in operands)
        if key not in made:
            made[key] = make(key)
        answers.append(made[key])
    return answers[:1] if len(made) == 1 else answers


def shape_of(value: Any) -> list[int]:
    """Returns a tensor's dimensions."""
    return list(ir.RankedTensorType(value.type).shape)


def cut(value: Any, parts: Sequence[int], tile: Sequence[int]) -> Any:
    """Returns one tile of a tensor that is cut into so many parts in each dimension."""
    if math.prod(parts) == 1:
        return value
    sizes = [n // count for n, count in zip(shape_of(value), parts, strict=True)]
    start = [index * size for index, size in zip(tile, sizes, strict=True)]
    limit = [first + size for first, size in zip(start, sizes, strict=True)]
    return stablehlo.slice(value, start, limit, [1] * len(sizes))


def put_together(parts: Sequence[int], piece: Callable[[tuple[int, ...]], Any]) -> Any:
    """Returns the tensor whose tiles ``piece`` gives, by their indices in each dimension."""

    def along(prefix: tuple[int, ...]) -> Any:
        dimension = len(prefix)
        if dimension == len(parts):
            return piece(prefix)
        pieces = [along((*prefix, index)) for index in range(parts[dimension])]
        return pieces[0] if len(pieces) == 1 else stablehlo.concatenate(pieces, dimension)

    return along(())


def forward_slices(block: Any) -> None:
    """Takes slices of concatenations from the pieces that they lie in, in place."""
    slices = [op.operation for op in block.operations if op.operation.name == "stablehlo.slice"]
    for op in slices:
        start, limit, strides = (
            [int(n) for n in ir.DenseI64ArrayAttr(op.attributes[name])]
            for name in ("start_indices", "limit_indices", "strides")
        )
        source = op.operands[0]
        if any(step != 1 for step in strides):
            continue
        while (found := _piece(source, start, limit)) is not None:
            source, offset, dimension = found
            start[dimension] -= offset
            limit[dimension] -= offset
        if source == op.operands[0]:
            continue
        if not any(start) and limit == shape_of(source):
            op.results[0].replace_all_uses_with(source)
        else:
            with op.location, ir.InsertionPoint(op):
                piece = stablehlo.slice(source, start, limit, strides)
            op.results[0].replace_all_uses_with(piece)
        op.erase()


def _piece(source: Any, start: Sequence[int], limit: Sequence[int]) -> tuple[Any, int, int] | None:
    """The operand of a concatenation that a slice lies in, where it begins, in what dimension."""
    if getattr(source.owner, "name", "") != "stablehlo.concatenate":
        return None
    dimension = int(ir.IntegerAttr(source.owner.attributes["dimension"]).value)
    offset = 0
    for piece in source.owner.operands:
        end = offset + shape_of(piece)[dimension]
        if offset <= start[dimension] and limit[dimension] <= end:
            return piece, offset, dimension
        offset = end
    return None


def constant(type_: ir.Type, number: int) -> Any:
    """Returns a tensor of one number: any for integers and floats, 0 or 1 for other types."""
    tensor = ir.RankedTensorType(type_)
    element = str(tensor.element_type)
    if element.startswith("complex"):
        text = f"({number}.0, 0.0)"
    elif element == "i1":
        text = "true" if number else "false"
    else:
        text = f"{number}.0" if "f" in element else str(number)
    # Parsed, as numpy does not know all types.
    if 0 in tensor.shape:
        text = ""
    return stablehlo.constant(ir.DenseElementsAttr(ir.Attribute.parse(f"dense<{text}> : {type_}")))


def integers(numbers: Any) -> np.ndarray[Any, Any]:
    """Returns the numbers of a dense attribute of integers, with its dimensions."""
    dense = ir.DenseElementsAttr(numbers)
    shape = list(ir.RankedTensorType(dense.type).shape)
    if 0 in shape:
        return np.zeros(shape, np.int64)
    ints = ir.DenseIntElementsAttr(numbers)
    if ints.is_splat:
        return np.full(shape, int(ints[0]), np.int64)
    return np.array([int(number) for number in ints], np.int64).reshape(shape)
