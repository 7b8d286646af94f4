# SPDX-License-Identifier: Apache-2.0
"""Programs of hundreds of arrays, as training steps are.

Workers that ran one ended the process: IREE's own memory for it lay off by 8 bytes. Where they
are combined, or are single elements, IREE makes dispatches of more arrays than its runtime takes.
"""

import jax
import jax.numpy as jnp
import numpy as np
import pytest


@pytest.mark.parametrize("count", [100, 240, 600])
def test_values(count, device):
    arrays = [np.full((4, 3), i, np.float32) for i in range(count)]
    stepped = jax.jit(lambda arrays: [x - 0.1 * x * x for x in arrays])
    got = stepped(jax.device_put(arrays, device))
    for i, array in enumerate(got):
        np.testing.assert_allclose(array, np.full((4, 3), i - 0.1 * i * i), rtol=1e-5)


@pytest.mark.parametrize("shape", [(), (8,), (64, 64)], ids=str)
@pytest.mark.parametrize("count", [30, 40, 150])
def test_combined(count, shape, device):
    def partial_sums(arrays):
        total, sums = arrays[0], []
        for array in arrays[1:]:
            total = total + array
            sums.append(jnp.where(array > 3, total, 0))
        return total, sums, jnp.sqrt(sum(jnp.sum(array) for array in arrays))

    arrays = [np.full(shape, i, np.float32) for i in range(count)]
    total, sums, norm = jax.jit(partial_sums)(jax.device_put(arrays, device))
    expected = np.cumsum(range(count))
    np.testing.assert_allclose(total, np.full(shape, expected[-1]))
    for i, got in enumerate(sums, 1):
        np.testing.assert_allclose(got, np.full(shape, expected[i] if i > 3 else 0))
    np.testing.assert_allclose(norm, np.sqrt(expected[-1] * np.prod(shape)), rtol=1e-5)


def test_single_elements(device):
    arrays = [np.full((1, 1), i, np.float32) for i in range(200)]
    got = jax.jit(lambda arrays: [x[0] * 2 for x in arrays])(jax.device_put(arrays, device))
    np.testing.assert_array_equal(np.array(got).ravel(), np.arange(200) * 2)
