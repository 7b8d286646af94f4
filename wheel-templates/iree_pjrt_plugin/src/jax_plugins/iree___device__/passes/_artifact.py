# SPDX-License-Identifier: Apache-2.0
"""From an artifact with Shardy in it to a plain one, in jaxlib's own MLIR."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any

from jax._src.interpreters import mlir
from jaxlib.mlir import ir, passmanager
from jaxlib.mlir.dialects import stablehlo

from ..several_devices import _boundary, _spmd
from . import _single_device


def lower(
    artifact: bytes,
    *,
    num_replicas: int,
    num_partitions: int,
    stablehlo_version: str,
    shared_memory: bool = True,
    show: Callable[[bytes], None] = lambda shown: None,
) -> bytes:
    """Makes a program as JAX sends it one that a StableHLO compiler can read.

    Args:
      artifact: a portable artifact (VHLO bytecode), with or without ops of the ``sdy`` dialect.
      num_replicas: replicas that the program is compiled for.
      num_partitions: partitions that the program is compiled for.
      stablehlo_version: newest StableHLO version that the compiler reads, such as ``1.13.0``.
      shared_memory: whether several devices can run as one program, as processors do; if not, the
        result is the program that each of them runs, with collectives.
      show: called for several partitions that share memory, with an artifact on whole arrays
        whose attributes say how its inputs and outputs are sharded.

    Returns:
      A portable artifact of StableHLO ops only, at ``stablehlo_version`` or, where jaxlib is
      older than that, at jaxlib's own version.

    Raises:
      RuntimeError: the artifact could not be read, rewritten or written; the text holds MLIR's
        own diagnostics.
      UnsupportedProgramError: the program holds something that cannot be partitioned (yet).
    """
    if not artifact:  # MLIR would read it as an empty module
        raise RuntimeError("could not read the program: it is empty")
    diagnostics: list[str] = []

    def collect(diagnostic: Any) -> bool:
        # Returning True keeps MLIR from printing it to the user's stderr.
        diagnostics.append(f"{diagnostic.severity}".rpartition(".")[2] + f": {diagnostic.message}")
        return True

    context = mlir.make_ir_context()
    # With threads, one of MLIR's that reports something would wait for the GIL, and we for it.
    context.enable_multithreading(False)
    handler = context.attach_diagnostic_handler(collect)
    step = "read the program"
    try:
        with context, ir.Location.unknown(context):
            module = stablehlo.deserialize_portable_artifact(context, artifact)
            if num_replicas * num_partitions == 1:
                step = "take the shardings out of the program"
                _single_device.strip(module)
            elif not shared_memory:
                step = "partition the program"
                _spmd.partition(module, num_replicas, num_partitions)
            else:
                step = "write the program out for its devices"
                _boundary.unroll(
                    module, num_replicas, num_partitions, lambda shown: show(_shown(shown))
                )
                _single_device.strip(module)
            step = "verify the rewritten program"
            module.operation.verify()
            step = f"write the program as StableHLO {stablehlo_version}"
            version = stablehlo.get_smaller_version(
                stablehlo_version, stablehlo.get_current_version()
            )
            return bytes(stablehlo.serialize_portable_artifact(module, version))
    except (ir.MLIRError, ValueError) as error:
        detail = "\n".join([str(error).strip(), *diagnostics])
        raise RuntimeError(f"could not {step}: {detail}") from error
    finally:
        handler.detach()


def _shown(module: Any) -> bytes:
    """A program for the framework to look at: without source locations, which change often."""
    passmanager.PassManager.parse("builtin.module(symbol-dce,strip-debuginfo)").run(
        module.operation
    )
    _single_device.strip(module)
    # The bytecode is not portable: a portable artifact verifies XLA's attributes, which do not fit
    # the functions as they are here.
    out = io.BytesIO()
    module.operation.write_bytecode(out)
    return out.getvalue()
