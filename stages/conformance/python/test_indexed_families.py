# SPDX-License-Identifier: Apache-2.0
"""Gathers and scatters of all forms, generated, in bounds and out, as StableHLO's text has them.

XLA:CPU is no reference for these: of several updates without an index it takes the last one only.
For unsigned indices it is.
"""

import jax
import numpy as np
import pytest
from jax import lax

DTYPES = ["float32", "int32", "bool", "complex64", "bfloat16", "uint8", "float16", "int8"]
INDEX_TYPES = ["int32", "int64", "uint32", "int8"]


class Form:
    """Dimension numbers, and arrays that go with them, by a seed."""

    def __init__(self, seed, size=None):
        rng = self.rng = np.random.default_rng(seed)
        rank = int(rng.integers(1, 4))
        self.shape = tuple(int(n) for n in rng.integers(1, 6, rank))
        if size:
            self.shape = (size, *self.shape[1:])
        dims = rng.permutation(rank)
        # Some dimensions are batching ones, some are left out, some indexed.
        batching = sorted(int(d) for d in dims[: rng.integers(0, rank)] if rng.random() < 0.5)
        rest = [d for d in range(rank) if d not in batching]
        indexed = [int(d) for d in rng.permutation(rest)[: rng.integers(0, len(rest) + 1)]]
        self.sizes = [
            1 if d in batching else int(rng.integers(1, n + 1)) for d, n in enumerate(self.shape)
        ]
        inserted = sorted(d for d in indexed if rng.random() < 0.6)
        for d in inserted:
            self.sizes[d] = 1
        window = [d for d in range(rank) if d not in inserted and d not in batching]
        free = [int(n) for n in rng.integers(1, 5, rng.integers(0, 3))]
        # The batching dimensions of the indices come first, the components last.
        self.index_shape = (*(self.shape[d] for d in batching), *free, len(indexed))
        batch = len(batching) + len(free)
        places = sorted(int(p) for p in rng.permutation(batch + len(window))[: len(window)])
        update = [0] * (batch + len(window))
        for p, d in zip(places, window, strict=True):
            update[p] = self.sizes[d]
        others = iter(self.index_shape[:-1])
        self.update = tuple(n or next(others) for n in update)
        self.batching = (tuple(batching), tuple(range(len(batching))))
        self.numbers = (tuple(places), tuple(inserted), tuple(indexed))

    def indices(self, dtype):
        """Indices inside and outside of the array."""
        low = 0 if dtype.startswith("u") else -2
        return self.rng.integers(low, max(self.shape) + 2, self.index_shape).astype(dtype)

    def values(self, shape, dtype):
        """Small whole numbers."""
        made = self.rng.integers(0, 5, shape)
        return np.asarray(jax.numpy.asarray(made, dtype))

    def windows(self, index):
        """For each index, its place in the updates and the start of its window in the array."""
        places, _, indexed = self.numbers
        for at in np.ndindex(self.index_shape[:-1]):
            start = [0] * len(self.shape)
            for d, i in zip(indexed, index[at], strict=True):
                start[d] = int(i)
            for d, i in zip(*self.batching, strict=True):
                start[d] = at[i]
            rest = iter(at)
            yield (
                tuple(slice(None) if u in places else next(rest) for u in range(len(self.update))),
                start,
            )

    def kept(self):
        """The shape of a window in the updates."""
        return tuple(self.update[u] for u in self.numbers[0])


def gathered(form, x, index):
    got = np.zeros(form.update, x.dtype)
    for place, start in form.windows(index):
        most = np.subtract(form.shape, form.sizes)
        begin = np.clip(start, 0, most)
        here = tuple(slice(s, e) for s, e in zip(begin, begin + form.sizes, strict=True))
        got[place] = x[here].reshape(form.kept())
    return got


