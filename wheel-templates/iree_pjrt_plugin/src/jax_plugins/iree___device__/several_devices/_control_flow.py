# SPDX-License-Identifier: Apache-2.0
"""Loops and branches with collectives inside: one op for all devices."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Any, Protocol

from jaxlib.mlir import ir
from jaxlib.mlir.dialects import stablehlo

from ._copies import Copies, Kinds, classes, constant, different, each, on, spread


class _Devices(Protocol):
    @property
    def count(self) -> int: ...


class Unroller(Protocol):
    """Emits the ops of a block for all devices."""

    @property
    def devices(self) -> _Devices:
        """The devices of the program."""
        ...

    def region(self, block: Any) -> AbstractContextManager[None]:
        """Emits into a block of a new region."""
        ...

    def run(self, block: Any, arguments: Sequence[Copies]) -> list[Copies]:
        """Emits the ops of a block; returns the operands of its terminator."""
        ...


def loop(unroller: Unroller, op: Any, operands: list[Copies]) -> list[Copies]:
    """Emits one loop that carries the values of all devices, each once where they are the same.

    What devices start with alike may differ later: then the loop is made again.
    """
    devices = range(unroller.devices.count)
    kinds = [classes([on(copies, device) for device in devices]) for copies in operands]
    while True:
        made, finer = _try_loop(unroller, op, operands, kinds)
        if finer == kinds:
            return spread(made.results, kinds)
        made.erase()
        kinds = finer


def _try_loop(
    unroller: Unroller, op: Any, operands: list[Copies], kinds: Kinds
) -> tuple[Any, Kinds]:
    """Emits the loop. Returns it, and what is the same on all devices after one turn."""
    condition, body = (region.blocks[0] for region in op.regions)
    inits = different(operands, kinds)
    types = [value.type for value in inits]
    made = ir.Operation.create("stablehlo.while", results=types, operands=inits, regions=2)
    locations = [op.location] * len(types)
    blocks = [region.blocks.append(*types, arg_locs=locations) for region in made.regions]
    with unroller.region(blocks[0]):
        goes_on = unroller.run(condition, spread(blocks[0].arguments, kinds))[0]
        answer = goes_on[0]
        for other in list(dict.fromkeys(goes_on))[1:]:
            answer = stablehlo.or_(answer, other)
        stablehlo.return_([answer])
    with unroller.region(blocks[1]):
        carried = spread(blocks[1].arguments, kinds)
        outputs = unroller.run(body, carried)
        if len(goes_on) > 1:
            # A device that is done keeps what it has while others go on.
            goes_on = unroller.run(condition, carried)[0]
            outputs = [
                _select(unroller, goes_on, new, old)
                for new, old in zip(outputs, carried, strict=True)
            ]
        stablehlo.return_(different(outputs, kinds))
    devices = range(unroller.devices.count)
    finer = [
        classes([(kind[device], on(copies, device)) for device in devices])
        for kind, copies in zip(kinds, outputs, strict=True)
    ]
    return made, finer


def branches(unroller: Unroller, op: Any, chosen: Copies) -> list[Copies]:
    """Emits a ``case`` or ``if`` that returns the values of all devices."""
    if len(chosen) > 1:
        return _each_its_own(unroller, op, chosen)
    # The regions' op has no results yet: what there is to return is not known.
    scratch = ir.Operation.create(op.name, operands=chosen, regions=len(op.regions))
    returned = []
    for source, region in zip(op.regions, scratch.regions, strict=True):
        with unroller.region(region.blocks.append()):
            returned.append(unroller.run(source.blocks[0], []))
    devices = range(unroller.devices.count)
    kinds = [
        classes([tuple(on(branch[index], device) for branch in returned) for device in devices])
        for index in range(len(op.results))
    ]
    types = [
        result.type
        for result, kind in zip(op.results, kinds, strict=True)
        for _ in range(max(kind) + 1)
    ]
    made = ir.Operation.create(op.name, results=types, operands=chosen, regions=len(op.regions))
    for branch, region, final in zip(returned, scratch.regions, made.regions, strict=True):
        block = region.blocks[0]
        with ir.InsertionPoint(block):
            stablehlo.return_(different(branch, kinds))
        block.append_to(final)
    scratch.erase()
    return spread(made.results, kinds)


def _each_its_own(unroller: Unroller, op: Any, chosen: Copies) -> list[Copies]:
    """Devices that take different branches compute all of them and take their own.

    The members of a collective's group take the same one, so what is taken is right.
    """
    returned = [unroller.run(region.blocks[0], []) for region in op.regions]
    if op.name == "stablehlo.if":
        return [_select(unroller, chosen, yes, no) for yes, no in zip(*returned, strict=True)]
    results = returned[-1]
    equal = stablehlo.ComparisonDirectionAttr.get("EQ")
    for number, branch in reversed(list(enumerate(returned[:-1]))):

        def is_it(values: tuple[Any, ...], number: int = number) -> Any:
            return stablehlo.compare(values[0], constant(values[0].type, number), equal)

        this = each(unroller.devices.count, [chosen], is_it)
        results = [
            _select(unroller, this, yes, no) for yes, no in zip(branch, results, strict=True)
        ]
    return results


def _select(unroller: Unroller, which: Copies, yes: Copies, no: Copies) -> Copies:
    operands = [which, yes, no]
    return each(unroller.devices.count, operands, lambda values: stablehlo.select(*values))
