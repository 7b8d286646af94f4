# SPDX-License-Identifier: Apache-2.0
"""Registration with JAX, and what happens when the plugin cannot work."""

from __future__ import annotations

import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

import jax
import jaxlib.version
from jax._src import xla_bridge

from .. import _build_info
from .._errors import PluginSetupError
from ..passes import _framework_passes
from . import (
    _absence,
    _compilation_cache,
    _compiler,
    _cross_compile,
    _donation,
    _library,
    _versions,
)

_logger = logging.getLogger(__name__)


def register() -> None:
    """Registers the platform; see ``initialize`` in the package for what it promises."""
    if _build_info.PLATFORM in xla_bridge._backend_factories:
        return
    library = _library.find()
    try:
        _register_plugin(library)
    except Exception as error:  # whatever it is, the user of the platform must see it
        _register_failure(error, library)
    _after_discovery(library.restore)


def _register_plugin(library: _library.Library) -> None:
    _versions.check_jaxlib(jaxlib.version.__version__)
    if _build_info.SANITIZER_RUNTIME:
        from ..tools import _asan  # only in the wheels that need it

        _asan.require_runtime()
    compiler = _compiler.library_path()
    path, more = library.read()
    options = {
        "compiler_library_path": str(compiler),
        "framework_passes": _framework_passes.callback_address(),
        "framework_passes_identity": _framework_passes.identity(),
        **more,
    }
    xla_bridge.register_plugin(
        _build_info.PLATFORM,
        priority=_build_info.PRIORITY,
        library_path=str(path),
        options=options,
    )
    _absence.allow(_build_info.PLATFORM)
    _give_topologies(options)
    _cross_compile.disable(_build_info.PLATFORM)
    _donation.enable(_build_info.PLATFORM)
    _compilation_cache.enable(_build_info.PLATFORM)
    _register_host_calls(path)


def _register_host_calls(library: Path) -> None:
    """What programs may call on the host. Without it, the rest of the platform still works."""
    try:
        from jax._src.lax import parallel, windowed_reductions

        from ..host_calls import _callbacks, _ffi, _linalg
        from ..lowerings import _approx_top_k, _no_composites, _rules

        registrar = _ffi.Registrar(library)
        _ffi.connect(registrar)
        for calls in (_linalg, _callbacks):
            calls.register_handlers(registrar)
            calls.register_lowerings()
        _approx_top_k.register_lowerings()
        _no_composites.register_lowerings()
        # XLA:CPU has no such collective: the rule is that of GPUs.
        _rules.copy_rules(parallel, ["pbroadcast"], "cuda")
        # A window whose elements are all minus infinity chooses its padding, as on XLA:CPU.
        _rules.copy_rules(windowed_reductions, ["select_and_scatter_add"])
    except Exception:  # JAX's private modules change
        _logger.exception(
            "linear algebra, callbacks and custom calls are not all there on %s with this JAX",
            _build_info.PLATFORM,
        )


def _give_topologies(options: dict[str, Any]) -> None:
    """Passes a client's options to topologies too, which compile without a client."""
    make = xla_bridge._topology_factories[_build_info.PLATFORM]

    def make_topology(name: str = "", **more: Any) -> Any:
        return make(name, **{**options, **more})

    xla_bridge._topology_factories[_build_info.PLATFORM] = make_topology


def _after_discovery(restore: Callable[[], None]) -> None:
    """Calls ``restore`` once JAX has registered the plugins that the environment names."""

    # JAX calls these at the end of its discovery, once per plugin. Restoring twice is harmless.
    def callback(**_: Any) -> None:
        restore()

    xla_bridge.register_plugin_callbacks(callback)


def _register_failure(error: Exception, library: _library.Library) -> None:
    """Makes the platform fail with ``error`` when it is used, and other platforms not at all.

    JAX only logs what ``initialize()`` raises, and then tells its user that the platform is "not
    in the list of known backends". Registered this way, JAX raises the error for JAX_PLATFORMS
    and ``jax.devices(...)`` that name the platform; when nobody names one, it falls back to the
    next by priority, as ``fail_quietly`` asks.
    """
    message = str(error)
    if not isinstance(error, PluginSetupError):
        message = (
            f"{_build_info.DISTRIBUTION} {_build_info.VERSION} could not be registered with "
            f"jaxlib {jaxlib.version.__version__}: {type(error).__name__}: {error}"
        )

    def factory() -> NoReturn:
        library.restore()  # without any plugin, JAX makes no callback after its discovery
        raise PluginSetupError(message) from error

    xla_bridge.register_backend_factory(
        _build_info.PLATFORM, factory, priority=_build_info.PRIORITY, fail_quietly=True
    )
    # If platforms are named, JAX raises the message, or this platform is not among them.
    if not jax.config.jax_platforms:
        _logger.warning("JAX goes on without %s: %s", _build_info.PLATFORM, message)