def scattered(form, x, index, update, how):
    got = x.copy()
    for place, start in form.windows(index):
        ends = [s + size for s, size in zip(start, form.sizes, strict=True)]
        if min(start) < 0 or any(e > n for e, n in zip(ends, form.shape, strict=True)):
            continue
        here = tuple(slice(s, e) for s, e in zip(start, ends, strict=True))
        got[here] = how(got[here], update[place].reshape(form.sizes))
    return got


HOW = [
    (lax.scatter, lambda _, new: new),
    (lax.scatter_add, lambda old, new: old + new),
    (lax.scatter_min, np.minimum),
    (lax.scatter_max, np.maximum),
    (lax.scatter_mul, lambda old, new: old * new),
]


@pytest.mark.combined(seeds=range(8))
def test_gathers(seeds):
    for seed in range(4 * seeds, 4 * seeds + 4):
        form = Form(seed)
        index = form.indices(INDEX_TYPES[seed % 4])
        x = form.values(form.shape, DTYPES[seed % 8])
        numbers = lax.GatherDimensionNumbers(*form.numbers, *form.batching)
        got = jax.jit(
            lambda x, i, numbers=numbers, form=form: lax.gather(
                x, i, numbers, form.sizes, mode="promise_in_bounds"
            )
        )(x, index)
        np.testing.assert_array_equal(np.asarray(got), gathered(form, x, index))


@pytest.mark.combined(seeds=range(12))
def test_scatters(seeds):
    for seed in range(4 * seeds, 4 * seeds + 4):
        form = Form(100 + seed)
        ours, theirs = HOW[seed % 5]
        dtype = DTYPES[seed % 8] if ours is lax.scatter else DTYPES[seed % 2]
        x, update = form.values(form.shape, dtype), form.values(form.update, dtype)
        if ours is lax.scatter:
            # StableHLO does not say which of two updates of one place stays, so all are equal.
            update = np.full_like(update, 3)
        index = form.indices(INDEX_TYPES[seed % 4])
        numbers = lax.ScatterDimensionNumbers(*form.numbers, *form.batching)
        got = jax.jit(
            lambda x, i, u, numbers=numbers, ours=ours: ours(
                x, i, u, numbers, mode="promise_in_bounds"
            )
        )(x, index, update)
        np.testing.assert_array_equal(np.asarray(got), scattered(form, x, index, update, theirs))


