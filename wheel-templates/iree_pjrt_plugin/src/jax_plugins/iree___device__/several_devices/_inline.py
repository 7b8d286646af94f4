# SPDX-License-Identifier: Apache-2.0
"""Functions in the place of their calls.

MLIR's own pass leaves calls of functions alone in jaxlib 0.9, and Shardy's propagation there ends
the process on them.
"""

from __future__ import annotations

from typing import Any

from jaxlib.mlir import ir

from ._walk import operations_named


def inline_calls(module: ir.Module) -> None:
    """Puts bodies of functions in the place of all calls that ``main`` makes, directly or not."""
    functions = {
        ir.StringAttr(op.attributes["sym_name"]).value: op
        for op in module.body.operations
        if op.operation.name == "func.func"
    }
    while calls := operations_named(functions["main"].operation, "func.call"):
        for call in calls:
            _inline(call, functions[ir.FlatSymbolRefAttr(call.attributes["callee"]).value])


def _inline(call: Any, function: Any) -> None:
    copy = function.operation.clone()
    put_in_place(call, copy.regions[0].blocks[0])
    call.erase()
    copy.erase()


def put_in_place(op: Any, block: ir.Block) -> None:
    """Moves the body of ``block`` in front of ``op``, whose operands and results become its own.

    ``op`` and the end of the block stay behind, to be erased.
    """
    for argument, value in zip(block.arguments, op.operands, strict=True):
        argument.replace_all_uses_with(value)
    *body, end = list(block.operations)
    for inner in body:
        inner.operation.move_before(op)
    for result, value in zip(op.results, end.operation.operands, strict=True):
        result.replace_all_uses_with(value)
