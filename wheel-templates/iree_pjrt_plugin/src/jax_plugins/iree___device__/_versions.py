# SPDX-License-Identifier: Apache-2.0
"""Checks of the versions that this build of the plugin works with."""

from __future__ import annotations

from importlib import metadata

from packaging.specifiers import SpecifierSet

from . import _build_info
from ._errors import PluginSetupError

COMPILER_DISTRIBUTION = "iree-base-compiler"


def check_jaxlib(installed: str) -> None:
    """Raises PluginSetupError unless ``installed``, a PEP 440 version of jaxlib, is supported."""
    _check("jaxlib", installed, _build_info.SUPPORTED_JAXLIB, install=["jax", "jaxlib"])


def check_compiler() -> None:
    """Raises PluginSetupError unless a supported iree-base-compiler is installed."""
    try:
        installed = metadata.version(COMPILER_DISTRIBUTION)
    except metadata.PackageNotFoundError:
        installed = None
    _check(COMPILER_DISTRIBUTION, installed, _build_info.SUPPORTED_IREE_COMPILER)


def _check(
    name: str, installed: str | None, supported: str, *, install: list[str] | None = None
) -> None:
    # A nightly or a release candidate counts by its number: its user chose it.
    if installed and SpecifierSet(supported).contains(installed, prereleases=True):
        return
    found = f"{name} {installed} is installed" if installed else f"{name} is not installed"
    wanted = " ".join(f'"{package}{supported}"' for package in install or [name])
    raise PluginSetupError(
        f"{_build_info.DISTRIBUTION} {_build_info.VERSION} works with {name}{supported}, but "
        f"{found}. Install a supported version with:  pip install {wanted}"
    )