def far(dtype):
    """Indices of an unsigned type: 2, and what is negative if it is taken for a signed one."""
    most = np.iinfo(dtype).max
    return np.array([[most], [2], [most // 2 + 1]], dtype)


ELEMENTS = lax.GatherDimensionNumbers((), (0,), (0,))
PLACES = lax.ScatterDimensionNumbers((), (0,), (0,))
# Takes an array, three indices and three updates.
BY_UNSIGNED = {
    **{
        f"gather {mode}": lambda x, i, u, mode=mode: lax.gather(x, i, ELEMENTS, (1,), mode=mode)
        for mode in ("promise_in_bounds", "clip")
    },
    **{
        f"{how.__name__} {mode}": lambda x, i, u, mode=mode, how=how: how(
            x, i, u, PLACES, mode=mode
        )
        for how in (lax.scatter, lax.scatter_add)
        for mode in ("clip", "drop")
    },
    "dynamic_slice": lambda x, i, u: lax.dynamic_slice(x, i[0], (3,)),
    "dynamic_update_slice": lambda x, i, u: lax.dynamic_update_slice(x, u, i[0]),
}


@pytest.mark.combined(name=BY_UNSIGNED, dtype=["uint8", "uint16", "uint32", "uint64"])
def test_unsigned_indices(name, dtype, device, cpu):
    # Equal updates: `clip` brings two to one place.
    x, update = np.arange(100, dtype=np.float32), np.full(3, 1000, np.float32)
    with jax.enable_x64(True):
        index = far(dtype)
        got, want = (
            np.asarray(jax.jit(BY_UNSIGNED[name])(*jax.device_put((x, index, update), where)))
            for where in (device, cpu)
        )
    np.testing.assert_array_equal(got, want)


def test_narrow_indices_from_columns(same):
    """What they are widened from is no array of its own."""
    rows = lax.GatherDimensionNumbers((1,), (0,), (0,))

    def program(x, i):
        place = i[..., 1].astype(np.int32) * 4 + i[..., 0]
        return lax.gather(x, place[..., None], rows, (1, 5), mode="clip"), x[place], x[:, 0][place]

    x = np.arange(80, dtype=np.float32).reshape(16, 5)
    index = np.random.default_rng(0).integers(0, 4, (2, 4, 2))
    for dtype in ("int8", "uint8", "int16", "int32"):
        same(program, x, index.astype(dtype))


INDEXED = {
    "first": lambda x, i, j, mode: x.at[i, j].get(mode=mode),
    "last": lambda x, i, j, mode: x.at[:, i, j].get(mode=mode),
    "apart": lambda x, i, j, mode: x.at[i, :, j].get(mode=mode),
    "all": lambda x, i, j, mode: x.at[i, j, i].get(mode=mode),
    "new": lambda x, i, j, mode: x.at[i, None, j].get(mode=mode),
    "of a slice": lambda x, i, j, mode: x[1:, 1:].at[i, j].get(mode=mode),
    "turned": lambda x, i, j, mode: x.T.at[j, i].get(mode=mode),
    "batches": lambda x, i, j, mode: jax.vmap(lambda y: y.at[i, j].get(mode=mode))(x),
}


@pytest.mark.combined(name=INDEXED)
def test_indices_of_several_dimensions(name, same):
    rng = np.random.default_rng(0)
    x = rng.normal(size=(5, 6, 7)).astype(np.float32)
    for dtype in ("int8", "uint8", "int32", "uint32"):
        i, j = rng.integers(-9, 9, (2, 4, 3)).astype(dtype)
        for mode in ("fill", "clip"):
            same(lambda x, i, j, mode=mode: INDEXED[name](x, i, j, mode), x, i, j)
    same(jax.grad(lambda x: (INDEXED[name](x, i % 5, j % 5, None) ** 2).sum()), x)


WRITTEN = {
    "first": lambda x, i, j, how: how(x.at[i, j], x[i, j] + 1),
    "last": lambda x, i, j, how: how(x.at[:, i, j], 2.0),
    "apart": lambda x, i, j, how: how(x.at[i, :, j], 2.0),
    "all": lambda x, i, j, how: how(x.at[i, j, i], 2.0),
    "elements": lambda x, i, j, how: how(x[0].at[i, j], 2.0),
    "turned": lambda x, i, j, how: how(x.T.at[j, i], 2.0),
    "batches": lambda x, i, j, how: jax.vmap(lambda y: how(y.at[i, j], 2.0))(x),
    "batches of indices": lambda x, i, j, how: jax.vmap(
        lambda y, k: how(y.at[k], 2.0), in_axes=(0, None)
    )(x[:, 0], i[0]),
    "its own in each batch": lambda x, i, j, how: jax.vmap(lambda y, k, m: how(y.at[k, m], 2.0))(
        x[:4], i, j
    ),
}
HOW_WRITTEN = {
    "set": lambda at, y, mode: at.set(y * 0 + 3, mode=mode),
    "add": lambda at, y, mode: at.add(y, mode=mode),
    "max": lambda at, y, mode: at.max(y, mode=mode),
    "multiply": lambda at, y, mode: at.multiply(y, mode=mode),
}


@pytest.mark.combined(name=WRITTEN, mode=["drop", "clip"])
def test_written_at_indices_of_several_dimensions(name, mode, same):
    rng = np.random.default_rng(0)
    x = rng.normal(size=(5, 6, 7)).astype(np.float32)
    for dtype in ("int8", "uint8", "int32", "uint32"):
        i, j = rng.integers(-9, 9, (2, 4, 3)).astype(dtype)

        def program(x, i, j):
            return [
                WRITTEN[name](x, i, j, lambda at, y, how=how: how(at, y, mode))
                for how in HOW_WRITTEN.values()
            ]

        same(program, x, i, j)
