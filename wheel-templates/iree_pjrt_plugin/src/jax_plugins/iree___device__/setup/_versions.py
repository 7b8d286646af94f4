# SPDX-License-Identifier: Apache-2.0
"""Checks of the versions that this build of the plugin works with."""

from __future__ import annotations

from importlib import metadata

from packaging.specifiers import SpecifierSet

from .. import _build_info
from .._errors import PluginSetupError
from . import _measured

COMPILER_DISTRIBUTION = "iree-base-compiler"


def check_jaxlib(installed: str) -> None:
    """Raises PluginSetupError unless ``installed``, a PEP 440 version of jaxlib, is supported."""
    if not _allows(_build_info.SUPPORTED_JAXLIB, installed):
        _refuse("jaxlib", installed, _build_info.SUPPORTED_JAXLIB, ["jax", "jaxlib"])


def check_compiler() -> None:
    """Raises PluginSetupError unless a supported iree-base-compiler is installed."""
    installed = _installed(COMPILER_DISTRIBUTION)
    if not _allows(_build_info.SUPPORTED_IREE_COMPILER, installed):
        supported = _build_info.SUPPORTED_IREE_COMPILER
        _refuse(COMPILER_DISTRIBUTION, installed, supported, [COMPILER_DISTRIBUTION])


def _allows(supported: str, installed: str | None) -> bool:
    # A nightly or a release candidate counts by its number: its user chose it.
    return bool(installed) and SpecifierSet(supported).contains(str(installed), prereleases=True)


def _refuse(name: str, installed: str | None, supported: str, packages: list[str]) -> None:
    found = f"{name} {installed} is installed" if installed else f"{name} is not installed"
    this = f"{_build_info.DISTRIBUTION} {_build_info.VERSION}"
    versions = {each: _installed(each) for each in ("jaxlib", COMPILER_DISTRIBUTION)}
    versions[name] = installed
    nearest = _measured.nearest(versions["jaxlib"], versions[COMPILER_DISTRIBUTION])
    if nearest:
        advice = f"Install the nearest versions that were run with it:  {nearest.install()}"
    else:
        wanted = " ".join(f'"{package}{supported}"' for package in packages)
        advice = f"Install a supported version with:  pip install {wanted}"
    raise PluginSetupError(f"{this} works with {name}{supported}, but {found}. {advice}")


def _installed(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None
