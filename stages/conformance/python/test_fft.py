# SPDX-License-Identifier: Apache-2.0
"""Fourier transforms: a generated family against XLA:CPU's, others against NumPy's."""

import fft_programs
import jax
import jax.numpy as jnp
import numpy as np
import pytest


@pytest.mark.combined(first=range(0, 96, 8))
def test_family(first, on_both):
    fft_programs.check(range(first, first + 8), on_both)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("n", [65_536, 99_999, 100_000, 100_003])
def test_long_lines(n, dtype, on_both):
    rng = np.random.default_rng(n)
    x = fft_programs.noise(rng, (n,), dtype)
    c = fft_programs.noise(rng, (n,), np.result_type(dtype, np.complex64))

    def transforms(x, c):
        back = jnp.fft.irfft(c[: n // 2 + 1], n)
        return jnp.fft.fft(c), jnp.fft.ifft(c), jnp.fft.rfft(x), back

    with jax.enable_x64(dtype == np.float64):
        for got, want in on_both(transforms, x, c):
            fft_programs.assert_close(got, want)


@pytest.mark.parametrize("name", ["fft", "rfft", "irfft"])
@pytest.mark.parametrize("axis", [0, 1])
def test_many_lines(name, axis, on_both):
    """Enough that threads share them."""
    dtype = np.float32 if name == "rfft" else np.complex64
    x = fft_programs.noise(np.random.default_rng(0), (1001, 250), dtype)
    function = getattr(jnp.fft, name)
    for got, want in on_both(lambda x: function(x, axis=axis), x):
        fft_programs.assert_close(got, want)


def test_infinite_and_missing_numbers_stay_in_their_line(on_both):
    x = fft_programs.noise(np.random.default_rng(0), (9, 30), np.complex64)
    x[4, 7] = np.nan
    x[6, 0] = np.inf
    ((got, want),) = on_both(jnp.fft.fft, x)
    np.testing.assert_array_equal(np.isfinite(got), np.isfinite(want))
    lines = np.isfinite(want).all(axis=1)
    assert lines.sum() == 7
    fft_programs.assert_close(np.asarray(got)[lines], np.asarray(want)[lines])


def test_many_lengths_in_turns(on_both):
    """Plans are kept for some lengths only: more lengths than that, there and back."""

    def turns(x):
        spectra = [jnp.fft.fft(x[:n]) for n in range(20, 32)]
        return spectra, [jnp.fft.ifft(spectrum) for spectrum in reversed(spectra)]

    x = fft_programs.noise(np.random.default_rng(0), (45,), np.complex64)
    for got, want in on_both(turns, x):
        fft_programs.assert_close(got, want)


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
