# SPDX-License-Identifier: Apache-2.0
"""``approx_max_k`` and ``approx_min_k``: exact, from ``top_k``; JAX's own is a call into XLA."""

from __future__ import annotations

from typing import Any

from jax import lax
from jax import numpy as jnp
from jax._src.interpreters import mlir
from jax._src.lax import ann

from .. import _build_info


def register_lowerings() -> None:
    """Gives our platform a rule; the one of other platforms stays."""
    mlir.register_lowering(ann.approx_top_k_p, _lower, platform=_build_info.PLATFORM)


def _lower(ctx: mlir.LoweringRuleContext, *operands: Any, **params: Any) -> Any:
    axis = params["reduction_dimension"]
    size = ctx.avals_out[0].shape[axis]  # k, or more where they are not aggregated

    def turned(x: Any) -> Any:
        return x if params["is_max_k"] else -x

    def top_k(operand: Any) -> list[Any]:
        values, indices = lax.top_k(turned(jnp.moveaxis(operand, axis, -1)), size)
        return [jnp.moveaxis(found, -1, axis) for found in (turned(values), indices)]

    return mlir.lower_fun(top_k, multiple_results=True)(ctx, *operands)
