# SPDX-License-Identifier: Apache-2.0
"""Functions of chlo, and ``top_k``, under jaxlib before 0.9.1.

From 0.9.1 on jaxlib hands what is not in StableHLO to a plugin as composites, which hold how it is
computed. Older ones make calls into XLA of some (``mhlo.erf``, ``mhlo.topk``, from 0.8 on also
``mhlo.asin`` and its like). They get what the composite would hold, from jaxlib's own passes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jaxlib.version
import numpy as np
from jax import lax
from jax import numpy as jnp
from jax._src.interpreters import mlir
from jaxlib.mlir import ir, passmanager
from jaxlib.mlir.dialects import func, stablehlo
from packaging.version import Version

from .. import _build_info

_UNARY = ("acos", "acosh", "asin", "asinh", "atanh", "cosh", "erf", "sinh")


def are_needed() -> bool:
    """Whether this jaxlib makes calls into XLA of these operations."""
    return Version(jaxlib.version.__version__) < Version("0.9.1")


def register_lowerings() -> None:
    """Gives our platform rules; those of other platforms stay."""
    if not are_needed():
        return
    stablehlo.register_stablehlo_passes()
    for name in _UNARY:
        primitive = getattr(lax, f"{name}_p")
        mlir.register_lowering(primitive, _decomposed(name), platform=_build_info.PLATFORM)
    mlir.register_lowering(lax.top_k_p, _top_k, platform=_build_info.PLATFORM)


def _decomposed(name: str) -> Callable[..., Any]:
    def lower(ctx: mlir.LoweringRuleContext, operand: Any, **_: Any) -> Any:
        tensor = operand.type
        with ir.Location.unknown():
            module = ir.Module.parse(
                f"func.func public @main(%x: {tensor}) -> {tensor} {{\n"
                f"  %y = chlo.{name} %x : {tensor} -> {tensor}\n"
                f"  return %y : {tensor}\n"
                "}"
            )
            passes = "builtin.module(func.func(chlo-legalize-to-stablehlo))"
            passmanager.PassManager.parse(passes).run(module.operation)
        symbol = mlir.merge_mlir_modules(ctx.module_context.module, f"chlo_{name}", module)
        return func.CallOp([tensor], ir.FlatSymbolRefAttr.get(symbol), [operand]).results

    return lower


def _top_k(ctx: mlir.LoweringRuleContext, operand: Any, *, k: int, **params: Any) -> Any:
    """The largest in descending order, of equals the first first, as the composite has it."""
    axis = params.get("axis", len(ctx.avals_in[0].shape) - 1)

    def find(x: jax.Array) -> list[jax.Array]:
        indices = lax.broadcasted_iota(np.int32, x.shape, axis)
        found = lax.sort((_descending_keys(x), x, indices), dimension=axis, num_keys=1)
        return [lax.slice_in_dim(y, 0, k, axis=axis) for y in found[1:]]

    return mlir.lower_fun(find, multiple_results=True)(ctx, operand)


def _descending_keys(x: jax.Array) -> jax.Array:
    """Integers whose ascending order is the descending one of ``x``: of floats by their bits."""
    if not jnp.issubdtype(x.dtype, np.floating):
        return ~x
    dtype = np.dtype(f"int{8 * x.dtype.itemsize}")
    bits = lax.bitcast_convert_type(x, dtype)
    return ~jnp.where(bits < 0, bits ^ np.iinfo(dtype).max, bits)
