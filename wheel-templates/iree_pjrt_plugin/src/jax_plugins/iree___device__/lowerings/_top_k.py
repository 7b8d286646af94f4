# SPDX-License-Identifier: Apache-2.0
"""``top_k`` whose ties come in order, and which finds the smallest values too.

The IREE compiler 3.11 takes the last of equal integers, and has no index for floats that are
minus infinity or NaN. Floats are compared as integers of the same order, from the last to the
first.
"""

from __future__ import annotations

from typing import Any

import jax
import numpy as np
from jax import lax
from jax import numpy as jnp
from jax._src import core
from jax._src.interpreters import mlir

from .. import _build_info
from . import _no_composites

_KEYS = {"float16": np.int16, "bfloat16": np.int16, "float32": np.int32, "float64": np.int64}


def register_lowerings() -> None:
    """Gives our platform a rule; the one of other platforms stays, and is used by ours."""
    mlir.register_lowering(lax.top_k_p, _lower, platform=_build_info.PLATFORM)


def _lower(ctx: mlir.LoweringRuleContext, operand: Any, **params: Any) -> Any:
    aval = ctx.avals_in[0]
    rule = _no_composites.top_k_rule if _no_composites.are_needed() else _jax_rule()
    dtype = _key_dtype(aval.dtype)
    if dtype is None or not core.is_constant_shape(aval.shape):
        return rule(ctx, operand, **params)
    axis = params.get("axis", len(aval.shape) - 1)
    keys_aval = core.ShapedArray(aval.shape, dtype)
    values_aval, indices_aval = ctx.avals_out
    found_avals = [core.ShapedArray(values_aval.shape, dtype), indices_aval]

    def before(x: jax.Array) -> jax.Array:
        return lax.rev(_to_keys(x, dtype), (axis,))

    def after(keys: jax.Array, indices: jax.Array) -> tuple[jax.Array, jax.Array]:
        last = np.array(aval.shape[axis] - 1, indices.dtype)
        return _from_keys(keys, aval.dtype), last - indices

    keys = _inline(ctx, before, [operand], [aval], [keys_aval])
    found = rule(ctx.replace(avals_in=[keys_aval], avals_out=found_avals), *keys, **params)
    return _inline(ctx, after, found, found_avals, ctx.avals_out)


def _jax_rule() -> Any:
    rule = mlir._lowerings[lax.top_k_p]
    return getattr(rule, "rule", rule)


def _inline(
    ctx: mlir.LoweringRuleContext, function: Any, operands: Any, avals_in: Any, avals_out: Any
) -> Any:
    lower = mlir.lower_fun(function, multiple_results=len(avals_out) > 1)
    flat = [value[0] if isinstance(value, tuple | list) else value for value in operands]
    found = lower(ctx.replace(avals_in=avals_in, avals_out=avals_out), *flat)
    return [value[0] if isinstance(value, tuple | list) else value for value in found]


def _key_dtype(dtype: np.dtype[Any]) -> Any:
    if jnp.issubdtype(dtype, np.integer) and dtype.itemsize * 8 == jnp.iinfo(dtype).bits:
        return np.dtype(f"int{jnp.iinfo(dtype).bits}")
    return np.dtype(_KEYS[dtype.name]) if dtype.name in _KEYS else None


def _to_keys(x: jax.Array, dtype: np.dtype[Any]) -> jax.Array:
    if jnp.issubdtype(x.dtype, np.signedinteger):
        return x
    if jnp.issubdtype(x.dtype, np.floating):
        x = jnp.where(jnp.isnan(x), jnp.array(np.nan, x.dtype), x)
        bits = lax.bitcast_convert_type(x, dtype)
        return jnp.where(bits < 0, bits ^ np.iinfo(dtype).max, bits)
    return lax.bitcast_convert_type(x, dtype) ^ np.iinfo(dtype).min


def _from_keys(keys: jax.Array, dtype: np.dtype[Any]) -> jax.Array:
    limits = np.iinfo(keys.dtype)
    if jnp.issubdtype(dtype, np.signedinteger):
        return keys
    if jnp.issubdtype(dtype, np.floating):
        keys = jnp.where(keys < 0, keys ^ limits.max, keys)
    else:
        keys = keys ^ limits.min
    return lax.bitcast_convert_type(keys, dtype)
