# SPDX-License-Identifier: Apache-2.0
"""Where the time of a compilation goes, from the spans in a profile of JAX."""

import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

# What the plugin calls the span of one program, and the step in it that is IREE's.
_PROGRAM = "Compile "
_IREE = "compile"
# Between its steps.
_LOOKUP = "CacheMiss"
# By how many microseconds spans that follow each other may overlap.
_ROUNDED = 0.01

Span = dict[str, Any]
Times = dict[str, float]


def times_of(profile: Path) -> dict[str, Times]:
    """Milliseconds by name: ``phases`` (those of IREE in place of its step) and ``passes``, ours.

    Passes between IREE's phases are one phase, ``passes``.

    ``profile``: a folder that ``jax.profiler.start_trace`` wrote to while one program was compiled.
    Raises ValueError where there is no such span in it.
    """
    (trace,) = profile.rglob("*.trace.json.gz")
    events = json.loads(gzip.decompress(trace.read_bytes()))["traceEvents"]
    spans = [event for event in events if event.get("ph") == "X"]
    programs = [span for span in spans if span["name"].startswith(_PROGRAM)]
    if len(programs) != 1:
        raise ValueError(f"{len(programs)} programs in {profile}, not 1")
    phases: Times = {}
    passes: Times = {}
    for step in _within(programs[0], spans):
        if step["name"] == _LOOKUP:
            continue
        for part in [step] if step["name"] != _IREE else _within(step, spans):
            if _is_pass(part):
                _add(passes, part)
                _add(phases, part, "passes")
                continue
            _add(phases, part)
            for rewrite in filter(_is_pass, _within(part, spans)):
                _add(passes, rewrite)
    return {"phases": phases, "passes": passes}


def _is_pass(span: Span) -> bool:
    # Passes have names like KeepInputs, IREE's phases and our steps like flow.
    return span["name"][0].isupper()


def _within(outer: Span, spans: list[Span]) -> Iterator[Span]:
    """The spans right below one, in order."""
    end = outer["ts"] + outer["dur"]
    last = outer["ts"]
    inner = [
        span
        for span in spans
        if span is not outer
        and (span["pid"], span["tid"]) == (outer["pid"], outer["tid"])
        and outer["ts"] - _ROUNDED <= span["ts"]
        and span["ts"] + span["dur"] <= end + _ROUNDED
    ]
    for span in sorted(inner, key=lambda span: (span["ts"], -span["dur"])):
        if span["ts"] >= last - _ROUNDED:
            last = span["ts"] + span["dur"]
            yield span


def _milliseconds(span: Span) -> float:
    return span["dur"] / 1e3


def _add(times: Times, span: Span, name: str = "") -> None:
    name = name or span["name"]
    times[name] = times.get(name, 0.0) + _milliseconds(span)
