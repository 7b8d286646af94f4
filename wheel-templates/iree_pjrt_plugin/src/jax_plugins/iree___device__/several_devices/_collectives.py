# SPDX-License-Identifier: Apache-2.0
"""Collectives as arithmetic on the values of all devices, which one program holds."""

from __future__ import annotations

import functools
from collections.abc import Callable, Collection, Sequence
from typing import Any

from jaxlib.mlir import ir
from jaxlib.mlir.dialects import stablehlo

from ._copies import Copies, constant, cut, integers, joined, on, shape_of
from ._mesh import Axis, Mesh, Meshes
from ._shardings import UnsupportedProgramError, entries_of

IDS = frozenset({"stablehlo.partition_id", "stablehlo.replica_id"})


class Devices:
    """The devices of a module that take part: replicas or partitions."""

    def __init__(self, module: ir.Module, replicas: int, partitions: int) -> None:
        if replicas > 1 and partitions > 1:
            raise UnsupportedProgramError(
                f"{replicas} replicas x {partitions} partitions: programs with both are not "
                "supported"
            )
        self.count = replicas * partitions
        self.replicated = replicas > 1
        self.meshes = Meshes(module, self.count)

    def ids(self, name: str) -> list[int]:
        """Returns the value of ``stablehlo.partition_id`` or ``replica_id`` on each device."""
        counts = self.replicated == (name == "stablehlo.replica_id")
        return list(range(self.count)) if counts else [0] * self.count

    def groups(self, op: Any) -> list[list[int]]:
        """Returns the groups of devices that a collective runs over."""
        across_partitions = "channel_handle" in op.attributes
        if not self.replicated and not across_partitions:
            return [[device] for device in range(self.count)]  # of one replica
        attribute = op.attributes["replica_groups"]
        if "mesh_axes" in str(attribute):
            return _groups_along(*self.meshes.replica_group(attribute))
        rows = integers(attribute)
        groups = [[int(device) for device in row if device >= 0] for row in rows]
        return [group for group in groups if group] or [list(range(self.count))]

    def sums(self, copies: Copies, axes: Collection[Axis], mesh: Mesh) -> Copies:
        """Adds up the terms that devices along these axes hold; all of them get the sum."""
        if not axes or len(copies) == 1:
            return copies
        made: dict[Any, Any] = {}
        sums = [None] * self.count
        for group in _groups_along(mesh, axes):
            key = tuple(copies[device] for device in group)
            if key not in made:
                made[key] = functools.reduce(stablehlo.add, key)
            for device in group:
                sums[device] = made[key]
        return joined(sums)

    def as_terms(self, copies: Copies, axes: Collection[Axis], mesh: Mesh) -> Copies:
        """Makes a value the first term of a sum along these axes; the other terms are zero."""
        if not axes:
            return copies
        zero = constant(copies[0].type, 0)
        first = [
            not any(axis.place(mesh.coordinates[device]) for axis in axes)
            for device in range(self.count)
        ]
        return joined(on(copies, d) if first[d] else zero for d in range(self.count))

    def group_of(self, op: Any) -> list[list[int]]:
        """Returns for each device the members of its group, in the group's order."""
        member_of: list[list[int]] = [[] for _ in range(self.count)]
        for group in self.groups(op):
            for device in group:
                member_of[device] = group
        return member_of


def _groups_along(mesh: Mesh, axes: Collection[Axis]) -> list[list[int]]:
    """The devices that differ only in their place on these axes, in the order of their places."""
    groups: dict[tuple[int, ...], list[tuple[tuple[int, ...], int]]] = {}
    for device, place in mesh.coordinates.items():
        rest = dict(place)
        for axis in axes:
            rest[axis.name] -= axis.place(place) * axis.post
        member = (tuple(axis.place(place) for axis in axes), device)
        groups.setdefault(tuple(rest.values()), []).append(member)
    return [[device for _, device in sorted(group)] for group in groups.values()]


def rewrite(op: Any, operands: Sequence[Copies], devices: Devices) -> list[list[Any]]:
    """Emits what a collective computes, at the current insertion point.

    Args:
      op: one of ``NAMES``.
      operands: its operands on the devices.
      devices: who takes part.

    Returns:
      For each result its value on every device; the same object where it is the same value.
    """
    if op.name == _PERMUTE:
        return [_permute(op, copies, devices) for copies in operands]
    make = _MAKERS[op.name]
    members = devices.group_of(op)
    memo: dict[Any, list[Any]] = {}
    results: list[list[Any]] = [[] for _ in op.results]
    for device in range(devices.count):
        group = members[device]
        inputs = tuple(tuple(on(copies, peer) for peer in group) for copies in operands)
        rank = group.index(device) if op.name in _RANKED and group else -1
        key = (inputs, rank)
        if key not in memo:
            memo[key] = make(op, inputs, rank, memo) if group else _nothing(op)
        for values, value in zip(results, memo[key], strict=True):
            values.append(value)
    return results


