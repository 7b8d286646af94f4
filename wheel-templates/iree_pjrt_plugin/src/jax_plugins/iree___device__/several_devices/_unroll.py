# SPDX-License-Identifier: Apache-2.0
"""One program for several devices that share their memory.

What a program computes on whole arrays is computed once. The bodies of ``sdy.manual_computation``
(``shard_map``, ``pmap``), and all of a replicated program, are written out once for each device,
or once for those devices on which an op has the same operands. Collectives become arithmetic on
the values of all devices. So no partitioner is needed, and every sharding of an array works.
"""

from __future__ import annotations

import math
from collections import ChainMap
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeAlias

from jaxlib.mlir import ir
from jaxlib.mlir.dialects import stablehlo

from . import _collectives, _control_flow
from ._copies import Copies, constant, cut, each, joined, on, put_together
from ._fold import fold
from ._manual import MANUAL, manual_axes, per_value
from ._mesh import Axis, Sharding
from ._shardings import UnsupportedProgramError

# Ops that say where a value lies.
_PLACEMENTS = frozenset(
    {
        "sdy.replicated_to_unreduced",
        "sdy.reshard",
        "sdy.sharded_to_unreduced",
        "sdy.sharding_constraint",
    }
)
_DECLARATIONS = frozenset({"sdy.mesh", "sdy.sharding_group"})
_LOOKED_INTO = frozenset({"func.call", "stablehlo.case", "stablehlo.if", "stablehlo.while"})
# Axes along which devices hold terms of a sum that is still to be made.
Terms: TypeAlias = frozenset[Axis]


