# SPDX-License-Identifier: Apache-2.0
"""Products of matrices, convolutions, pooling."""

from ..making import Maker, operation

_MOST = 3_000_000  # multiplications


@operation("sums")
def _gram(m: Maker) -> str | None:
    """A matrix with itself."""
    made = m.matrix(2000)
    if made is None:
        return None
    x, (rows, columns) = made
    across, down = f"{x} @ {x}.T", f"{x}.T @ {x}"
    if rows * rows * columns > _MOST:
        return down if rows * columns * columns <= _MOST else None
    return m.of([across, down]) if rows * columns * columns <= _MOST else across


@operation("sums")
def _product(m: Maker) -> str | None:
    v = m.value(lambda w: w.ndim > 0 and w.size > 0)
    if v is None:
        return None
    n = v.shape[-1]
    w = m.value(lambda w: w.ndim in (1, 2) and w.shape[0] == n and w.size * v.size <= _MOST)
    if w is not None:
        return f"{m.full(v)} @ {m.full(w)}"
    w = m.value(lambda w: w.ndim in (1, 2) and w.shape[-1] == n and w.size * v.size <= _MOST)
    return w and f"{m.full(v)} @ {m.full(w)}.T"


@operation("sums")
def _einsum(m: Maker) -> str | None:
    v = m.value(lambda w: w.ndim == 3 and 0 < w.size <= 3000)
    if v is None:
        return None
    texts = ["bij,bkj->bik", "bij,bij->ij", "bij,bij->b", "bij,bkj->ki", "bij,bij->"]
    return f'jnp.einsum("{m.of(texts)}", {m.full(v)}, {m.full(v)})'


@operation("sums")
def _narrow_product(m: Maker) -> str | None:
    made = m.matrix(200)
    if made is None:
        return None
    x, (rows, columns) = made
    if rows * rows * columns > _MOST:
        return None
    dtype = m.of(["bf16", "f16"])
    narrow = f"jnp.clip({x}, -30, 30).astype({dtype})"
    wide = m.of(["", ", preferred_element_type=f32"])
    return f"(lambda n: jnp.matmul(n, n.T{wide}))({narrow})"


@operation("exact")
def _whole_product(m: Maker) -> str | None:
    v = m.value(lambda w: w.ndim == 2 and max(w.shape) <= 200 and w.size > 0)
    if v is None:
        return None
    narrow = f"{m.whole(v)}.astype(i8)" if m.of([True, False]) else m.whole(v)
    return f"(lambda n: jnp.matmul(n, n.T, preferred_element_type=i32))({narrow})"


@operation("sums")
def _convolution(m: Maker) -> str | None:
    """Rows with a kernel cut from the same value."""
    v = m.value(lambda w: w.ndim >= 1 and 0 < w.size <= 5000)
    if v is None:
        return None
    n = v.shape[-1]
    width = m.number(1, min(n, 5))
    outer = v.size // n
    stride, dilation, spread = m.number(1, 3), m.number(1, 2), m.number(1, 2)
    low, high = m.number(0, 2), m.number(0, 2)
    # Nothing is left where the kernel is longer than what it is moved over.
    if (width - 1) * dilation + 1 > (n - 1) * spread + 1 + low + high:
        return None
    channels, filters = (1, outer) if m.of([True, False]) else (outer, 1)
    if channels > 64 or filters > 64:
        return None
    batch = outer // channels
    x = f"{m.full(v)}.reshape({batch}, {channels}, {n})"
    kernel = f"jnp.resize({m.full(v)}, ({filters}, {channels}, {width}))"
    return (
        f"lax.conv_general_dilated({x}, {kernel}, ({stride},), [({low}, {high})], "
        f"lhs_dilation=({spread},), rhs_dilation=({dilation},))"
    )


@operation("sums")
def _image_convolution(m: Maker) -> str | None:
    v = m.value(lambda w: w.ndim >= 2 and 0 < w.size <= 3000 and min(w.shape[-2:]) >= 3)
    if v is None:
        return None
    rows, columns = v.shape[-2:]
    channels = v.size // (rows * columns)
    stride, padding = m.number(1, 2), m.of(["SAME", "VALID"])
    if channels > 64:
        return None
    # One kernel for all channels, or one for each (depthwise).
    groups = m.of([1, channels])
    kernel = f"jnp.resize({m.full(v)}, ({channels}, {channels // groups}, 3, 3))"
    x = f"{m.full(v)}.reshape(1, {channels}, {rows}, {columns})"
    return (
        f'lax.conv_general_dilated({x}, {kernel}, ({stride}, {stride}), "{padding}", '
        f"feature_group_count={groups})"
    )


@operation("sums")
def _pooling(m: Maker) -> str | None:
    v = m.value(lambda w: w.ndim >= 1 and w.size <= 20_000 and w.shape[-1] >= 2)
    if v is None:
        return None
    window = (*(1,) * (v.ndim - 1), m.number(2, 3) if v.shape[-1] > 2 else 2)
    strides = (*(1,) * (v.ndim - 1), m.number(1, 3))
    padding = m.of(["VALID", "SAME"])
    rest = f'{window}, {strides}, "{padding}")'
    x = m.full(v)
    return m.of(
        [
            f"lax.reduce_window({x}, 0.0, lax.add, {rest}",
            f"lax.reduce_window({x}, -jnp.inf, lax.max, {rest}",
            f"lax.reduce_window({x}, jnp.inf, lax.min, {rest}",
            f"lax.reduce_window({x}, 0.0, lax.add, {rest} * 0.5",
        ]
    )
