# SPDX-License-Identifier: Apache-2.0
"""A platform whose device is not there: JAX goes on without it, unless its user named it."""

from __future__ import annotations

import dataclasses
import logging
from typing import Any

import jax
from jax._src import xla_bridge

_logger = logging.getLogger(__name__)


def allow(platform: str) -> None:
    """Has JAX fall back to other platforms where ``platform`` cannot be opened.

    JAX ends a process whose user named no platform if any plugin that is installed fails. A named
    one still fails, with the plugin's own message.
    """
    registration = xla_bridge._backend_factories[platform]
    original = registration.factory

    def factory() -> Any:
        try:
            return original()
        except Exception as error:
            # If platforms are named, JAX raises the message, or this platform is not among them.
            if not jax.config.jax_platforms:
                _logger.warning("JAX goes on without %s: %s", platform, error)
            raise

    xla_bridge._backend_factories[platform] = dataclasses.replace(
        registration, factory=factory, fail_quietly=True
    )