class Unroller:
    """Emits a program for all devices at the current insertion point, op by op.

    Args:
      module: the program; it is only read.
      devices: what the program runs on.
    """

    def __init__(self, module: ir.Module, devices: _collectives.Devices) -> None:
        self.devices = devices
        self._functions = {
            ir.StringAttr(op.operation.attributes["sym_name"]).value: op.operation
            for op in module.body.operations
            if op.operation.name == "func.func"
        }
        self._special: dict[Any, bool] = {}
        # What was emitted for each value of the program.
        self._values: dict[Any, Copies] = {}
        # Emitted scalars by their numbers, and numbers by their scalars; a map for each open
        # region.
        self._scalars: ChainMap[tuple[Any, int], Any] = ChainMap()
        self._numbers: ChainMap[Any, int] = ChainMap()
        # Whether a value belongs to one device rather than to the whole.
        self._local = devices.replicated
        # The whole values of the program whose devices hold terms of a sum.
        self._terms: dict[Any, Terms] = {}
        self._has_terms = _mentions_terms(module)

    def run(
        self, block: Any, arguments: Sequence[Copies], terms: Sequence[Terms] = ()
    ) -> list[Copies]:
        """Emits the ops of a block; returns the operands of its terminator."""
        self._values.update(zip(block.arguments, arguments, strict=True))
        if terms:
            self._terms.update(zip(block.arguments, terms, strict=True))
        *body, end = list(block.operations)
        for op in body:
            with op.operation.location:
                self._emit(op.operation)
        return self._operands(end.operation)

    def _operands(self, op: Any) -> list[Copies]:
        return [self._values[operand] for operand in op.operands]

    def _emit(self, op: Any) -> None:
        name = op.name
        operands = self._operands(op)
        if name in _DECLARATIONS:
            return
        if name == "sdy.propagation_barrier":
            results = operands
        elif name in _PLACEMENTS:
            results = self._place(op, operands)
        elif name == MANUAL:
            results = self._manual(op, operands)
        elif name == "sdy.named_computation":
            results = self.run(op.regions[0].blocks[0], operands)
        elif name == "sdy.constant":
            results = [[stablehlo.constant(ir.DenseElementsAttr(op.attributes["value"]))]]
        elif name.startswith("sdy."):
            raise UnsupportedProgramError(f"an op of Shardy that is not supported here: {name}")
        elif name in _collectives.IDS:
            results = [self._ids(op)]
        elif name in _collectives.NAMES:
            made = _collectives.rewrite(op, operands, self.devices)
            results = [joined(values) for values in made]
        elif name in _LOOKED_INTO and self._is_special(op):
            results = self._inside(op, operands)
        else:
            results = self._copy(op, operands)
        self._values.update(zip(op.results, results, strict=True))
        if self._has_terms and not self._local:
            self._pass_terms_on(op)

    def _pass_terms_on(self, op: Any) -> None:
        terms: Terms = frozenset().union(*(self.terms(operand) for operand in op.operands))
        for result in op.results:
            self._terms.setdefault(result, terms)

    def terms(self, value: Any) -> Terms:
        """Returns the axes along which the devices of a whole value hold terms of a sum."""
        return self._terms.get(value, frozenset())

    def _place(self, op: Any, operands: list[Copies]) -> list[Copies]:
        if self._local or not self._has_terms:
            return operands[:1]
        sharding = self.devices.meshes.sharding(op.attributes["sharding"], rank(op.results[0].type))
        self._terms[op.results[0]] = frozenset(sharding.unreduced)
        return [self.summed(operands[0], self.terms(op.operands[0]), sharding)]

    def summed(self, copies: Copies, terms: Terms, wanted: Sharding) -> Copies:
        """Returns a whole value, summed over its terms except those that ``wanted`` keeps."""
        left = frozenset(wanted.unreduced)
        sums = self.devices.sums(copies, terms - left, wanted.mesh)
        return self.devices.as_terms(sums, left - terms, wanted.mesh)

    def _inside(self, op: Any, operands: list[Copies]) -> list[Copies]:
        if op.name == "func.call":
            block = self._callee(op).regions[0].blocks[0]
            results = self.run(block, operands, [self.terms(operand) for operand in op.operands])
            for result, value in zip(op.results, _end(block).operands, strict=True):
                self._terms[result] = self.terms(value)
            return results
        if op.name == "stablehlo.while":
            return _control_flow.loop(self, op, operands)
        return _control_flow.branches(self, op, operands[0])

    def _callee(self, op: Any) -> Any:
        return self._functions[ir.FlatSymbolRefAttr(op.attributes["callee"]).value]

    def _is_special(self, op: Any) -> bool:
        """Whether an op's regions, or the function it calls, cannot be copied as they are."""
        if op.name == "func.call" and self._has_terms:
            return True
        key = self._callee(op) if op.name == "func.call" else op
        if key not in self._special:
            found: list[bool] = []

            def visit(inner: Any) -> Any:
                name = inner.name
                if (
                    name in _collectives.NAMES
                    or name in _collectives.IDS
                    or name == MANUAL
                    or (name == "stablehlo.custom_call" and _has_side_effect(inner))
                    or (name == "func.call" and self._is_special(inner))
                ):
                    found.append(True)
                    return ir.WalkResult.INTERRUPT
                return ir.WalkResult.ADVANCE

            key.walk(visit, ir.WalkOrder.PRE_ORDER)
            self._special[key] = bool(found)
        return self._special[key]

    def _ids(self, op: Any) -> Copies:
        type_ = op.results[0].type
        return joined(self._number(type_, number) for number in self.devices.ids(op.name))

    def _number(self, type_: Any, number: int) -> Any:
        """A scalar constant, the same value for the same number."""
        key = (type_, number)
        if key not in self._scalars:
            self._scalars[key] = constant(type_, number)
            self._numbers[self._scalars[key]] = number
        return self._scalars[key]

    def _copy(self, op: Any, operands: list[Copies]) -> list[Copies]:
        captured = _captured(op)
        outside = [self._values[value] for value in captured]
        if self._local and op.name == "stablehlo.custom_call" and _has_side_effect(op):
            devices = [[*range(self.devices.count)]]  # on each, even with the same operands
        else:
            devices = []

        def make(inputs: tuple[Any, ...]) -> list[Any]:
            inputs = inputs[len(devices) :]
            folded = self._folded(op, inputs)
            if folded is not None:
                return [folded]
            made = op.clone()
            for index, value in enumerate(inputs[: len(operands)]):
                made.operands[index] = value
            if captured:
                _recapture(made, dict(zip(captured, inputs[len(operands) :], strict=True)))
            return list(made.results)

        made = each(self.devices.count, [*devices, *operands, *outside], make)
        if len(made) == 1:
            return [[result] for result in made[0]]
        return [joined(results[index] for results in made) for index in range(len(op.results))]

    def _folded(self, op: Any, inputs: tuple[Any, ...]) -> Any:
        """Computes an op on a device's number now: emitted, it would keep equal values apart."""
        if not self._local or len(op.results) != 1:
            return None
        if any(value not in self._numbers for value in inputs):
            return None
        number = fold(op, [self._numbers[value] for value in inputs])
        return None if number is None else self._number(op.results[0].type, number)

    @contextmanager
    def region(self, block: Any) -> Iterator[None]:
        """Emits into a block of its own, whose values end with it."""
        scalars, numbers = self._scalars, self._numbers
        self._scalars, self._numbers = scalars.new_child(), numbers.new_child()
        try:
            with ir.InsertionPoint(block):
                yield
        finally:
            self._scalars, self._numbers = scalars, numbers

    def _manual(self, op: Any, operands: list[Copies]) -> list[Copies]:
        axes = manual_axes(op)
        shardings = [
            [
                self.devices.meshes.sharding(sharding, rank(value.type)).over(axes)
                for sharding, value in zip(per_value(op.attributes[key]), values, strict=True)
            ]
            for key, values in (("in_shardings", op.operands), ("out_shardings", op.results))
        ]
        if not self._local:
            operands = [
                self.summed(copies, self.terms(value), sharding)
                for copies, value, sharding in zip(operands, op.operands, shardings[0], strict=True)
            ]
        inputs = [
            self._shards(copies, sharding)
            for copies, sharding in zip(operands, shardings[0], strict=True)
        ]
        if not self._local:
            for result, sharding in zip(op.results, shardings[1], strict=True):
                self._terms[result] = frozenset(sharding.unreduced)
        outside, self._local = self._local, True
        outputs = self.run(op.regions[0].blocks[0], inputs)
        self._local = outside
        return [
            self._whole(copies, sharding)
            for copies, sharding in zip(outputs, shardings[1], strict=True)
        ]

    def _shards(self, copies: Copies, sharding: Sharding) -> Copies:
        tiles = [sharding.tile(device) for device in range(self.devices.count)]
        return each(
            self.devices.count, [copies, tiles], lambda key: cut(key[0], sharding.parts, key[1])
        )

    def _whole(self, copies: Copies, sharding: Sharding) -> Copies:
        """From the shards of devices that an array is spread over, the whole.

        Devices among which an array is not spread have the same, or else each its own.
        """
        mesh = sharding.mesh
        if math.prod(sharding.parts) == 1:
            return copies
        spread = {axis.name for dimension in sharding.dims for axis in dimension}
        alike: dict[tuple[int, ...], dict[tuple[int, ...], Any]] = {}
        fellows = []
        for device in range(self.devices.count):
            places = mesh.coordinates.get(device, {})
            place = tuple(at for name, at in places.items() if name not in spread)
            alike.setdefault(place, {}).setdefault(sharding.tile(device), on(copies, device))
            fellows.append(place)
        made: dict[tuple[Any, ...], Any] = {}
        whole = {}
        for place, pieces in alike.items():
            key = tuple(pieces.items())
            if key not in made:
                made[key] = put_together(sharding.parts, pieces.__getitem__)
            whole[place] = made[key]
        return joined(whole[place] for place in fellows)


