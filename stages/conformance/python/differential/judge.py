# SPDX-License-Identifier: Apache-2.0
"""Whether the plugin's numbers are right, and if they differ from XLA:CPU's, whose are wrong.

Where the two differ by more than rounding usually explains, the program is computed in double
precision, with noise of the size of rounding wherever numbers are rounded. What that changes, a
right compiler may change, too: the sign of a zero difference, the order of equal sums.
"""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from .program import Program

# Parts of the largest number of a result. Narrow floats are kept wide in between, or not.
_TOLERANCES = {"float64": 1e-11, "complex128": 1e-11, "float32": 3e-5, "complex64": 3e-5}
_NARROW_TOLERANCE = 3e-2
# How much more than noise changes an error may be, and in how many runs.
_MARGIN = 16
_RUNS = 24
_NOISE = 4  # units in the last place
_SEED = 2026


class Failure(Exception):
    """A program that fails: ``kind`` is ``wrong``, ``error`` or what a process ended with."""

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(f"{kind}: {message}")
        self.kind = kind
        self.message = message


def check(program: Program, device: jax.Device, cpu: jax.Device) -> None:
    """Runs the program on both; raises ``Failure``."""
    with jax.enable_x64(program.wide):
        function, arrays = program.function(), program.arrays()
        theirs = _run(function, arrays, cpu)
        try:
            ours = _run_twice(function, arrays, device)
        except (jax.errors.JaxRuntimeError, NotImplementedError) as error:
            raise Failure("error", _brief(str(error))) from None
    _compare(program, ours, theirs, cpu)


def _brief(text: str) -> str:
    return "\n".join(text.strip().splitlines()[:6])[:1500]


def _run(function: Callable[..., Any], arrays: list[Any], device: jax.Device) -> list[np.ndarray]:
    with jax.default_device(device):
        return _leaves(jax.jit(function)(*arrays))


def _leaves(results: Any) -> list[np.ndarray]:
    return [np.asarray(leaf) for leaf in jax.tree.leaves(results)]


def _run_twice(
    function: Callable[..., Any], arrays: list[Any], device: jax.Device
) -> list[np.ndarray]:
    """A call changes neither its arguments nor what the next one computes of them."""
    placed, jitted = jax.device_put(arrays, device), jax.jit(function)
    first, second = (_leaves(jitted(*placed)) for _ in range(2))
    for what, before, after in (("argument", arrays, placed), ("result", first, second)):
        for index, (old, new) in enumerate(zip(before, after, strict=True)):
            if not _same(np.asarray(old), np.asarray(new)):
                raise Failure("wrong", f"{what} {index} is another after the second call")
    return first


def _same(first: np.ndarray, second: np.ndarray) -> bool:
    return first.tobytes() == second.tobytes()


def _compare(
    program: Program, ours: list[np.ndarray], theirs: list[np.ndarray], cpu: jax.Device
) -> None:
    suspects = []
    for index, (mine, xla) in enumerate(zip(ours, theirs, strict=True)):
        if (mine.dtype, mine.shape) != (xla.dtype, xla.shape):
            raise Failure("wrong", f"result {index}: {mine.dtype}{mine.shape}")
        if not _close(mine, xla, _tolerance(xla, program)):
            suspects.append(index)
    if not suspects:
        return
    runs = _noisy_runs(program, cpu)
    for index in suspects:
        exact, noisy = runs[0][index], [run[index] for run in runs[1:]]
        bad = _wrong(ours[index], theirs[index], exact, noisy, _tolerance(theirs[index], program))
        if bad.any():
            place = tuple(int(i) for i in np.argwhere(bad)[0])
            values = [each[index][place] for each in (ours, theirs, runs[0])]
            raise Failure(
                "wrong",
                f"result {index} at {place}, {bad.sum()} of {bad.size} elements: "
                "{} here, {} on XLA:CPU, {} in double precision".format(*values),
            )


def _tolerance(array: np.ndarray, program: Program) -> float:
    # Gradients are added up in narrow types, without a line that says so.
    if program.transforms and program.is_narrow():
        return _NARROW_TOLERANCE
    return _TOLERANCES.get(array.dtype.name, _NARROW_TOLERANCE)


