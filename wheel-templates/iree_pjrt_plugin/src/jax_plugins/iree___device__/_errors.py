# SPDX-License-Identifier: Apache-2.0
"""The one exception for everything that keeps the platform from being used."""


class PluginSetupError(RuntimeError):
    """The plugin cannot work in this environment; the text says what to do about it."""
