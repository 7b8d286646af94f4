# SPDX-License-Identifier: Apache-2.0
"""JAX's own rules for other platforms, for ours too."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from types import ModuleType

from jax._src.interpreters import mlir

from .. import _build_info

_logger = logging.getLogger(__name__)


def copy_rules(module: ModuleType, names: Iterable[str], platform: str = "cpu") -> None:
    """Gives ours another platform's rules for primitives of a module of JAX; changes none."""
    rules = mlir._platform_specific_lowerings[platform]
    for name in names:
        primitive = getattr(module, f"{name}_p", None)
        entry = rules.get(primitive) if primitive is not None else None
        if entry is None:
            _logger.info("this JAX has no lowering of %s for %s", name, platform)
            continue
        # Older versions keep the rule itself, without a word about inlining.
        options = {"inline": entry.inline} if hasattr(entry, "inline") else {}
        mlir.register_lowering(
            primitive, getattr(entry, "rule", entry), platform=_build_info.PLATFORM, **options
        )
