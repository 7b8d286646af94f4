# SPDX-License-Identifier: Apache-2.0
"""Sorts made from seeds: any types, shapes, dimensions, numbers of keys, and comparators."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import jax
import numpy as np
from jax import lax
from jax import numpy as jnp
from jax._src.interpreters import mlir
from jax._src.lib.mlir import ir
from jax._src.lib.mlir.dialects import hlo
from jax.extend.core import Primitive

INTEGERS = ["bool", "int4", "uint4"] + [f"{u}int{8 * 2**i}" for u in ("", "u") for i in range(4)]
FLOATS = ["float16", "bfloat16", "float32", "float64"]
FLOATS8 = ["float8_e5m2", "float8_e4m3fn"]
DTYPES = [*INTEGERS, *FLOATS, *FLOATS8, "complex64", "complex128"]
SIZES = [0, 1, 2, 3, 7, 16, 17, 31, 64, 100, 129, 500]

sort_with_p = Primitive("sort_with")
sort_with_p.multiple_results = True


@sort_with_p.def_abstract_eval
def _abstract(*avals: Any, **_: Any) -> Any:
    return avals


def _lower(ctx: Any, *operands: Any, comparator: Callable[..., Any], dimension: int) -> Any:
    """The sort of StableHLO; the comparator gets a left and a right scalar of each operand."""
    types = [operand.type for operand in operands]
    sort = hlo.SortOp(
        types, operands, dimension=mlir.i64_attr(dimension), is_stable=ir.BoolAttr.get(True)
    )
    scalars = [aval.update(shape=()) for aval in ctx.avals_in for _ in range(2)]
    twice = [ir.RankedTensorType.get([], kind.element_type) for kind in types for _ in range(2)]
    block = sort.comparator.blocks.append(*twice)
    with ir.InsertionPoint(block):
        lower = mlir.lower_fun(comparator, multiple_results=False)
        out = [jax.core.ShapedArray((), np.dtype(bool))]
        inner = ctx.replace(primitive=None, avals_in=scalars, avals_out=out)
        hlo.return_([*lower(inner, *block.arguments)])
    return sort.results


mlir.register_lowering(sort_with_p, _lower)

# Orders of an int32 and a float32; the last three are no orders of keys that are compared.
COMPARATORS = [
    lambda a, b, x, y: a * a < b * b,
    lambda a, b, x, y: lax.abs(x) > lax.abs(y),
    lambda a, b, x, y: (
        lax.add(a, lax.convert_element_type(x, "int32"))
        < lax.add(b, lax.convert_element_type(y, "int32"))
    ),
    lambda a, b, x, y: lax.rem(a, np.int32(3)) < lax.rem(b, np.int32(3)),
    lambda a, b, x, y: (a > b) | ((a == b) & (x > y)),
    lambda a, b, x, y: lax.select(lax.ne(b, a), lax.lt(b, a), lax.sin(x) < lax.sin(y)),
    lambda a, b, x, y: a - b < 0,
    lambda a, b, x, y: lax.max(a, np.int32(0)) + 1 <= lax.max(b, np.int32(0)),
    lambda a, b, x, y: (((a ^ b) & 1) == 1) & ((a & 1) == 0),
]


def values(rng: np.random.Generator, shape: Sequence[int], dtype: str) -> np.ndarray:
    """Few numbers, many times each, and all that is special about the type."""
    if dtype == "bool":
        return rng.random(shape) < 0.5
    if jnp.issubdtype(dtype, np.integer):
        limits = jnp.iinfo(dtype)
        some = [int(limits.min), int(limits.max), 0, 1, 2, 3, 5, 7]
        return rng.choice(np.array(some, jnp.dtype(dtype)), shape)
    if jnp.issubdtype(dtype, np.complexfloating):
        part = "float32" if dtype == "complex64" else "float64"
        with np.errstate(invalid="ignore"):
            return values(rng, shape, part) + values(rng, shape, part) * dtype_of(dtype).type(1j)
    limits = jnp.finfo(dtype)
    tiny = float(limits.tiny)
    some = [0, -0.0, 1, -1, 2, 0.5, float(limits.max), float(limits.min), tiny, -tiny]
    some += [np.nan, -np.nan]
    if "8" not in dtype:
        some += [np.inf, -np.inf, *rng.standard_normal(20)]
    return rng.choice(np.array(some).astype(dtype_of(dtype)), shape)


def dtype_of(name: str) -> np.dtype[Any]:
    """Also of the types that numpy does not know by name."""
    return jnp.dtype(name)


def program(seed: int) -> tuple[Callable[..., Any], Sequence[np.ndarray]]:
    """A function and its arguments."""
    rng = np.random.default_rng(seed)
    rank = int(rng.integers(1, 4))
    shape = [int(rng.choice([1, 2, 3, 5])) for _ in range(rank)]
    axis = int(rng.integers(0, rank))
    shape[axis] = int(SIZES[seed % len(SIZES)])
    index = lax.broadcasted_iota(np.int32, tuple(shape), axis)
    if seed % 3 == 0:
        comparator = COMPARATORS[seed // 3 % len(COMPARATORS)]
        a = rng.integers(-9, 9, shape).astype(np.int32)
        x = rng.integers(-9, 9, shape).astype(np.float32) / 4

        def sort_with(a: Any, x: Any) -> Any:
            return sort_with_p.bind(a, x, comparator=comparator, dimension=axis)

        return sort_with, (a, x)
    keys = int(rng.integers(1, 4))
    names = [DTYPES[(seed + 7 * i) % len(DTYPES)] for i in range(keys)]
    arrays = [values(rng, shape, name) for name in names]
    stable = bool(rng.random() < 0.7)
    part = slice(None) if rng.random() < 0.6 else slice(*sorted(rng.integers(0, 40, 2).tolist()))
    descends = bool(rng.random() < 0.3)

    def sort(*arrays: Any) -> Any:
        if descends:
            arrays = [lax.rev(array, (axis,)) for array in arrays]
        # Where equal elements may change places, nothing is equal.
        count = keys if stable else keys + 1
        found = lax.sort((*arrays, index), dimension=axis, num_keys=count, is_stable=stable)
        return [jnp.moveaxis(jnp.moveaxis(y, axis, 0)[part], 0, axis) for y in found]

    return sort, arrays


def bits(x: np.ndarray) -> np.ndarray:
    """What is compared of results.

    Of integers of less than a byte the rest of the byte is undefined. XLA:CPU sorts narrow floats
    as wider ones, which changes what kind of NaN they are.
    """
    if x.dtype.name in ("int4", "uint4"):
        return x.astype(np.int8)
    if x.dtype.name in FLOATS8 or x.dtype == jnp.bfloat16:
        x = np.where(np.isnan(x), np.array(np.nan, x.dtype), x)
    return x.view(f"V{x.itemsize}")


def check(seeds: Iterable[int], device: jax.Device, cpu: jax.Device) -> None:
    """Fails with what differs, in any bit, between the two devices."""
    with jax.enable_x64(True):
        for seed in seeds:
            function, arguments = program(seed)
            found = []
            for where in (device, cpu):
                with jax.default_device(where):
                    found.append([np.asarray(y) for y in jax.jit(function)(*arguments)])
            for i, (got, want) in enumerate(zip(*found, strict=True)):
                assert (got.shape, got.dtype) == (want.shape, want.dtype)
                same = np.array_equal(bits(got), bits(want))
                assert same, f"seed {seed}, result {i}: {got} for {want}"
