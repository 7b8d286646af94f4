# SPDX-License-Identifier: Apache-2.0
"""Compiling for a topology without waiting for oneself.

To compile for a topology, JAX prefers a client of the same platform, which may try kernels on real
hardware. jaxlib 0.10 then waits for the compilation, which runs on another thread, with the
interpreter's lock held, and the plugin needs that lock for ``_framework_passes``.
Without a client jaxlib gives the lock free. This platform's compiler has nothing to try.
"""

from __future__ import annotations

import functools
from typing import Any

from jax._src import compiler


def disable(platform: str) -> None:
    """Has JAX compile for topologies of ``platform`` without a client of it.

    A JAX without the function (it is not public) never has a client compile for a topology.
    """
    original = getattr(compiler, "_get_cross_compile_backend", None)
    if original is None:
        return

    @functools.wraps(original)
    def get_cross_compile_backend(compile_only_backend: Any) -> Any:
        if compile_only_backend.platform == platform:
            return None
        return original(compile_only_backend)

    compiler._get_cross_compile_backend = get_cross_compile_backend
