# SPDX-License-Identifier: Apache-2.0
"""Functions of float64, which compiled code takes from the system's math library."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

TOLERANCE = 1e-12

SCRIPT = """
import math
import jax, jax.numpy as jnp, numpy as np
jax.config.update("jax_enable_x64", True)

x = np.concatenate([np.linspace(0.05, 3.9, 37), [1e-8, 30.0]])
y = x[::-1].copy()

def each(function):
    return np.vectorize(function)

ONE = {
    "exp": (jnp.exp, np.exp), "exp2": (jnp.exp2, np.exp2), "expm1": (jnp.expm1, np.expm1),
    "log": (jnp.log, np.log), "log1p": (jnp.log1p, np.log1p), "log2": (jnp.log2, np.log2),
    "sin": (jnp.sin, np.sin), "cos": (jnp.cos, np.cos), "tan": (jnp.tan, np.tan),
    "sinh": (jnp.sinh, np.sinh),
    "atanh": (lambda v: jnp.arctanh(v / 31), lambda v: np.arctanh(v / 31)),
    "cosh": (jnp.cosh, np.cosh), "tanh": (jnp.tanh, np.tanh),
    "arcsin": (lambda v: jnp.arcsin(v / 31), lambda v: np.arcsin(v / 31)),
    "arctan": (jnp.arctan, np.arctan), "arcsinh": (jnp.arcsinh, np.arcsinh),
    "sqrt": (jnp.sqrt, np.sqrt), "rsqrt": (jax.lax.rsqrt, lambda v: 1 / np.sqrt(v)),
    "cbrt": (jnp.cbrt, np.cbrt),
    "negative cbrt": (lambda v: jnp.cbrt(-v), lambda v: np.cbrt(-v)),
    "logistic": (jax.nn.sigmoid, lambda v: 1 / (1 + np.exp(-v))),
    "erf": (jax.lax.erf, each(math.erf)),
    "erfc": (lambda v: jax.lax.erfc(v / 8), lambda v: each(math.erfc)(v / 8)),
    "lgamma": (lambda v: jax.lax.lgamma(v + 3), lambda v: each(math.lgamma)(v + 3)),
}
TWO = {
    "atan2": (jnp.arctan2, np.arctan2),
    "pow": (lambda a, b: a ** (b / 8), lambda a, b: a ** (b / 8)),
    "fmod": (jnp.fmod, np.fmod), "remainder": (jnp.remainder, np.remainder),
    "hypot": (jnp.hypot, np.hypot),
}

def compare(table, arguments):
    results = jax.jit(lambda *args: [ours(*args) for ours, _ in table.values()])(*arguments)
    for (name, (_, reference)), result in zip(table.items(), results):
        expected = reference(*arguments)
        error = np.abs(np.asarray(result) - expected) / np.maximum(np.abs(expected), 1e-300)
        print(name, np.max(error), sep="=")

compare(ONE, (x,))
compare(TWO, (x, y))
"""


def test_values_are_right_to_twelve_digits(run_script):
    errors = dict(line.split("=") for line in run_script(SCRIPT).stdout.splitlines())
    assert len(errors) == 29
    wrong = {name: error for name, error in errors.items() if not float(error) < TOLERANCE}
    assert wrong == {}


EXPONENTIALS = """
import jax, jax.numpy as jnp, numpy as np
jax.config.update("jax_enable_x64", True)

r = np.random.default_rng(0)
sizes = 10 ** r.uniform(-300, 2.8, 20_000)
x = np.concatenate([r.uniform(-2, 2, 20_000), sizes, -sizes, np.linspace(709, 709.78, 1000)])
ends = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 710, -800])

for name in ("exp", "expm1", "tanh"):
    exact = getattr(np, name)(x.astype(np.longdouble))
    rounded = exact.astype(float)
    normal = np.isfinite(rounded) & (abs(rounded) > 2.3e-308)
    errors = abs(np.asarray(jax.jit(getattr(jnp, name))(x)) - exact)[normal]
    print(name, float((errors / np.spacing(abs(rounded[normal]))).max()), sep="=")
    got, want = np.asarray(jax.jit(getattr(jnp, name))(ends)), getattr(np, name)(ends)
    np.testing.assert_array_equal(got, want)
    np.testing.assert_array_equal(np.signbit(got), np.signbit(want))
