# SPDX-License-Identifier: Apache-2.0
"""Memories, layouts, and what the platform says of its memory and of programs' costs."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.sharding import SingleDeviceSharding

KINDS = ["device", "pinned_host", "unpinned_host"]
VALUES = np.arange(6, dtype=np.float32).reshape(2, 3)


def test_kinds(device):
    assert sorted(memory.kind for memory in device.addressable_memories()) == sorted(KINDS)
    assert device.default_memory().kind == "device"
    assert [device.memory(kind).kind for kind in KINDS] == KINDS
    for memory in device.addressable_memories():
        assert memory.kind in repr(memory)
        assert " at 0x" not in repr(memory)


@pytest.mark.parametrize("kind", KINDS)
def test_arrays_in_each_memory(device, kind):
    there = SingleDeviceSharding(device, memory_kind=kind)
    x = jax.device_put(VALUES, there)
    assert x.sharding.memory_kind == kind
    np.testing.assert_array_equal(x, VALUES)
    back = jax.device_put(x, there.with_memory_kind("device"))
    assert back.sharding.memory_kind == "device"
    np.testing.assert_array_equal(back, VALUES)


@pytest.mark.parametrize("kind", KINDS)
def test_results_in_each_memory(device, kind):
    there = SingleDeviceSharding(device, memory_kind=kind)
    result = jax.jit(lambda x: x * 2, out_shardings=there)(jax.device_put(VALUES, device))
    assert result.sharding.memory_kind == kind
    np.testing.assert_array_equal(result, VALUES * 2)


def test_moves_inside_a_program(device):
    def through_the_host(x):
        host = jax.device_put(x, SingleDeviceSharding(device, memory_kind="pinned_host"))
        return jax.device_put(host, SingleDeviceSharding(device, memory_kind="device")) + 1

    result = jax.jit(through_the_host)(jax.device_put(VALUES, device))
    np.testing.assert_array_equal(result, VALUES + 1)


def test_unknown_kinds_are_refused(device):
    with pytest.raises(ValueError, match="memory kind"):
        jax.device_put(VALUES, SingleDeviceSharding(device, memory_kind="tape"))


def formats(device, order):
    layout = pytest.importorskip("jax.experimental.layout")
    if not hasattr(layout, "Format"):
        pytest.skip("this JAX has another interface for layouts")
    return layout.Format(layout.Layout(order), SingleDeviceSharding(device))


def test_row_major_layouts_are_taken(device):
    row_major = formats(device, (0, 1))
    x = jax.device_put(VALUES, row_major)
    assert tuple(x.format.layout.major_to_minor) == (0, 1)
    result = jax.jit(lambda a: a + 1, in_shardings=row_major, out_shardings=row_major)(x)
    np.testing.assert_array_equal(result, VALUES + 1)


def test_other_layouts_are_refused_with_their_name(device):
    column_major = formats(device, (1, 0))
    with pytest.raises(RuntimeError, match=r"layout \{0,1\}.*row-major"):
        jax.device_put(VALUES, column_major).block_until_ready()
    with pytest.raises(RuntimeError, match=r"argument 0 asks for the layout \{0,1\}"):
        jax.jit(lambda a: a + 1, in_shardings=column_major).lower(
            jax.ShapeDtypeStruct(VALUES.shape, VALUES.dtype)
        ).compile()


def test_memory_stats_follow_arrays(device):
    before = device.memory_stats()
    x = jax.device_put(np.ones(1 << 18, np.float32), device).copy().block_until_ready()
    during = device.memory_stats()
    assert during["bytes_in_use"] >= before["bytes_in_use"] + x.nbytes
    assert during["peak_bytes_in_use"] >= during["bytes_in_use"]
    assert during["num_allocs"] > before["num_allocs"]
    x.delete()
    assert device.memory_stats()["bytes_in_use"] < during["bytes_in_use"] - (1 << 19)


def test_costs_of_a_program(device):
    x = jax.device_put(np.ones((8, 16), np.float32), device)
    compiled = jax.jit(lambda a: jnp.tanh(a @ a.T).sum()).lower(x).compile()
    cost = compiled.cost_analysis()
    cost = cost[0] if isinstance(cost, list) else cost  # one for each device in older JAX
    assert cost["flops"] == 2 * 8 * 8 * 16 + 8 * 8 - 1
    assert cost["transcendentals"] == 8 * 8
    assert cost["bytes accessed"] > x.nbytes
    memory = compiled.memory_analysis()
    assert memory.argument_size_in_bytes == x.nbytes
    assert memory.output_size_in_bytes == 4
    assert memory.generated_code_size_in_bytes > 0
