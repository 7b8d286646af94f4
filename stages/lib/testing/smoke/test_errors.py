# SPDX-License-Identifier: Apache-2.0
"""A program that cannot be compiled is an exception with a reason, and nothing worse."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from child import output_of


def test_wrong_program_fails_and_the_next_call_works(device, capfd):
    unknown = jax.ffi.ffi_call(
        "no_such_target_anywhere", jax.ShapeDtypeStruct((4,), jnp.float32), has_side_effect=True
    )
    values = np.ones(4, np.float32)
    with jax.default_device(device):
        for _ in range(2):
            with pytest.raises(Exception, match="no_such_target_anywhere"):
                jax.jit(lambda x: unknown(x) + 1)(values).block_until_ready()
        result = jax.jit(lambda x: x + 1)(values)
    assert result.devices() == {device}
    np.testing.assert_array_equal(np.asarray(result), values + 1)
    # The reason belongs in the exception, not on the user's terminal.
    assert "no_such_target_anywhere" not in capfd.readouterr().err


def test_deleted_array_is_an_error(device):
    array = jax.device_put(np.ones(3, np.float32), device)
    array.delete()
    with pytest.raises(RuntimeError, match="delete"):
        np.asarray(array)


# The gradient is a scatter with batching dimensions, which IREE's compiler 3.11 does not survive
# as it comes from JAX. In a process of its own, so that it takes no other test along.
BATCHED_SCATTER = """
import jax, jax.numpy as jnp, numpy as np
rows = np.arange(12, dtype=np.float32).reshape(4, 3)
columns = np.array([[2], [0], [1], [2]], np.int32)
gradient = jax.jit(jax.grad(lambda x: jnp.take_along_axis(x, columns, axis=1).sum()))(rows)
print(jax.default_backend(), np.asarray(gradient).argmax(1), gradient.sum())
"""


def test_batched_scatter_does_not_end_the_process(platform):
    lines, _ = output_of(BATCHED_SCATTER, platform)
    assert lines == [f"{platform} [2 0 1 2] 4.0"]
