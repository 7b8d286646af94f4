# SPDX-License-Identifier: Apache-2.0
"""Which client JAX has compile for a topology."""

from types import SimpleNamespace

import pytest
from jax._src import compiler


@pytest.fixture
def choose(monkeypatch):
    """Sets what JAX would choose; returns what it chooses now for a platform."""
    monkeypatch.setattr(
        compiler, "_get_cross_compile_backend", lambda backend: backend.client, raising=False
    )

    def ask(platform):
        backend = SimpleNamespace(platform=platform, client="a client")
        return compiler._get_cross_compile_backend(backend)

    return ask


def test_none_for_this_platform_and_jaxs_choice_for_others(plugin, choose):
    plugin.cross_compile.disable("iree_cpu")
    assert choose("iree_cpu") is None
    assert choose("cuda") == "a client"


def test_a_jax_without_the_function_goes_on(plugin, monkeypatch):
    monkeypatch.delattr(compiler, "_get_cross_compile_backend", raising=False)
    plugin.cross_compile.disable("iree_cpu")
    assert not hasattr(compiler, "_get_cross_compile_backend")