def _end(block: Any) -> Any:
    return list(block.operations)[-1].operation


def _mentions_terms(module: ir.Module) -> bool:
    found = []

    def visit(op: Any) -> Any:
        keys = ("sharding", "in_shardings", "out_shardings", "arg_attrs", "res_attrs")
        if op.name.startswith(("sdy.", "func.func")) and any(
            key in op.attributes and "unreduced={" in str(op.attributes[key]) for key in keys
        ):
            found.append(op.name)
            return ir.WalkResult.INTERRUPT
        return ir.WalkResult.ADVANCE

    module.operation.walk(visit, ir.WalkOrder.PRE_ORDER)
    return bool(found)


def _has_side_effect(op: Any) -> bool:
    return "has_side_effect" in op.attributes and str(op.attributes["has_side_effect"]) == "true"


def rank(type_: Any) -> int:
    """Returns the number of a tensor's dimensions; 0 for a token."""
    return ir.RankedTensorType(type_).rank if isinstance(type_, ir.RankedTensorType) else 0


def _captured(op: Any) -> list[Any]:
    """The values from outside that an op's regions use."""
    if not len(op.regions):
        return []
    inside: set[Any] = set()
    used: dict[Any, None] = {}

    def visit(inner: Any) -> Any:
        for region in inner.regions:
            for block in region.blocks:
                inside.update(block.arguments)
        inside.update(inner.results)
        if inner != op:
            used.update(dict.fromkeys(inner.operands))
        return ir.WalkResult.ADVANCE

    op.walk(visit, ir.WalkOrder.PRE_ORDER)
    return [value for value in used if value not in inside]


def _recapture(op: Any, values: dict[Any, Any]) -> None:
    def visit(inner: Any) -> Any:
        if inner != op:
            for index, operand in enumerate(inner.operands):
                if operand in values:
                    inner.operands[index] = values[operand]
        return ir.WalkResult.ADVANCE

    op.walk(visit, ir.WalkOrder.PRE_ORDER)
