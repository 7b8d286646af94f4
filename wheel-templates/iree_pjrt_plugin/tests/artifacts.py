# SPDX-License-Identifier: Apache-2.0
"""Artifacts as JAX sends them to a plugin, made without one."""

from typing import Any

import jax
from jax._src.interpreters import mlir
from jaxlib.mlir import ir, passmanager
from jaxlib.mlir.dialects import stablehlo


def portable(lowered: Any) -> bytes:
    """Serialises what ``jit(f).lower(...)`` gives as XLA does for a plugin: chlo legalised."""
    module = lowered.compiler_ir("stablehlo")
    with module.context:
        if "chlo." in str(module):
            stablehlo.register_stablehlo_passes()
            passes = "builtin.module(func.func(chlo-legalize-to-stablehlo))"
            passmanager.PassManager.parse(passes).run(module.operation)
        version = stablehlo.get_current_version()
        return bytes(stablehlo.serialize_portable_artifact(module, version, True))


def portable_text(text: str) -> bytes:
    """Serialises a module given as text."""
    context = mlir.make_ir_context()
    with context, ir.Location.unknown(context):
        module = ir.Module.parse(text)
        version = stablehlo.get_smaller_version("1.13.0", stablehlo.get_current_version())
        return bytes(stablehlo.serialize_portable_artifact(module, version, True))


def text_of(artifact: bytes) -> str:
    """Returns the StableHLO text of a portable artifact."""
    context = mlir.make_ir_context()
    with context:
        return str(stablehlo.deserialize_portable_artifact(context, artifact))


def spec(*shape: int, dtype: str = "float32") -> jax.ShapeDtypeStruct:
    """Returns an argument to lower with."""
    return jax.ShapeDtypeStruct(shape, dtype)
