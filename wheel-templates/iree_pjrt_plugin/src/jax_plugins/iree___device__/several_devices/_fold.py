# SPDX-License-Identifier: Apache-2.0
"""Arithmetic on scalar integers whose numbers are known: on the number of a device."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

from jaxlib.mlir import ir

_SCALAR = re.compile(r"tensor<(u?)i(8|16|32|64)>")
_OPS: dict[str, Callable[..., int]] = {
    "stablehlo.add": lambda a, b: a + b,
    "stablehlo.convert": lambda a: a,
    "stablehlo.multiply": lambda a, b: a * b,
    "stablehlo.subtract": lambda a, b: a - b,
}
# Operations on numbers that are not negative, on which all languages agree.
_DIVISIONS: dict[str, Callable[[int, int], int]] = {
    "stablehlo.divide": lambda a, b: a // b,
    "stablehlo.remainder": lambda a, b: a % b,
}


def fold(op: Any, numbers: Sequence[int]) -> int | None:
    """Returns what an op gives for these numbers; None if that is not to be known here.

    Args:
      op: any op with one result.
      numbers: its operands, if they are all known.
    """
    kind = _SCALAR.fullmatch(str(op.results[0].type))
    if kind is None:
        return None
    if op.name == "stablehlo.constant":
        number = int(ir.DenseIntElementsAttr(op.attributes["value"])[0])
    elif op.name in _OPS:
        number = _OPS[op.name](*numbers)
    elif op.name in _DIVISIONS and min(numbers) >= 0 and numbers[1] > 0:
        number = _DIVISIONS[op.name](*numbers)
    else:
        return None
    bits = int(kind[2])
    low, high = (0, 1 << bits) if kind[1] else (-(1 << bits - 1), 1 << bits - 1)
    return number if low <= number < high else None
