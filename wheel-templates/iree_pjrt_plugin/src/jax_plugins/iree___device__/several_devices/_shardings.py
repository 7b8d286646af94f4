# SPDX-License-Identifier: Apache-2.0
"""Shardings as attributes: taking them off, and reading them."""

from __future__ import annotations

from typing import Any

from jaxlib.mlir import ir

_ATTRIBUTE_PREFIXES = ("sdy.", "xla.sdy.", "mhlo.sharding")
_FRONTEND_ATTRIBUTES = "mhlo.frontend_attributes"


class UnsupportedProgramError(Exception):
    """The program holds something that cannot be rewritten; the text is for the user."""


def entries_of(attributes: Any) -> dict[str, Any]:
    """Returns the attributes of an op, or of a dictionary attribute, by their names."""
    entries = (attributes[index] for index in range(len(attributes)))
    return {entry.name: entry.attr for entry in entries}


def strip_attributes(op: Any) -> None:
    """Deletes shardings from an op's attributes and from a function's arguments and results."""
    attributes = op.attributes
    for name in [attributes[i].name for i in range(len(attributes))]:
        if name.startswith(_ATTRIBUTE_PREFIXES):
            del attributes[name]
        elif name == _FRONTEND_ATTRIBUTES:
            kept = without_shardings(attributes[name])
            if len(kept):
                attributes[name] = kept
            else:
                del attributes[name]
        elif name in ("arg_attrs", "res_attrs"):
            entries = [without_shardings(ir.DictAttr(entry)) for entry in attributes[name]]
            attributes[name] = ir.ArrayAttr.get(entries)


def without_shardings(entry: Any) -> Any:
    """Copies a dictionary attribute without its shardings, nor those one level down."""
    kept = {}
    for name, value in entries_of(entry).items():
        if name.startswith(_ATTRIBUTE_PREFIXES):
            continue
        if name == _FRONTEND_ATTRIBUTES:
            value = without_shardings(ir.DictAttr(value))
            if not len(value):
                continue
        kept[name] = value
    return ir.DictAttr.get(kept)
