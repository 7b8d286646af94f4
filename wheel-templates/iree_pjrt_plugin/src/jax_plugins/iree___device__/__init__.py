# SPDX-License-Identifier: Apache-2.0
"""JAX on IREE: the JAX side of one PJRT plugin.

JAX finds this package twice, as a member of the ``jax_plugins`` namespace package and as an entry
point of the group ``jax_plugins``. Both name the same module, so JAX calls ``initialize()`` once,
in every process that uses JAX where this package is installed. It therefore registers and does
nothing else: no device is opened, no compiler is loaded, and no setting of JAX is changed.
"""

from __future__ import annotations

from ._build_info import VERSION as __version__

__all__ = ["__version__", "initialize"]


def initialize() -> None:
    """Registers the platform with JAX. Called by JAX; a second call does nothing.

    A plugin that cannot work (an unsupported jaxlib, a missing compiler) does not raise here, as
    JAX would only log it. The platform is registered so that it fails when it is first used, with
    a message that says what is installed, what is needed and what to type.
    """
    from .setup._register import register  # kept out of the import, which must stay light

    register()
