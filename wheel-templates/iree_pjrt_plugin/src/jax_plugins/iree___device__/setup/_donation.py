# SPDX-License-Identifier: Apache-2.0
"""Telling JAX that the platform takes donated buffers.

JAX says which inputs of a program are donated only to platforms in a list of its own, and warns
that donation is not implemented for the others. A platform's name in that list concerns programs
for that platform alone.
"""

from __future__ import annotations

from jax._src.interpreters import mlir


def enable(platform: str) -> None:
    """Puts ``platform`` on JAX's list; a second call does nothing.

    A JAX without the list (it is not public) goes on without donation, as it did before.
    """
    platforms = getattr(mlir, "_platforms_with_donation", None)
    if isinstance(platforms, list) and platform not in platforms:
        platforms.append(platform)
