# SPDX-License-Identifier: Apache-2.0
"""Functions in the place of their calls.

MLIR's own pass leaves calls of functions alone in jaxlib 0.9, and Shardy's propagation there ends
the process on them.
"""

from __future__ import annotations

from typing import Any

from jaxlib.mlir import ir


def inline_calls(module: ir.Module) -> None:
    """Puts bodies of functions in the place of all calls that ``main`` makes, directly or not."""
    functions = {
        ir.StringAttr(op.attributes["sym_name"]).value: op
        for op in module.body.operations
        if op.operation.name == "func.func"
    }
    while calls := _calls(functions["main"]):
        for call in calls:
            _inline(call, functions[ir.FlatSymbolRefAttr(call.attributes["callee"]).value])


def _calls(function: Any) -> list[Any]:
    found: list[Any] = []

    def visit(op: Any) -> Any:
        if op.name == "func.call":
            found.append(op)
        return ir.WalkResult.ADVANCE

    function.operation.walk(visit, ir.WalkOrder.PRE_ORDER)
    return found


def _inline(call: Any, function: Any) -> None:
    copy = function.operation.clone()
    block = copy.regions[0].blocks[0]
    for argument, value in zip(block.arguments, call.operands, strict=True):
        argument.replace_all_uses_with(value)
    *body, end = list(block.operations)
    for op in body:
        op.operation.move_before(call)
    for result, value in zip(call.results, end.operands, strict=True):
        result.replace_all_uses_with(value)
    call.erase()
    copy.erase()
