# SPDX-License-Identifier: Apache-2.0
"""DLPack: arrays come in from any exporter; jaxlib lets them out of its own platforms only."""

import gc

import jax
import numpy as np
import pytest

VALUES = np.arange(6, dtype=np.float32).reshape(2, 3)


@pytest.mark.parametrize("source", ["numpy", "cpu"])
def test_arrays_come_in(device, cpu, source):
    exporter = VALUES if source == "numpy" else jax.device_put(VALUES, cpu)
    x = jax.dlpack.from_dlpack(exporter, device=device)
    assert x.devices() == {device}
    np.testing.assert_array_equal(x, VALUES)
    np.testing.assert_array_equal(jax.jit(lambda a: a + 1)(x), VALUES + 1)


def test_an_array_outlives_its_exporter(device):
    exporter = np.tile(VALUES, (1000, 1))
    x = jax.dlpack.from_dlpack(exporter, device=device)
    del exporter
    gc.collect()
    others = [np.full((2000, 3), -1, np.float32) for _ in range(8)]
    np.testing.assert_array_equal(x, np.tile(VALUES, (1000, 1)))
    del others


def test_what_jaxlib_refuses_is_refused_without_harm(device):
    x = jax.device_put(VALUES, device)
    with pytest.raises((BufferError, RuntimeError), match=r"(?i)dlpack"):
        np.from_dlpack(x)
    np.testing.assert_array_equal(jax.jit(lambda a: a + 1, donate_argnums=0)(x), VALUES + 1)


def test_the_way_out_is_numpy(device):
    x = jax.device_put(VALUES, device)
    np.testing.assert_array_equal(np.from_dlpack(np.array(x)), VALUES)