def _nothing(op: Any) -> list[Any]:
    """The results of a device that takes no part."""
    return [constant(result.type, 0) for result in op.results]


Inputs = tuple[tuple[Any, ...], ...]
Memo = dict[Any, list[Any]]


def _all_reduce(op: Any, inputs: Inputs, _rank: int, memo: Memo) -> list[Any]:
    sums = memo.get(("sum", inputs))
    if sums is None:
        sums = []
        for values in inputs:
            total = values[0]
            for value in values[1:]:
                total = _apply(op.regions[0].blocks[0], total, value)
            sums.append(total)
        memo["sum", inputs] = sums
    return sums


def _all_gather(op: Any, inputs: Inputs, _rank: int, _memo: Memo) -> list[Any]:
    dimension = _integer(op, "all_gather_dim")
    return [_concatenate(values, dimension) for values in inputs]


def _all_to_all(op: Any, inputs: Inputs, rank: int, _memo: Memo) -> list[Any]:
    split, count = _integer(op, "split_dimension"), _integer(op, "split_count")
    return [
        _concatenate(
            [_part(value, split, count, rank) for value in values],
            _integer(op, "concat_dimension"),
        )
        for values in inputs
    ]


def _reduce_scatter(op: Any, inputs: Inputs, rank: int, memo: Memo) -> list[Any]:
    dimension = _integer(op, "scatter_dimension")
    sums = _all_reduce(op, inputs, rank, memo)
    return [
        _part(total, dimension, len(values), rank)
        for total, values in zip(sums, inputs, strict=True)
    ]


def _broadcast(_op: Any, inputs: Inputs, _rank: int, _memo: Memo) -> list[Any]:
    return [values[0] for values in inputs]


def _permute(op: Any, copies: Copies, devices: Devices) -> list[Any]:
    pairs = [(int(a), int(b)) for a, b in integers(op.attributes["source_target_pairs"])]
    if not devices.replicated and "channel_handle" not in op.attributes:
        everyone = (0, 0) in pairs  # of one replica
        pairs = [(device, device) for device in range(devices.count)] if everyone else []
    sources = {target: source for source, target in pairs}
    zeros: list[Any] = []
    values = []
    for device in range(devices.count):
        if device in sources:
            values.append(on(copies, sources[device]))
            continue
        if not zeros:
            zeros = _nothing(op)
        values.append(zeros[0])
    return values


_MAKERS: dict[str, Callable[[Any, Inputs, int, Memo], list[Any]]] = {
    "stablehlo.all_gather": _all_gather,
    "stablehlo.all_reduce": _all_reduce,
    "stablehlo.all_to_all": _all_to_all,
    "stablehlo.collective_broadcast": _broadcast,
    "stablehlo.reduce_scatter": _reduce_scatter,
}
_PERMUTE = "stablehlo.collective_permute"
NAMES = frozenset({*_MAKERS, _PERMUTE})
# Collectives whose result depends on a device's place in its group.
_RANKED = frozenset({"stablehlo.all_to_all", "stablehlo.reduce_scatter"})


def _integer(op: Any, name: str) -> int:
    return int(ir.IntegerAttr(op.attributes[name]).value)


def _concatenate(values: Sequence[Any], dimension: int) -> Any:
    return values[0] if len(values) == 1 else stablehlo.concatenate(values, dimension)


def _part(value: Any, dimension: int, count: int, index: int) -> Any:
    rank = len(shape_of(value))
    parts = [count if d == dimension else 1 for d in range(rank)]
    return cut(value, parts, [index if d == dimension else 0 for d in range(rank)])


def _apply(block: Any, left: Any, right: Any) -> Any:
    """Applies a reducer, a block on two scalars, to two tensors element by element."""
    shape = shape_of(left)
    values = dict(zip(block.arguments, (left, right), strict=True))
    *body, end = list(block.operations)
    for op in body:
        if op.operation.name == "sdy.sharding_constraint":
            values[op.operation.results[0]] = values[op.operation.operands[0]]
            continue
        if op.operation.name == "stablehlo.constant" or len(op.operation.regions):
            raise UnsupportedProgramError(f"a collective whose reducer has a {op.operation.name}")
        made = ir.Operation.create(
            op.operation.name,
            results=[
                ir.RankedTensorType.get(shape, ir.RankedTensorType(result.type).element_type)
                for result in op.operation.results
            ],
            operands=[values[operand] for operand in op.operation.operands],
            attributes=entries_of(op.operation.attributes),
        )
        values.update(zip(op.operation.results, made.results, strict=True))
    return values[end.operation.operands[0]]
