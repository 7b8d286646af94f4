# SPDX-License-Identifier: Apache-2.0
"""Partitioning of a global program into each device's own, by Shardy's passes in jaxlib.

``sdy-convert-global-to-local`` ends the process, by a CHECK or a segmentation fault, on some
legal programs. Measured with jaxlib 0.10.2 and 0.12.0.1 on a 2x2 mesh: ``reduce_window`` and
``select_and_scatter`` over a sharded dimension, ``gather`` with constant indices (0.10.2), and a
sharding that does not divide its dimension. These are refused here, before any pass runs. Inside
a ``sdy.manual_computation`` (``shard_map``, ``pmap``) the values are local already, and all of
them pass.
"""

from __future__ import annotations

import functools
import math
from typing import Any

from jaxlib.mlir import ir, passmanager
from jaxlib.mlir.dialects import sdy, stablehlo

from ._shardings import UnsupportedProgramError, strip_attributes

_FATAL_OPS = frozenset(
    {
        "stablehlo.dynamic_gather",
        "stablehlo.gather",
        "stablehlo.reduce_window",
        "stablehlo.select_and_scatter",
    }
)
_PIPELINE = (
    "builtin.module("
    "func.func(stablehlo-legalize-composite-to-call),"
    # Shardy reports an error on calls in loops and branches; inlined bodies pass.
    "inline,"
    "symbol-dce,"
    "sdy-propagation-pipeline,"
    "func.func(sdy-insert-explicit-reshards{enable-full-version=true}),"
    "func.func(sdy-reshard-to-collectives),"
    "sdy-convert-global-to-local"
    ")"
)


def partition(module: ir.Module, num_replicas: int, num_partitions: int) -> None:
    """Rewrites ``module`` in place into the program that every one of the devices runs.

    Args:
      module: a StableHLO module whose shapes are global and whose shardings are Shardy's.
      num_replicas: replicas that it is compiled for; only 1 is supported.
      num_partitions: devices of the mesh.

    Raises:
      UnsupportedProgramError: the program is one that Shardy's passes are known not to survive,
        or this jaxlib has no such passes.
      MLIRError: a pass failed.
    """
    if num_replicas != 1:
        raise UnsupportedProgramError(
            f"{num_replicas} replicas x {num_partitions} partitions: programs with both shardings "
            "and replicas are not partitioned yet"
        )
    _refuse_fatal_programs(module)
    _register_passes()
    try:
        passes = passmanager.PassManager.parse(_PIPELINE)
    except ValueError as error:
        raise UnsupportedProgramError(
            f"this jaxlib has no partitioner for {num_partitions} devices: {error}"
        ) from error
    passes.run(module.operation)
    _drop_shardings(module)


@functools.cache
def _register_passes() -> None:
    stablehlo.register_stablehlo_passes()


def _refuse_fatal_programs(module: ir.Module) -> None:
    meshes: dict[str, dict[str, int]] = {}
    for op in module.body.operations:
        if op.operation.name == "sdy.mesh":
            mesh = sdy.MeshAttr(op.operation.attributes["mesh"])
            name = ir.StringAttr(op.operation.attributes["sym_name"]).value
            axes = [sdy.MeshAxisAttr(axis) for axis in mesh.axes]
            meshes[name] = {axis.name: axis.size for axis in axes}

    def visit(op: Any) -> Any:
        if op.name == "sdy.manual_computation":
            return ir.WalkResult.SKIP
        if op.name in _FATAL_OPS:
            raise UnsupportedProgramError(
                f"{op.name} is not partitioned yet outside shard_map and pmap: jaxlib's "
                f"partitioner does not survive it ({op.location})"
            )
        if op.name == "func.func":
            _check_function(op, meshes)
        elif op.name == "sdy.sharding_constraint":
            _check_divides(op.attributes["sharding"], op.results[0].type, meshes)
        return ir.WalkResult.ADVANCE

    # An exception may not cross MLIR's walk in every jaxlib, so it is carried around it.
    failures: list[UnsupportedProgramError] = []

    def guarded(op: Any) -> Any:
        try:
            return visit(op)
        except UnsupportedProgramError as error:
            failures.append(error)
            return ir.WalkResult.INTERRUPT

    module.operation.walk(guarded, ir.WalkOrder.PRE_ORDER)
    if failures:
        raise failures[0]


def _check_function(op: Any, meshes: dict[str, dict[str, int]]) -> None:
    signature = ir.FunctionType(ir.TypeAttr(op.attributes["function_type"]).value)
    for key, types in (("arg_attrs", signature.inputs), ("res_attrs", signature.results)):
        if key not in op.attributes:
            continue
        for entry, type_ in zip(op.attributes[key], types, strict=True):
            attributes = ir.DictAttr(entry)
            if "sdy.sharding" in attributes:
                _check_divides(attributes["sdy.sharding"], type_, meshes)


def _check_divides(attribute: Any, type_: Any, meshes: dict[str, dict[str, int]]) -> None:
    sharding = sdy.TensorShardingAttr(attribute)
    mesh = meshes.get(str(sharding.mesh_or_ref).removeprefix("@"), {})
    shape = ir.RankedTensorType(type_).shape
    for size, dimension in zip(shape, sharding.dimension_shardings, strict=True):
        # A part of an axis is counted whole: too strict, and never too lax.
        parts = math.prod(
            mesh.get(sdy.AxisRefAttr(axis).name, 1)
            for axis in sdy.DimensionShardingAttr(dimension).axes
        )
        if size % parts:
            raise UnsupportedProgramError(
                f"a dimension of size {size} in {type_} is sharded over {parts} devices, which do "
                "not divide it: such programs are not partitioned yet"
            )


def _drop_shardings(module: ir.Module) -> None:
    """Removes the meshes and the sharding attributes that the passes leave behind."""

    def visit(op: Any) -> Any:
        strip_attributes(op)
        if "replica_groups" in op.attributes and "mesh_axes" in str(
            op.attributes["replica_groups"]
        ):
            unsupported.append(op.name)
        return ir.WalkResult.ADVANCE

    unsupported: list[str] = []
    module.operation.walk(visit, ir.WalkOrder.POST_ORDER)
    if unsupported:
        raise UnsupportedProgramError(
            f"{unsupported[0]} names the axes of its mesh instead of listing its devices; that "
            "form is not partitioned yet"
        )
    for op in list(module.body.operations):
        if op.operation.name == "sdy.mesh":
            op.operation.erase()
