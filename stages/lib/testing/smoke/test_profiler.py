# SPDX-License-Identifier: Apache-2.0
"""``jax.profiler.trace`` shows what the plugin does."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from platform import machine
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

# XPlane's messages, as far as they are read here: older jaxlibs have no reader of them.
PLANES = 1
NAME, LINES, EVENT_METADATA, STAT_METADATA = 2, 3, 4, 5
LINE_NAME, LINE_EVENTS = 2, 4
EVENT_NAME, EVENT_BEGIN, EVENT_DURATION, EVENT_STATS = 1, 2, 3, 4
STAT_NAME, STAT_INT, STAT_REFERENCE = 1, 4, 7


def varint(data: bytes, at: int) -> tuple[int, int]:
    """A number, and the place behind it."""
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if byte < 0x80:
            return value, at


def fields(data: bytes) -> Iterator[tuple[int, Any]]:
    """The fields of a message of protobuf: numbers, and bytes."""
    at = 0
    while at < len(data):
        tag, at = varint(data, at)
        kind = tag & 7
        if kind == 0:
            value, at = varint(data, at)
            yield tag >> 3, value
        else:
            size, at = (8, at) if kind == 1 else (4, at) if kind == 5 else varint(data, at)
            yield tag >> 3, data[at : at + size]
            at += size


def names(plane: bytes, field: int) -> dict[int, str]:
    """A map from numbers to messages that hold a name."""
    found = {}
    for number, entry in fields(plane):
        if number == field:
            both = dict(fields(entry))
            found[both.get(1, 0)] = dict(fields(both[2])).get(2, b"").decode()
    return found


def spans(plane: bytes) -> Iterator[dict[str, Any]]:
    """Its events, with their statistics."""
    events, stats = names(plane, EVENT_METADATA), names(plane, STAT_METADATA)
    for line in (value for number, value in fields(plane) if number == LINES):
        for event in (value for number, value in fields(line) if number == LINE_EVENTS):
            span: dict[str, Any] = {"line": dict(fields(line))[LINE_NAME].decode()}
            for number, value in fields(event):
                if number == EVENT_NAME:
                    span["name"] = events[value]
                elif number in (EVENT_BEGIN, EVENT_DURATION):
                    span["begin" if number == EVENT_BEGIN else "duration"] = value
                elif number == EVENT_STATS:
                    stat = dict(fields(value))
                    text = stats.get(stat.get(STAT_REFERENCE, -1))
                    span[stats[stat[STAT_NAME]]] = text or stat.get(STAT_INT, 0)
            yield span


def plugin_spans(folder: Path, platform: str) -> list[dict[str, Any]]:
    """What the plugin recorded in the one trace in the folder."""
    (file,) = folder.rglob("*.xplane.pb")
    planes = [value for number, value in fields(file.read_bytes()) if number == PLANES]
    (plane,) = [
        plane
        for plane in planes
        if dict(fields(plane)).get(NAME, b"").decode() == f"/device:CUSTOM:{platform}"
    ]
    return list(spans(plane))


def test_a_trace_shows_the_plugin(device: Any, platform: str, tmp_path: Path) -> None:
    """One training step: compiled, dispatched, run, and its arrays moved."""

    def loss(w: Any, x: Any) -> Any:
        return jnp.mean(jnp.tanh(x @ w) ** 2)

    def traced_step(w: Any, x: Any) -> Any:
        value, gradient = jax.value_and_grad(loss)(w, x)
        return w - 0.1 * gradient, value

    step = jax.jit(traced_step)
    with jax.profiler.trace(str(tmp_path)):
        w = jax.device_put(np.full((64, 32), 0.01, np.float32), device)
        x = jax.device_put(np.ones((16, 64), np.float32), device)
        for _ in range(3):
            w, value = step(w, x)
        assert np.isfinite(np.asarray(value))
    found = plugin_spans(tmp_path, platform)
    count = Counter(span["kind"] for span in found)
    named = Counter(span["name"] for span in found)
    assert named["Compile jit_traced_step"] == 1
    assert named["Dispatch jit_traced_step"] == 3
    assert named["Execute jit_traced_step"] == 3
    if machine() == "x86_64":
        # Elsewhere IREE's own loader runs them, which knows no recorder.
        assert count["kernel"] >= 3
        kernels = {span["name"] for span in found if span["kind"] == "kernel"}
        # The compiler packs the matrices (mmt4d) or not, by the processor.
        assert any("matmul" in name or "mmt4d" in name for name in kernels), kernels
    sent = sum(span["bytes"] for span in found if span["name"].startswith("HostToDevice"))
    assert sent >= 4 * (64 * 32 + 16 * 64)
    assert any(span["name"].startswith("DeviceToHost") for span in found)
    # Kernels run while a program does.
    runs = [span for span in found if span["kind"] == "execute"]
    for kernel in (span for span in found if span["kind"] == "kernel"):
        assert any(
            run["begin"] <= kernel["begin"] <= run["begin"] + run["duration"] for run in runs
        )


def test_nothing_of_what_came_before(device: Any, platform: str, tmp_path: Path) -> None:
    """A second trace holds nothing of the first, nor of what was done between the two."""
    double = jax.jit(lambda a: a * 2)
    x = jax.device_put(np.ones(5, np.float32), device)
    with jax.profiler.trace(str(tmp_path / "first")):
        double(x).block_until_ready()
    double(x).block_until_ready()
    with jax.profiler.trace(str(tmp_path / "second")):
        double(x).block_until_ready()
    found = plugin_spans(tmp_path / "second", platform)
    assert sum(span["kind"] == "dispatch" for span in found) == 1
    assert not any(span["kind"] == "compile" for span in found)
