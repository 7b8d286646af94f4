# SPDX-License-Identifier: Apache-2.0
"""A fluid on a torus by spectra: what stirs it is found from where it went.

The vorticity of the Navier-Stokes equations in two dimensions, in steps of Heun's method; products
are taken on the grid, two thirds of the spectrum kept. The gradient goes back through all steps.
"""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from models.adam import descent, started
from program import Program

_GRID, _STEPS, _LENGTH, _VISCOSITY = 64, 20, 0.02, 1e-3
_EAST = np.fft.rfftfreq(_GRID, 1 / _GRID).astype(np.float32)[None, :]
_NORTH = np.fft.fftfreq(_GRID, 1 / _GRID).astype(np.float32)[:, None]
_SQUARES = _EAST**2 + _NORTH**2
_INVERSE = np.where(_SQUARES == 0, 0, 1 / np.where(_SQUARES == 0, 1, _SQUARES)).astype(np.float32)
_KEPT = (np.maximum(np.abs(_NORTH), _EAST) < _GRID / 3).astype(np.float32)


def _start() -> tuple[Any, Any]:
    generator = np.random.default_rng(0)
    begin, end = generator.standard_normal((2, _GRID, _GRID), dtype=np.float32)
    return started(np.zeros((_GRID, _GRID), np.float32)), (begin, end)


def _change(spectrum: jax.Array, stirring: jax.Array) -> jax.Array:
    stream = spectrum * _INVERSE
    parts = [_NORTH * stream, -_EAST * stream, _EAST * spectrum, _NORTH * spectrum]
    east, north, by_east, by_north = jnp.fft.irfft2(1j * jnp.stack(parts))
    moved = jnp.fft.rfft2(east * by_east + north * by_north)
    return stirring - _KEPT * moved - _VISCOSITY * _SQUARES * spectrum


def _loss(stirring: jax.Array, batch: Any) -> jax.Array:
    begin, end = batch
    force = _KEPT * jnp.fft.rfft2(stirring)

    def turn(spectrum: jax.Array, _: None) -> tuple[jax.Array, None]:
        change = _change(spectrum, force)
        other = _change(spectrum + _LENGTH * change, force)
        return spectrum + _LENGTH / 2 * (change + other), None

    spectrum, _ = jax.lax.scan(turn, _KEPT * jnp.fft.rfft2(begin), None, length=_STEPS)
    return ((jnp.fft.irfft2(spectrum) - end) ** 2).mean()


PROGRAMS = (Program("fluid, 20 steps on 64×64 by FFT", _start, descent(_loss, 1e-1)),)
