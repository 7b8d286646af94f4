# SPDX-License-Identifier: Apache-2.0
"""``donate_argnums``: the input is gone, its memory is used again, and nothing else changes."""

import warnings

import jax
import jax.numpy as jnp
import numpy as np
import pytest


def set_first(x, value):
    return jax.lax.dynamic_update_slice(x, value, (0,))


def test_donated_inputs_are_deleted_without_a_warning(device):
    x = jax.device_put(np.arange(8, dtype=np.float32), device)
    kept = jax.device_put(np.ones(8, np.float32), device)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        y = jax.jit(lambda a, b: a + b, donate_argnums=0)(x, kept)
    assert x.is_deleted()
    assert not kept.is_deleted()
    np.testing.assert_array_equal(y, np.arange(8) + 1)


def test_use_after_donation_is_an_error_of_its_own(device):
    x = jax.device_put(np.arange(8, dtype=np.float32), device)
    y = jax.jit(lambda a: a * 2, donate_argnums=0)(x)
    with pytest.raises(RuntimeError, match="deleted"):
        np.asarray(x)
    with pytest.raises((RuntimeError, ValueError), match="deleted"):
        (x + 1).block_until_ready()
    np.testing.assert_array_equal(y + 1, np.arange(8) * 2 + 1)


def test_updates_of_donated_arrays_happen_in_place(device):
    update = jax.jit(set_first, donate_argnums=0)
    value = jax.device_put(np.full(3, 7, np.float32), device)
    x = update(jax.device_put(np.zeros(1 << 16, np.float32), device).copy(), value)
    address = x.unsafe_buffer_pointer()
    for _ in range(5):
        x = update(x, value)
        assert x.unsafe_buffer_pointer() == address
    assert np.asarray(x)[:4].tolist() == [7, 7, 7, 0]


@pytest.mark.parametrize(
    "program",
    [
        lambda x: x[::-1],
        lambda x: jnp.roll(x, 1) + x,
        lambda x: jnp.cumsum(x),
        lambda x: x.at[jnp.array([0, 5, 5])].add(1),
        lambda x: jax.lax.fori_loop(0, 9, lambda i, y: y.at[i].set(y[i + 1]), x),
        lambda x: (x, x),
        lambda x: (x.at[3].set(0), x),
    ],
)
def test_donation_does_not_change_results(device, program):
    values = np.arange(1000, dtype=np.float32) % 97
    plain = jax.jit(program)(jax.device_put(values, device))
    x = jax.device_put(values, device).copy()
    donated = jax.jit(program, donate_argnums=0)(x)
    jax.tree.map(np.testing.assert_array_equal, donated, plain)
    assert x.is_deleted()


def test_nobody_sees_a_donated_array_change(device):
    write = jax.jit(set_first, donate_argnums=0)
    value = jax.device_put(np.full(2, 9, np.float32), device)

    aligned = np.zeros(64 + 256, np.uint8)
    start = -aligned.ctypes.data % 64
    host = aligned[start : start + 256].view(np.float32)
    host[:] = 1
    write(jax.device_put(host, device), value).block_until_ready()
    assert (host == 1).all()  # numpy's memory, perhaps used as it lies

    constant = jax.jit(lambda: jnp.asarray(np.arange(6, dtype=np.float32) ** 2))
    write(constant(), value).block_until_ready()
    np.testing.assert_array_equal(constant(), np.arange(6) ** 2)

    x = jax.device_put(np.arange(6, dtype=np.float32), device)
    same = jax.jit(lambda a: a)(x)
    write(x, value).block_until_ready()
    np.testing.assert_array_equal(same, np.arange(6))

    x = jax.device_put(np.arange(6, dtype=np.float32), device).copy()
    pending = jax.jit(lambda a: jnp.sin(a) * 0 + a)(x)
    write(x, value)
    np.testing.assert_array_equal(pending, np.arange(6))


def test_the_same_buffer_donated_and_passed_again(device):
    x = jax.device_put(np.ones(4, np.float32), device)
    with pytest.raises(RuntimeError, match="donated"):
        jax.jit(lambda a, b: a + b, donate_argnums=0)(x, x).block_until_ready()
    np.testing.assert_array_equal(jax.jit(lambda a: a + 1)(x), np.full(4, 2))


def test_outputs_are_arrays_of_their_own(device):
    x = jax.device_put(np.arange(3, dtype=np.float32), device)
    first, second = jax.jit(lambda a: (a, a))(x)
    assert len({a.unsafe_buffer_pointer() for a in (x, first, second)}) == 3


def test_other_platforms_are_as_they_were(cpu):
    x = jax.device_put(np.arange(8, dtype=np.float32), cpu)
    y = jax.jit(lambda a: a + 1, donate_argnums=0)(x)
    np.testing.assert_array_equal(y, np.arange(8) + 1)
    assert x.is_deleted()
