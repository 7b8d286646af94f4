# SPDX-License-Identifier: Apache-2.0
"""Programs of hundreds of arrays, as training steps are.

Workers that ran one ended the process: IREE's own memory for it lay off by 8 bytes.
"""

import jax
import numpy as np
import pytest


@pytest.mark.parametrize("count", [100, 240, 600])
def test_values(count, device):
    arrays = [np.full((4, 3), i, np.float32) for i in range(count)]
    stepped = jax.jit(lambda arrays: [x - 0.1 * x * x for x in arrays])
    got = stepped(jax.device_put(arrays, device))
    for i, array in enumerate(got):
        np.testing.assert_allclose(array, np.full((4, 3), i - 0.1 * i * i), rtol=1e-5)
