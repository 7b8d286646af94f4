# SPDX-License-Identifier: Apache-2.0
"""By indices: rows and elements taken, set and added; slices whose place is computed."""

from ..making import Maker, Value, operation

_CUTS = ["::2", "1::2", ":-1", "1:", "::3", "-2:"]


def _indices(m: Maker, length: int) -> str:
    """Indices into so many rows, as a vector; some of them out of range, some twice."""
    w = m.value(lambda u: 0 < u.size <= 2000)
    if w is None:
        return "jnp.array([0, 0], i32)"
    count = m.number(1, 7)
    flat = f"jnp.resize({m.whole(w)}, ({count},))"
    return m.of([f"(abs({flat}) % {length})", f"({flat} + {length // 2})", f"({flat} - 1)"])


def _row(m: Maker, v: Value) -> str:
    """An index of a row that depends on a value, however that is rounded."""
    w = m.value(lambda u: u.size > 0)
    if w is None:
        return str(m.number(0, 3) % v.shape[0])
    return f"(({m.real(w)}.reshape(-1)[0] != 0).astype(i32) + {m.number(0, 3)}) % {v.shape[0]}"


@operation("exact")
def _take(m: Maker) -> str | None:
    v = m.rows()
    if v is None:
        return None
    indices = _indices(m, v.shape[0])
    return m.of(
        [
            f"{v.name}[{indices}]",
            f"{v.name}.at[{indices}].get(mode='fill', fill_value=0)",
            f"jnp.take({v.name}, {indices}, axis=0, mode='wrap')",
            f"{v.name}.at[{indices}].get(mode='clip')",
        ]
    )


@operation("exact")
def _take_row(m: Maker) -> str | None:
    v = m.rows()
    return v and f"{v.name}[{_row(m, v)}]"


@operation("exact")
def _take_along(m: Maker) -> str | None:
    v = m.value(lambda w: w.ndim > 0 and w.size > 0)
    if v is None:
        return None
    a = m.axis(v)
    texts = [f"jnp.argsort({m.real(v)}, axis={a})", f"({m.whole(v)} % {v.shape[a]})"]
    return f"jnp.take_along_axis({v.name}, {m.of(texts)}, {a})"


@operation("exact")
def _set_row(m: Maker) -> str | None:
    v = m.rows()
    return v and f"{v.name}.at[{_row(m, v)}].set({v.name}[{m.of([0, -1])}])"


@operation("exact")
def _set_cut(m: Maker) -> str | None:
    v = m.rows(3)
    if v is None:
        return None
    cut = m.of(_CUTS)
    rows = f"{v.name}[{cut}]"
    value = f"~{rows}" if v.dtype == "bool" else f"{rows} + {rows}"
    return f"{v.name}.at[{cut}].set({m.of([value, f'{v.name}[0]'])})"


@operation("sums")
def _scatter_add(m: Maker) -> str | None:
    v = m.rows()
    if v is None:
        return None
    # The rows that are added come from the value itself, as many as there are indices.
    rows = "jnp.resize(x + 1, (*i.shape, *x.shape[1:]))"
    how, indices = m.of(["add", "max", "min"]), _indices(m, v.shape[0])
    return f"(lambda x, i: x.at[i].{how}({rows}))({m.full(v)}, {indices})"


@operation("sums")
def _segment_sum(m: Maker) -> str | None:
    v = m.rows()
    if v is None:
        return None
    count = m.of([5, 1, 17, 3])
    w = m.value(lambda u: u.ndim > 0 and u.size > 0) or v
    segments = f"abs(jnp.resize({m.whole(w)}, ({v.shape[0]},))) % {count}"
    how = m.of(["sum", "max", "sum", "min"])
    reduced = f"jax.ops.segment_{how}({m.full(v)}, {segments}, {count})"
    # What no segment has is infinite in extremes.
    return reduced if how == "sum" else f"jnp.clip({reduced}, -100, 100)"


@operation("exact")
def _dynamic_slice(m: Maker) -> str | None:
    v = m.rows()
    if v is None:
        return None
    size = m.number(1, min(v.shape[0], 5))
    start = _row(m, v)
    return m.of(
        [
            f"lax.dynamic_slice_in_dim({v.name}, {start}, {size})",
            f"lax.dynamic_update_slice_in_dim({v.name}, {v.name}[:{size}], {start}, 0)",
            f"lax.dynamic_update_slice_in_dim({v.name}, {v.name}[-{size}:], {v.shape[0]}, 0)",
        ]
    )


@operation("exact")
def _slice(m: Maker) -> str | None:
    v = m.rows(3)
    return v and f"{v.name}[{m.of(_CUTS)}]"


@operation("exact")
def _element(m: Maker) -> str | None:
    v = m.value(lambda w: w.ndim > 0 and w.shape[-1] > 0)
    if v is None:
        return None
    k = m.number(0, min(v.shape[-1], 3) - 1)
    texts = [f"{v.name}[..., {k}]", f"{v.name}[..., {k}:]"]
    return m.of([*texts, f"{v.name}[:, ::-1]"] if v.ndim > 1 else texts)


@operation("exact")
def _one_hot(m: Maker) -> str | None:
    v = m.value(lambda w: w.size <= 2000)
    return v and f"jax.nn.one_hot({m.whole(v)}, {m.of([3, 7, 1])}, dtype={m.float})"


@operation("exact")
def _found(m: Maker) -> str | None:
    v = m.value(lambda w: w.ndim > 0 and 0 < w.size <= 20_000)
    if v is None:
        return None
    size = m.of([3, 1, 17])
    return f"jnp.nonzero({m.real(v)} > 0.5, size={size}, fill_value=0)[0].astype(i32)"
