# SPDX-License-Identifier: Apache-2.0
"""Fourier transforms of any length and kind, against NumPy's, which are in double precision."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest


def _noise(shape, real=False):
    rng = np.random.RandomState(sum(shape))
    values = rng.standard_normal(shape).astype(np.float32)
    return values if real else values + 1j * rng.standard_normal(shape).astype(np.float32)


def _check(name, x, **kwargs):
    got = jax.jit(lambda a: getattr(jnp.fft, name)(a, **kwargs))(x)
    want = getattr(np.fft, name)(x, **kwargs)
    assert got.shape == want.shape
    scale = np.abs(want).max(initial=1)
    np.testing.assert_allclose(np.asarray(got) / scale, want / scale, atol=3e-6)


@pytest.mark.parametrize("n", [1, 2, 7, 12, 37, 64, 1000])
def test_lengths(n):
    _check("fft", _noise((2, n)))
    _check("ifft", _noise((2, n)))


@pytest.mark.parametrize("n", [2, 9, 16])
def test_real_signals(n):
    _check("rfft", _noise((3, n), real=True))
    _check("irfft", _noise((3, n)), n=n)
    _check("irfft", _noise((3, n)), n=2 * n - 1)


@pytest.mark.parametrize("name", ["fftn", "ifftn", "irfftn"])
def test_three_dimensions_of_a_batch(name):
    _check(name, _noise((2, 3, 4, 5)), axes=(1, 2, 3))


def test_real_three_dimensions():
    _check("rfftn", _noise((2, 3, 4, 5), real=True), axes=(1, 2, 3))


def test_an_empty_batch():
    assert jnp.fft.fft(np.zeros((0, 5), np.complex64)).shape == (0, 5)


def test_gradients():
    x = _noise((11,), real=True)
    gradient = jax.grad(lambda a: jnp.sum(jnp.abs(jnp.fft.rfft(a)) ** 2))(x)
    # By Parseval, 11 |x|^2 counts each coefficient of rfft twice, except the sum.
    np.testing.assert_allclose(gradient, 11 * x + x.sum(), rtol=1e-4, atol=1e-3)


def test_an_update_of_a_complex_constant():
    def update(x):
        return x * jax.lax.dynamic_update_slice(jnp.full(3, 2 + 1j), jnp.full(1, 3j), (1,))

    got = jax.jit(update)(np.ones(3, np.complex64))
    np.testing.assert_array_equal(got, np.array([2 + 1j, 3j, 2 + 1j], np.complex64))


def test_double_precision(run_script):
    run_script("""
        import jax, numpy as np
        jax.config.update("jax_enable_x64", True)
        x = np.random.RandomState(0).standard_normal(101)
        got = jax.numpy.fft.rfft(x)
        assert got.dtype == np.complex128
        np.testing.assert_allclose(got, np.fft.rfft(x), rtol=1e-12, atol=1e-12)
    """)
