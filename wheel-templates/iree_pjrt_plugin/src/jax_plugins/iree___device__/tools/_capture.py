# SPDX-License-Identifier: Apache-2.0
"""``iree-pjrt-capture``: what a running process does, as a file for Perfetto."""

import argparse
import contextlib
import json
import os
import socket
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from .. import _build_info
from . import _tracy

_REFUSALS = {
    "mismatch": "the process speaks another protocol of Tracy than {protocol}, which {wheel} was "
    "built with: capture it with the iree-pjrt-capture of the wheel that it runs",
    "unavailable": "the process has been captured before: Tracy sends what it recorded once",
    "dropped": "the process dropped the connection",
}


class CaptureError(Exception):
    """The message says what is wrong and what to do."""


def connect(host: str, port: int, wait: float) -> socket.socket:
    """A connection to a client, which may still have to start."""
    until = time.monotonic() + wait
    while True:
        try:
            return socket.create_connection((host, port), timeout=5)
        except OSError as error:
            if time.monotonic() >= until:
                raise CaptureError(
                    f"no process listens on {host}:{port} ({error}); start it with {_wheel()} "
                    "installed, and TRACY_PORT set if it is to listen elsewhere"
                ) from error
            time.sleep(0.1)


def capture(connection: socket.socket, seconds: float) -> _tracy.Reader:
    """Reads until the process ends or the time is over."""
    if _build_info.TRACY_PROTOCOL != _tracy.PROTOCOL:
        raise CaptureError(
            f"{_wheel()} speaks protocol {_build_info.TRACY_PROTOCOL} of Tracy, its capture "
            f"protocol {_tracy.PROTOCOL}: the wheel was put together wrongly"
        )
    reader = _tracy.Reader()
    until = time.monotonic() + seconds
    asked_to_end = False
    connection.settimeout(0.1)
    while not (reader.terminated and not reader.waiting):
        if not asked_to_end and time.monotonic() >= until and reader.welcome:
            asked_to_end = True
            reader.disconnect()
        if reader.queries:
            connection.sendall(reader.queries)
            reader.queries.clear()
        try:
            data = connection.recv(1 << 20)
        except TimeoutError:
            if asked_to_end and time.monotonic() >= until + 60:
                raise CaptureError("the process does not answer") from None
            continue
        if not data:
            break
        _feed(reader, data)
    if reader.welcome is None:
        raise CaptureError("the process closed the connection before it said anything")
    reader.release()
    with contextlib.suppress(OSError):  # it may be gone
        connection.sendall(reader.queries)
    return reader


def _feed(reader: _tracy.Reader, data: bytes) -> None:
    try:
        reader.feed(data)
    except _tracy.ProtocolError as error:
        text = _REFUSALS.get(str(error), "what listens there sent {error}")
        raise CaptureError(
            text.format(protocol=_tracy.PROTOCOL, wheel=_wheel(), error=error)
        ) from error


def _wheel() -> str:
    return f"{_build_info.DISTRIBUTION} {_build_info.VERSION}"


def trace_events(reader: _tracy.Reader) -> Iterator[dict[str, Any]]:
    """The zones in the form that Perfetto and chrome://tracing open."""
    assert reader.welcome is not None
    pid = reader.welcome.pid
    yield {"ph": "M", "pid": pid, "name": "process_name", "args": {"name": reader.welcome.program}}
    for thread, name in reader.thread_names.items():
        yield {"ph": "M", "pid": pid, "tid": thread, "name": "thread_name", "args": {"name": name}}
    for zone in reader.zones:
        if zone.end is None:
            continue
        event = {"ph": "X", "pid": pid, "tid": zone.thread, "name": reader.name_of(zone)}
        event |= {"ts": zone.begin / 1000, "dur": (zone.end - zone.begin) / 1000}
        details: dict[str, Any] = {}
        if zone.texts:
            details["text"] = "\n".join(zone.texts)
        if zone.values:
            details["value"] = zone.values[-1]
        yield event | ({"args": details} if details else {})


def main(arguments: list[str] | None = None) -> int:
    """The command; returns its exit code."""
    parser = argparse.ArgumentParser(prog="iree-pjrt-capture", description=__doc__)
    parser.add_argument("--output", type=Path, default=Path("trace.json"), help="file to write")
    parser.add_argument("--seconds", type=float, default=10, help="how long, at the most")
    parser.add_argument("--wait", type=float, default=30, help="seconds that the process may take")
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=int(os.environ.get("TRACY_PORT", "8086")))
    options = parser.parse_args(arguments)
    try:
        with connect(options.host, options.port, options.wait) as connection:
            reader = capture(connection, options.seconds)
    except CaptureError as error:
        print(f"iree-pjrt-capture: {error}", file=sys.stderr)
        return 1
    events = list(trace_events(reader))
    options.output.write_text(json.dumps({"traceEvents": events}), encoding="utf-8")
    zones = sum(event["ph"] == "X" for event in events)
    print(f"{options.output}: {zones} zones of {len(reader.thread_names)} threads")
    return 0


if __name__ == "__main__":
    sys.exit(main())
