# SPDX-License-Identifier: Apache-2.0
"""Letting JAX's persistent compilation cache keep this platform's programs.

JAX consults its cache (``jax_compilation_cache_dir``) only for platforms that are on a list inside
one function. That function is told that this platform is like one of the list; calls for other
platforms go through as they are, and whether there is a cache at all stays the user's setting.
"""

from __future__ import annotations

import functools
from types import SimpleNamespace
from typing import Any

from jax._src import compilation_cache

_A_PLATFORM_OF_THE_LIST = "cpu"


def enable(platform: str) -> None:
    """Has JAX treat ``platform`` as one whose executables can be kept.

    A JAX without the function (it is not public) goes on without its cache for this platform; the
    plugin's own cache does not depend on it.
    """
    original = getattr(compilation_cache, "is_cache_used", None)
    if original is None:
        return

    @functools.wraps(original)
    def is_cache_used(backend: Any) -> bool:
        if backend.platform == platform:
            backend = SimpleNamespace(
                platform=_A_PLATFORM_OF_THE_LIST,
                supports_executable_serialization=getattr(
                    backend, "supports_executable_serialization", True
                ),
            )
        return bool(original(backend))

    compilation_cache.is_cache_used = is_cache_used
