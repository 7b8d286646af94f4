# SPDX-License-Identifier: Apache-2.0
"""The nearest set of versions that was seen to work, for the one who has another."""

from __future__ import annotations

import platform
from typing import NamedTuple

from packaging.version import InvalidVersion, Version

from .. import _build_info


class WorkingSet(NamedTuple):
    """Versions that passed the smoke test together with this build's IREE runtime."""

    jaxlib: str
    jax: str
    compiler: str

    def install(self) -> str:
        """The command that installs it."""
        pins = {"jax": self.jax, "jaxlib": self.jaxlib, "iree-base-compiler": self.compiler}
        return "pip install " + " ".join(f'"{name}=={pin}"' for name, pin in pins.items())


def nearest(
    jaxlib: str | None, compiler: str | None, python: str | None = None
) -> WorkingSet | None:
    """Returns the set for this Python that is the least change, or None if none was measured.

    Of what works: the newest jaxlib of the release (0.10) that is installed, else the newest older
    one, else the oldest newer one; of its compilers the installed one, else the newest.
    """
    python = python or ".".join(platform.python_version_tuple()[:2])
    usable = [
        WorkingSet(*row[:3])
        for row in _build_info.MEASURED
        if row[4] == "works" and python in row[3]
    ]
    usable.sort(key=lambda row: (Version(row.jaxlib), Version(row.compiler)), reverse=True)
    if not usable:
        return None
    wished = _version(jaxlib) or Version(usable[0].jaxlib)
    chosen = _first(
        [row for row in usable if Version(row.jaxlib).release[:2] == wished.release[:2]],
        [row for row in usable if Version(row.jaxlib) < wished],
        usable[-1:],
    )
    choices = [row for row in usable if row.jaxlib == chosen.jaxlib]
    installed = _version(compiler)
    return _first([row for row in choices if Version(row.compiler) == installed], choices)


def _first(*lists: list[WorkingSet]) -> WorkingSet:
    return next(row for rows in lists for row in rows)


def _version(text: str | None) -> Version | None:
    try:
        return Version(Version(text or "").public)
    except InvalidVersion:
        return None
