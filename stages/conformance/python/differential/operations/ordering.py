# SPDX-License-Identifier: Apache-2.0
"""Sorting and searching."""

from ..making import Maker, operation


@operation("exact")
def _sort(m: Maker) -> str | None:
    v = m.value(lambda w: w.ndim > 0 and w.size <= 20_000)
    if v is None:
        return None
    a, x = m.axis(v), m.real(v)
    return m.of(
        [
            f"jnp.sort({x}, axis={a})",
            f"jnp.argsort({x}, axis={a}).astype(i32)",
            f"jnp.sort({x}, axis={a}, descending=True)",
            f"jnp.argsort({x}, axis={a}, descending=True).astype(i32)",
        ]
    )


@operation("exact")
def _sort_pairs(m: Maker) -> str | None:
    v = m.value(lambda w: w.ndim > 0 and w.size <= 5000)
    if v is None:
        return None
    w = m.value(lambda w: w.shape == v.shape) or v
    a, which = m.axis(v), m.number(0, 1)
    keys = m.number(1, 2)
    return f"lax.sort(({m.whole(v)}, {m.real(w)}), dimension={a}, num_keys={keys})[{which}]"


@operation("exact")
def _top_k(m: Maker) -> str | None:
    v = m.value(lambda w: w.ndim > 0 and w.shape[-1] > 0 and w.size <= 20_000)
    if v is None:
        return None
    k, which = m.number(1, min(v.shape[-1], 7)), m.number(0, 1)
    return f"lax.top_k({m.real(v)}, {k})[{which}]"


@operation("exact")
def _searchsorted(m: Maker) -> str | None:
    v = m.value(lambda w: w.ndim > 0 and 0 < w.size <= 5000)
    if v is None:
        return None
    w = m.value(lambda u: u.size <= 5000) or v
    side, method = m.of(["left", "right"]), m.of(["scan", "sort", "compare_all"])
    if method == "compare_all" and v.size * w.size > 100_000:
        method = "scan"
    among = f"jnp.sort({m.full(v)}.reshape(-1))"
    how = f'"{side}", method="{method}"'
    return f"jnp.searchsorted({among}, {m.full(w)}, {how}).astype(i32)"


@operation("rounded")
def _median(m: Maker) -> str | None:
    v = m.value(lambda w: w.ndim > 0 and 0 < w.size <= 5000)
    if v is None:
        return None
    texts = ["jnp.median({x}, {a})", "jnp.quantile({x}, 0.3, {a})"]
    return m.of(texts).format(x=m.full(v), a=m.axis(v))


@operation("exact")
def _unique(m: Maker) -> str | None:
    v = m.value(lambda w: 0 < w.size <= 2000)
    return v and f"jnp.unique({m.whole(v)}, size={m.of([5, 1, 17])}, fill_value=0)"