def _wide(array: np.ndarray) -> np.ndarray:
    return array.astype(np.complex128 if array.dtype.kind == "c" else np.float64)


def _is_inexact(array: np.ndarray) -> bool:
    return jnp.issubdtype(array.dtype, jnp.inexact)


def _scale(array: np.ndarray) -> float:
    sizes = abs(_wide(array))
    return float(np.max(sizes, initial=0, where=np.isfinite(sizes)))


def _close(mine: np.ndarray, xla: np.ndarray, tolerance: float) -> bool:
    if not _is_inexact(xla):
        return np.array_equal(mine, xla)
    allowed = tolerance * (_scale(xla) + 1e-30)
    return np.allclose(_wide(mine), _wide(xla), rtol=0, atol=allowed, equal_nan=True)


def _wrong(
    mine: np.ndarray,
    xla: np.ndarray,
    exact: np.ndarray,
    noisy: list[np.ndarray],
    tolerance: float,
) -> np.ndarray:
    """Which elements no rounding explains: by how far noise, or XLA:CPU, are from exact ones."""
    if not _is_inexact(xla):
        unsure = np.any([run != noisy[0] for run in noisy], axis=0)
        return (mine != xla) & (mine != exact) & ~unsure
    mine, xla = _wide(mine), _wide(xla)
    with np.errstate(all="ignore"):
        spread = np.max([abs(run - exact) for run in noisy], axis=0)
        largest = max(_scale(exact), *(_scale(run) for run in noisy))
        allowed = tolerance * largest + _MARGIN * spread + 3 * abs(xla - exact)
        error = abs(mine - exact)
        same = _equal(mine, xla) | (abs(mine - xla) <= allowed)
        finite = np.isfinite(exact) & np.isfinite(spread) & np.isfinite(xla)
        # An overflow in few digits is none in many: only what all have is sure.
        sure = np.all([_equal(run, exact) for run in [*noisy, xla]], axis=0)
        return ~same & np.where(finite, ~(error <= allowed), sure)


def _equal(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    return (first == second) | (np.isnan(first) & np.isnan(second))


def _noisy_runs(program: Program, cpu: jax.Device) -> list[list[np.ndarray]]:
    """Results in double precision: without noise, operation by operation, then with it."""
    wide = dict.fromkeys(("f32", "f16", "bf16", "f64"), jnp.float64)
    wide |= {"c64": jnp.complex128, "c128": jnp.complex128}
    with jax.enable_x64(program.wide):
        arrays = [_doubled(x) for x in program.arrays()]
    with jax.enable_x64(True), jax.default_device(cpu):
        exact = program.noisy(wide | {"noisy": lambda x, *_: x})(*arrays)

        def run(key: jax.Array, *arguments: Any) -> Any:
            def noisy(x: jax.Array, dtype: str, errors: str, number: float) -> jax.Array:
                noise = _noise(jax.random.fold_in(key, int(number * 2 + 100)), x, dtype)
                if noise is None:
                    return x
                return _noisy_tangent(x, noise) if errors == "exact" else x * noise

            return program.noisy(wide | {"noisy": noisy})(*arguments)

        compiled = jax.jit(run)
        keys = jax.random.split(jax.random.key(_SEED), _RUNS)
        runs = [exact, *(compiled(key, *arrays) for key in keys)]
        return [_leaves(run) for run in runs]


def _doubled(array: np.ndarray) -> np.ndarray:
    return _wide(array) if _is_inexact(array) else array


def _noise(key: jax.Array, x: jax.Array, dtype: str) -> jax.Array | None:
    """Factors near one, as far as rounding to a type may be; None where nothing is rounded."""
    if not jnp.issubdtype(x.dtype, jnp.inexact) or not jnp.issubdtype(dtype, jnp.inexact):
        return None
    return 1 + _NOISE * float(jnp.finfo(dtype).eps) * jax.random.normal(key, x.shape)


@jax.custom_jvp
def _noisy_tangent(x: jax.Array, noise: jax.Array) -> jax.Array:
    """The value itself: only what is derived from it is rounded."""
    return x


@_noisy_tangent.defjvp
def _(primals: Any, tangents: Any) -> Any:
    return primals[0], tangents[0] * primals[1]
