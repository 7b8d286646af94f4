# SPDX-License-Identifier: Apache-2.0
"""The lowerings of linear algebra that are taken from JAX's other platforms."""

import jax
import numpy as np
import pytest
from jax._src.interpreters import mlir
from jax._src.lax import linalg


@pytest.fixture
def taken(plugin, monkeypatch):
    """Platform → names of the primitives whose rules are taken from it."""
    found = {}

    def copy_rules(module, names, platform="cpu"):
        assert module is linalg
        found[platform] = list(names)

    monkeypatch.setattr(plugin.linalg._rules, "copy_rules", copy_rules)
    plugin.linalg.register_lowerings()
    return found


def test_pivots_are_turned_by_a_call(taken):
    assert taken["cuda"] == ["lu_pivots_to_permutation"]
    assert linalg.lu_pivots_to_permutation_p in mlir._platform_specific_lowerings["cuda"]
    permute = jax.jit(lambda p: jax.lax.linalg.lu_pivots_to_permutation(p, 8))
    lowered = permute.trace(np.zeros((2, 5), np.int32)).lower(lowering_platforms=("cuda",))
    # The native plugin has a handler of this name.
    assert "@cu_lu_pivots_to_permutation(%arg0)" in lowered.as_text()


def test_everything_else_is_that_of_cpus(taken):
    rules = mlir._platform_specific_lowerings["cpu"]
    known = [name for name in taken["cpu"] if hasattr(linalg, f"{name}_p")]
    assert len(known) > 10
    assert [name for name in known if getattr(linalg, f"{name}_p") not in rules] == []
