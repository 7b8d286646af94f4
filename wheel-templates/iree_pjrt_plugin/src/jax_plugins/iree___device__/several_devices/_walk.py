# SPDX-License-Identifier: Apache-2.0
"""Operations of a module, found by name."""

from __future__ import annotations

from typing import Any

from jaxlib.mlir import ir


def operations_named(operation: Any, name: str) -> list[Any]:
    """The operations of this name inside ``operation``, at any depth, outer ones first."""
    found: list[Any] = []

    def visit(op: Any) -> Any:
        if op.name == name:
            found.append(op)
        return ir.WalkResult.ADVANCE

    operation.walk(visit, ir.WalkOrder.PRE_ORDER)
    return found
