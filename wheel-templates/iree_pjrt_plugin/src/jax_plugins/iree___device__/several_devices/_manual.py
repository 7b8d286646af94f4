# SPDX-License-Identifier: Apache-2.0
"""Manual computations, seen from outside."""

from __future__ import annotations

from typing import Any

from jaxlib.mlir import ir
from jaxlib.mlir.dialects import sdy

from ._mesh import Meshes

MANUAL = "sdy.manual_computation"


def per_value(shardings: Any) -> list[Any]:
    """Returns the shardings of an attribute that has one for each value."""
    return list(sdy.TensorShardingPerValueAttr(shardings).shardings)


def manual_axes(op: Any) -> set[str]:
    """Returns the names of the axes over which a computation is manual."""
    return set(sdy.ManualAxesAttr(op.attributes["manual_axes"]))


def empty_manual_bodies(module: ir.Module, meshes: Meshes) -> None:
    """Puts one call in the place of each body that is manual over all axes of its mesh.

    What is chosen around such a computation depends on its own shardings only, and Shardy of
    jaxlib 0.9 ends the process on a body with a loop.
    """
    found: list[Any] = []

    def visit(op: Any) -> Any:
        if op.name != MANUAL:
            return ir.WalkResult.ADVANCE
        found.append(op)
        return ir.WalkResult.SKIP

    module.operation.walk(visit, ir.WalkOrder.PRE_ORDER)
    for op in found:
        if _is_manual_over_all(op, meshes):
            _empty(op.regions[0].blocks[0])


def _is_manual_over_all(op: Any, meshes: Meshes) -> bool:
    axes = manual_axes(op)
    shardings = [
        sharding
        for key in ("in_shardings", "out_shardings")
        for sharding in per_value(op.attributes[key])
    ]
    return all(axes >= set(meshes.of(sharding).sizes) for sharding in shardings)


def _empty(block: Any) -> None:
    operations = list(block.operations)
    end = operations[-1]
    with ir.InsertionPoint(end), end.location:
        call = ir.Operation.create(
            "stablehlo.custom_call",
            results=[value.type for value in end.operands],
            operands=list(block.arguments),
            attributes={"call_target_name": ir.StringAttr.get("body")},
        )
        ir.Operation.create(end.name, operands=list(call.results))
    for op in reversed(operations):
        op.operation.erase()
