# SPDX-License-Identifier: Apache-2.0
"""A device of XLA:CPU for the arrays that callbacks get, where JAX has none.

JAX places them on a device of its platform ``cpu``, which ``JAX_PLATFORMS`` leaves out when it
names ours alone. Arrays on our own device would not do: what a callback computes with them would
wait for the program that called it.
"""

from __future__ import annotations

import functools
from types import ModuleType
from typing import Any

from jax._src import callback, debugging, xla_bridge

from .. import _build_info

# The names under which JAX's versions reach `local_devices` there.
_SOURCES = ("jax", "xb", "xla_bridge")


@functools.cache
def _own_device() -> Any:
    """Of a client that JAX does not list: nothing else lands on it."""
    return xla_bridge.make_cpu_client().local_devices()[0]


class _Source:
    """A module, but for ``local_devices(backend="cpu")`` in processes that compute on ours."""

    def __init__(self, module: ModuleType) -> None:
        self._module = module

    def __getattr__(self, name: str) -> Any:
        return getattr(self._module, name)

    def local_devices(self, *args: Any, **kwargs: Any) -> list[Any]:
        try:
            return list(self._module.local_devices(*args, **kwargs))
        except RuntimeError:
            ours = xla_bridge.get_backend().platform == _build_info.PLATFORM
            if args or kwargs != {"backend": "cpu"} or not ours:
                raise
            return [_own_device()]


def use_in_callbacks() -> None:
    """Gives the two modules of JAX that run callbacks a device where they find none."""
    for module in (callback, debugging):
        for name in _SOURCES:
            found = getattr(module, name, None)
            if hasattr(found, "local_devices") and not isinstance(found, _Source):
                setattr(module, name, _Source(found))
