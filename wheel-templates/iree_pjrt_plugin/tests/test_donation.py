# SPDX-License-Identifier: Apache-2.0
"""JAX's list of the platforms that take donated buffers."""

import pytest
from jax._src.interpreters import mlir


@pytest.fixture
def platforms(monkeypatch):
    monkeypatch.setattr(mlir, "_platforms_with_donation", ["cpu", "tpu"])
    return mlir._platforms_with_donation


def test_a_platform_is_added_once_and_others_stay(plugin, platforms):
    plugin.donation.enable("iree_cpu")
    plugin.donation.enable("iree_cpu")
    assert platforms == ["cpu", "tpu", "iree_cpu"]
    assert mlir._platforms_with_donation is platforms


def test_a_jax_without_the_list_goes_on(plugin, monkeypatch):
    monkeypatch.delattr(mlir, "_platforms_with_donation")
    plugin.donation.enable("iree_cpu")
    assert not hasattr(mlir, "_platforms_with_donation")
