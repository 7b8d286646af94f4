# SPDX-License-Identifier: Apache-2.0
"""Values between numpy and the device: shapes, strides, types, shared memory, both directions."""

import copy
import gc
import pickle

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.sharding import Mesh, NamedSharding, PartitionSpec, SingleDeviceSharding

MATRIX = np.arange(24, dtype=np.float32).reshape(4, 6)


@pytest.mark.parametrize(
    "values",
    [
        MATRIX,
        MATRIX.T,
        np.asfortranarray(MATRIX),
        MATRIX[::2, 1::3],
        MATRIX[::-1, ::-2],
        np.broadcast_to(np.float32(3), (2, 5)),
        np.broadcast_to(MATRIX[0], (3, 6)),
        MATRIX[:, :0],
        np.zeros((0,), np.int32),
        np.float32(2.5),
        np.array(True),
        MATRIX[1:2, None, :, None],
        np.lib.stride_tricks.sliding_window_view(MATRIX, 3, axis=1),
    ],
    ids=lambda values: f"{values.shape}, {values.strides}",
)
def test_there_and_back(device, values):
    x = jax.device_put(values, device)
    assert x.devices() == {device}
    np.testing.assert_array_equal(np.asarray(x), values)
    assert (x.shape, x.dtype) == (values.shape, values.dtype)


# Every type that numpy and ml_dtypes have, whether programs can compute with it or not.
TYPES = [
    "bool",
    "int8",
    "int16",
    "int32",
    "int64",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "float16",
    "bfloat16",
    "float32",
    "float64",
    "complex64",
    "complex128",
    "int2",
    "uint2",
    "int4",
    "uint4",
    "float4_e2m1fn",
    "float8_e3m4",
    "float8_e4m3",
    "float8_e4m3b11fnuz",
    "float8_e4m3fn",
    "float8_e4m3fnuz",
    "float8_e5m2",
    "float8_e5m2fnuz",
    "float8_e8m0fnu",
]


@pytest.mark.parametrize("name", TYPES)
def test_every_type_is_stored(device, name):
    scalar = jnp.bool_ if name == "bool" else getattr(jnp, name, None)
    if scalar is None:
        pytest.skip(f"this JAX has no {name}")
    values = np.array([1, 0, 1, 1, 1], dtype=bool).astype(jnp.dtype(scalar))
    before = jax.config.jax_enable_x64
    jax.config.update("jax_enable_x64", True)
    try:
        x = jax.device_put(values, device)
    finally:
        jax.config.update("jax_enable_x64", before)
    assert x.dtype == values.dtype
    back = np.asarray(x)
    assert back.tobytes() == values.tobytes()
    host = SingleDeviceSharding(device, memory_kind="pinned_host")
    assert np.asarray(jax.device_put(x, host)).tobytes() == back.tobytes()


def aligned(count, offset=0):
    raw = np.zeros(4 * count + 128, np.uint8)
    start = -raw.ctypes.data % 64 + offset
    values = raw[start : start + 4 * count].view(np.float32)
    values[:] = np.arange(count)
    return values


def test_aligned_memory_is_used_as_it_lies_and_kept_alive(device):
    values = aligned(1024)
    address = values.ctypes.data
    x = jax.device_put(values, device)
    assert x.unsafe_buffer_pointer() == address
    del values
    gc.collect()
    np.testing.assert_array_equal(np.asarray(jax.jit(lambda a: a + 1)(x)), np.arange(1024) + 1)


def test_memory_that_is_not_aligned_is_copied(device):
    values = aligned(1024, offset=4)
    x = jax.device_put(values, device)
    assert x.unsafe_buffer_pointer() != values.ctypes.data
    assert x.unsafe_buffer_pointer() % 64 == 0
    np.testing.assert_array_equal(jax.jit(lambda a: a * 2)(x), np.arange(1024) * 2)


def test_jnp_array_does_not_share_memory(device):
    values = aligned(16)
    with jax.default_device(device):
        x = jnp.array(values).block_until_ready()
    values[:] = -1
    np.testing.assert_array_equal(x, np.arange(16))


def test_to_and_from_the_cpu_platform(device, cpu):
    x = jax.device_put(MATRIX, device)
    there = jax.device_put(x, cpu)
    assert there.devices() == {cpu}
    back = jax.device_put(there, device)
    assert back.devices() == {device}
    np.testing.assert_array_equal(back, MATRIX)


def test_sharded_over_one_device(device, cpu):
    mesh = Mesh(np.array([device]), ("x",))
    sharding = NamedSharding(mesh, PartitionSpec("x"))
    x = jax.device_put(jax.device_put(MATRIX, cpu), sharding)
    assert x.sharding == sharding
    (shard,) = x.addressable_shards
    np.testing.assert_array_equal(shard.data, MATRIX)
    made = jax.make_array_from_callback(MATRIX.shape, sharding, lambda index: MATRIX[index])
    np.testing.assert_array_equal(made, MATRIX)


def test_reading_in_python(device):
    x = jax.device_put(MATRIX, device)
    assert x[1, 2].item() == 8.0
    assert (int(x[0, 3]), bool(x[0, 1]), float(x[3, 5])) == (3, True, 23.0)
    assert x.tolist() == MATRIX.tolist()
    assert not np.asarray(x).flags.writeable
    copied = np.array(x)
    copied[0, 0] = 99
    assert x[0, 0] == 0
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(x)), MATRIX)
    np.testing.assert_array_equal(copy.deepcopy(x), MATRIX)
    assert not hasattr(x, "__cuda_array_interface__")


def test_deleted_arrays_cannot_be_read(device):
    x = jax.device_put(MATRIX, device)
    x.delete()
    assert x.is_deleted()
    with pytest.raises(RuntimeError, match="deleted"):
        np.asarray(x)