"""


def test_exponentials_are_right_to_the_last_digits(run_script):
    lines = run_script(EXPONENTIALS).stdout.splitlines()
    errors = {name: float(error) for name, error in (line.split("=") for line in lines)}
    assert errors["exp"] < 2
    assert errors["expm1"] < 5
    assert errors["tanh"] < 5


def test_a_remainder_of_float32(check):
    # Division with remainder calls the math library for any float.
    x = jnp.linspace(-7.0, 7.0, 29, dtype=jnp.float32)
    check("remainder", jnp.remainder, x, jnp.float32(1.75))


def test_a_program_runs_in_another_process(run_script, tmp_path):
    """Functions that are called by name are found again where the compiled program is loaded."""
    saved = tmp_path / "executable"
    run_script(
        """
        import pickle, sys, jax, jax.numpy as jnp
        from jax.experimental import serialize_executable
        jax.config.update("jax_enable_x64", True)
        function = jax.jit(lambda x: jnp.exp(x) + jnp.remainder(x, 0.25))
        compiled = function.lower(jnp.float64(1.5)).compile()
        with open(sys.argv[1], "wb") as file:
            pickle.dump(serialize_executable.serialize(compiled), file)
        """,
        saved,
    )
    ran = run_script(
        """
        import pickle, sys, jax, jax.numpy as jnp
        from jax.experimental import serialize_executable
        jax.config.update("jax_enable_x64", True)
        with open(sys.argv[1], "rb") as file:
            compiled = serialize_executable.deserialize_and_load(*pickle.load(file))
        print(repr(float(compiled(jnp.float64(1.5)))))
        """,
        saved,
    )
    assert abs(float(ran.stdout) - 4.4816890703380645) < 1e-12


def test_values_at_the_ends_of_the_range(run_script):
    run_script(
        """
        import jax, jax.numpy as jnp, numpy as np
        jax.config.update("jax_enable_x64", True)
        x = np.array([-np.inf, -800, -1, -1e-300, -0.0, 0.0, 1e-300, 800, np.inf, np.nan])
        names = ("cbrt", "expm1", "log1p")
        results = jax.jit(lambda x: [getattr(jnp, name)(x) for name in names])(x)
        for name, result in zip(names, results):
            with np.errstate(all="ignore"):
                expected = getattr(np, name)(x)
            np.testing.assert_allclose(result, expected, rtol=1e-13, err_msg=name)
        """
    )


# Of a vector: constants of complex128 in all places where they come from.
FILLED = {
    "zeros": lambda x: jnp.zeros((3, 3), x.dtype),
    "full": lambda x: jnp.full((2, 3), 1 + 2j, x.dtype),
    "scalar": lambda x: jnp.asarray(1 - 2j, x.dtype),
    "empty": lambda x: jnp.zeros((0, 3), x.dtype),
    "added": lambda x: x + jnp.full(x.shape, 1 + 2j, x.dtype),
    "padded": lambda x: jnp.pad(x, (1, 2), constant_values=3 + 4j),
    "padded inside": lambda x: lax.pad(x, x[0], ((1, -1, 2),)),
    "concatenated": lambda x: jnp.concatenate([x, jnp.zeros(3, x.dtype), x]),
    "updated": lambda x: jnp.zeros(9, x.dtype).at[2:7].set(x),
    "scattered": lambda x: jnp.full(9, 1j, x.dtype).at[jnp.array([8, 2, 2, 0, 1])].add(x),
    "scanned": lambda x: lax.scan(lambda c, y: (c * 0.5 + y, c), jnp.zeros((), x.dtype), x)[1],
    "looped": lambda x: lax.fori_loop(0, 3, lambda i, c: c.at[i].set(x[i]), jnp.zeros_like(x)),
    "chosen": lambda x: jnp.where(x.real > 0, x, 1 + 1j),
    "summed": lambda x: jnp.sum(x) + jnp.cumsum(x),
    "multiplied": lambda x: jnp.prod(x) * jnp.outer(x, x) @ x,
    "gradient": lambda x: jax.vjp(lambda v: v[1:3], x)[1](x[1:3])[0],
    "reversed": lambda x: jnp.flip(jnp.sum(x)) + jnp.flip(x, ()),
}


@pytest.mark.combined(dtype=["complex64", "complex128"], name=FILLED)
def test_constants_of_complex_numbers(name, dtype, check):
    # Whole numbers: sums and products are exact.
    x = np.random.default_rng(0).integers(-4, 5, (5, 2)) @ [1, 1j]
    with jax.enable_x64(True):
        check(name, FILLED[name], x.astype(dtype))
