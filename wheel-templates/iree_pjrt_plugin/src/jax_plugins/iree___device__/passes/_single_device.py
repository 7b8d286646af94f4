# SPDX-License-Identifier: Apache-2.0
"""Removal of Shardy's dialect, which the compiler cannot read, from a program for one device.

On one device every sharding says "all of it, here". So nothing has to be partitioned: this module
only deletes and inlines, op by op. No pass of Shardy runs here, because some of them abort the
process on legal programs (a CHECK in ``sdy-convert-global-to-local`` on ``reduce_window``, which
is what ``jnp.cumsum`` becomes). Collectives and custom calls that carry shardings stay: the native
plugin knows them (``RewriteCollectivesOfOne``, ``RewriteShardingMarkers``).
"""

from __future__ import annotations

from typing import Any

from jaxlib.mlir import ir
from jaxlib.mlir.dialects import stablehlo

from ..several_devices._inline import put_in_place
from ..several_devices._shardings import UnsupportedProgramError, strip_attributes

# Ops with one operand and one result that move or constrain data between devices.
_SDY_IDENTITIES = frozenset(
    {
        "sdy.all_gather",
        "sdy.all_reduce",
        "sdy.all_slice",
        "sdy.all_to_all",
        "sdy.collective_permute",
        "sdy.data_flow_edge",
        "sdy.func_data_flow_edge",
        "sdy.propagation_barrier",
        "sdy.reduce_scatter",
        "sdy.replicated_to_unreduced",
        "sdy.reshard",
        "sdy.sharded_to_unreduced",
        "sdy.sharding_constraint",
    }
)
# Ops whose only region computes on local shards: with one device these are the whole values.
_SDY_REGIONS = frozenset({"sdy.manual_computation", "sdy.named_computation"})
# Ops that only declare something.
_SDY_DECLARATIONS = frozenset({"sdy.mesh", "sdy.sharding_group"})


def strip(module: ir.Module) -> None:
    """Rewrites ``module`` in place so that nothing of Shardy's dialect is left.

    Args:
      module: a StableHLO module for one replica and one partition.

    Raises:
      UnsupportedProgramError: an op of the ``sdy`` dialect is not known here, or one that should
        keep its operand's type does not.
    """
    matched: list[Any] = []

    def visit(op: Any) -> Any:
        if op.name.startswith("sdy."):
            matched.append(op)
        else:
            strip_attributes(op)
        return ir.WalkResult.ADVANCE

    # Post-order: an inner region is inlined before the op around it is touched.
    module.operation.walk(visit, ir.WalkOrder.POST_ORDER)
    for op in matched:
        if op.name != "sdy.return":  # it goes with its region
            _rewrite(op)


def _rewrite(op: Any) -> None:
    """Replaces one matched op by what it means on one device, and erases it."""
    name = op.name
    if name in _SDY_DECLARATIONS:
        pass
    elif name in _SDY_REGIONS:
        _inline_region(op)
    elif name == "sdy.constant":
        with op.location, ir.InsertionPoint(op):
            op.results[0].replace_all_uses_with(stablehlo.constant(op.attributes["value"]))
    elif name in _SDY_IDENTITIES:
        _replace_by_operands(op)
    else:
        raise UnsupportedProgramError(
            f"the program holds {name!r}, an op of the Shardy dialect that this version of the "
            "plugin does not know; it was made by a newer jaxlib than the plugin was written for"
        )
    op.erase()


def _replace_by_operands(op: Any) -> None:
    operands = list(op.operands)
    results = list(op.results)
    if [v.type for v in operands] != [v.type for v in results]:
        raise UnsupportedProgramError(
            f"{op.name!r} changes a shape or the number of values "
            f"({[str(v.type) for v in operands]} to {[str(v.type) for v in results]}), which "
            "cannot be on one device: was the program lowered for more devices?"
        )
    for operand, result in zip(operands, results, strict=True):
        result.replace_all_uses_with(operand)


def _inline_region(op: Any) -> None:
    """Moves the body of a one-block region in front of ``op`` and rewires its values."""
    block = op.regions[0].blocks[0]
    for argument, operand in zip(block.arguments, op.operands, strict=True):
        if argument.type != operand.type:
            raise UnsupportedProgramError(
                f"the body of {op.name!r} works on {argument.type} where the whole is "
                f"{operand.type}: was the program lowered for more devices?"
            )
    put_in_place(op, block)
