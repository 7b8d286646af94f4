# SPDX-License-Identifier: Apache-2.0
"""Elements taken from what is computed, with a change of type, from a slice with steps."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

TYPES = ["bool", "uint8", "int16", "int32", "float16", "bfloat16", "float32", "complex64"]
SLICES = {
    "every other row": lambda x: x[::2],
    "every third column": lambda x: x[:, 1::3],
    "both": lambda x: x[1::2, ::2],
    "no steps": lambda x: x[1:, 2:],
    "of a list": lambda x: x.reshape(-1)[::5].reshape(-1, 2),
}
COMPUTED = {
    "converted": lambda x, to: x.astype(to),
    "scaled": lambda x, to: x.astype(to) * 2,
    "of two": lambda x, to: x.astype(to) + x[::-1],
    "computed before": lambda x, to: (x + x).astype(to),
}
TAKEN = {
    "turned": lambda x, i: x[::-1],
    "turned within": lambda x, i: x[:, ::-1],
    "rows": lambda x, i: jnp.take(x, i, axis=0),
    "elements": lambda x, i: x.reshape(-1)[i],
    "a window": lambda x, i: lax.dynamic_slice(x, (i[0], 1), (1, 1)),
}


# All slices of two types, and one slice of all types.
CASES = [(d, s) for d in TYPES for s in SLICES if d in ("uint8", "bfloat16") or s == "both"]


@pytest.mark.combined(case=CASES)
def test_taken_from_converted_slices(case, same):
    dtype, slices = case
    x = np.random.default_rng(0).integers(0, 9, (6, 10)).astype(dtype)
    wider = "complex64" if dtype == "complex64" else "float32"

    def function(x, i):
        x = SLICES[slices](x)
        return [
            [take(compute(x, to), i) for take in TAKEN.values()]
            for compute in COMPUTED.values()
            for to in {wider, "int32" if wider == "float32" else wider}
        ]

    same(function, x, np.asarray([1, 0], np.int32))


STEPS = {
    "2": lambda x: x[..., ::2],
    "3, from 1": lambda x: x[..., 1::3],
    "7": lambda x: x[..., ::7],
    "as long as a row": lambda x: x[..., :: x.shape[-1]],
    "2 along all": lambda x: x[tuple(np.s_[::2] for _ in x.shape)],
    "2 of another dimension": lambda x: jnp.moveaxis(x, 0, -1)[..., ::2],
    "2, backwards": lambda x: x[..., ::-2],
    "2, put elsewhere": lambda x: jnp.concatenate([x[..., ::2], x[..., 1::2]], -1),
    "a column": lambda x: x[..., 3],
    "a column that stays": lambda x: x[..., -1:],
    "columns, turned round": lambda x: jnp.stack([x[..., 4], x[..., 1]], -1),
}


@pytest.mark.combined(
    dtype=[*TYPES, "float8_e4m3fn", "int4", "float64", "complex128"],
    shape=[(1000,), (64, 129), (3, 5, 70), (400, 401)],
)
def test_copies_with_steps(dtype, shape, same):
    def program(x):
        return [(part, part + part) for part in (take(x) for take in STEPS.values())]

    with jax.enable_x64(dtype in ("float64", "complex128")):
        x = np.random.default_rng(0).integers(0, 3, shape).astype(jnp.dtype(dtype))
        same(program, x)
