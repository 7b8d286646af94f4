# SPDX-License-Identifier: Apache-2.0
"""Capturing: Tracy's protocol against a client of ours, and what the user is told."""

import importlib
import json
import socket
import struct
import threading

import pytest
from conftest import PACKAGE

tracy = importlib.import_module(f"{PACKAGE}.tools._tracy")
captures = importlib.import_module(f"{PACKAGE}.tools._capture")

SPEAKS = tracy.PROTOCOL


@pytest.fixture(autouse=True)
def wheel_of_the_flavour(monkeypatch):
    monkeypatch.setattr(captures._build_info, "TRACY_PROTOCOL", SPEAKS, raising=True)


def literals(data):
    """An LZ4 block without references."""
    head = bytes([min(len(data), 15) << 4])
    rest = len(data) - 15
    while rest >= 0:
        head += bytes([min(rest, 255)])
        rest -= 255
    return head + data


def frame(data):
    block = literals(data)
    return struct.pack("<I", len(block)) + block


def event(kind, body=b"", string=None):
    text = b"" if string is None else struct.pack("<H", len(string)) + string
    return bytes([kind]) + body + text


WELCOME = b"\x01" + tracy._WELCOME.pack(
    0.5, 1000, 0, 0, 0, 0, 77, 0, 0, 2, b"", 0, b"python\0", b""
)
# A thread with a zone whose name is in the client's memory; in that zone, another one brings its
# name along.
EVENTS = (
    event(tracy._THREAD, struct.pack("<I", 9))
    + event(tracy._ZONE_BEGIN, struct.pack("<qQ", 2000, 0xABC))
    + event(
        tracy._LOCATION_PAYLOAD,
        struct.pack("<Q", 1),
        struct.pack("<II", 0, 3) + b"function\0file\0PJRT_Client_Compile",
    )
    + event(tracy._ZONE_BEGIN_ALLOCATED, struct.pack("<q", 100))
    + event(tracy._SINGLE_STRING, b"", b"jit_step")
    + event(tracy._ZONE_TEXT)
    + event(tracy._ZONE_VALUE, struct.pack("<Q", 4096))
    + event(tracy._ZONE_END, struct.pack("<q", 40))
    + event(tracy._ZONE_END, struct.pack("<q", 60))
)
ANSWERS = {
    tracy._ASK_THREAD: lambda about: event(tracy._THREAD_NAME, struct.pack("<Q", about), b"main"),
    tracy._ASK_LOCATION: lambda about: event(
        tracy._SOURCE_LOCATION, struct.pack("<QQQIBBB", 0, 0xF00, 0xF11, 5, 0, 0, 0)
    ),
    tracy._ASK_STRING: lambda about: event(
        tracy._STRING, struct.pack("<Q", about), b"iree_vm_invoke"
    ),
    tracy._ASK_DISCONNECT: lambda about: event(tracy._TERMINATE),
}


def exactly(connection, size):
    data = b""
    while len(data) < size:
        piece = connection.recv(size - len(data))
        if not piece:
            return data
        data += piece
    return data


def client(listener, reply):
    """Plays a process that is captured."""
    connection, _ = listener.accept()
    with connection:
        assert exactly(connection, 12) == b"TracyPrf" + struct.pack("<I", SPEAKS)
        if isinstance(reply, int):
            connection.sendall(bytes([reply]))
            return
        # In pieces, as networks do.
        for at in range(0, len(reply), 37):
            connection.sendall(reply[at : at + 37])
        while len(query := exactly(connection, 13)) == 13:
            what, about, _ = struct.unpack("<BQI", query)
            if what == tracy._ASK_TERMINATE:
                return
            connection.sendall(frame(ANSWERS[what](about)))


@pytest.fixture
def served():
    """A function (reply) → port, at which a client answers once."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        threads = []

        def serve(reply):
            threads.append(threading.Thread(target=client, args=(listener, reply)))
            threads[-1].start()
            return listener.getsockname()[1]

        yield serve
        for thread in threads:
            thread.join(10)
            assert not thread.is_alive()


def test_a_capture_is_written_for_perfetto(served, tmp_path, capsys):
    port = served(WELCOME + frame(EVENTS))
    output = tmp_path / "trace.json"
    arguments = ["--port", str(port), "--seconds", "0.2", "--output", str(output)]
    assert captures.main(arguments) == 0
    assert "2 zones of 1 threads" in capsys.readouterr().out
    events = json.loads(output.read_text())["traceEvents"]
    names = [item["args"]["name"] for item in events if item["ph"] == "M"]
    assert names == ["python", "main"]
    outer, inner = (item for item in events if item["ph"] == "X")
    # Half a nanosecond a tick, from tick 1000 on.
    assert outer == {
        "ph": "X", "pid": 77, "tid": 9, "name": "iree_vm_invoke", "ts": 0.5, "dur": 0.1
    }  # fmt: skip
    assert inner["name"] == "PJRT_Client_Compile"
    assert (inner["ts"], inner["dur"]) == (0.55, 0.02)
    assert inner["args"] == {"text": "jit_step", "value": 4096}


@pytest.mark.parametrize(
    ("reply", "text"),
    [
        (2, f"another protocol of Tracy than {SPEAKS}"),
        (3, "has been captured before"),
        (4, "dropped the connection"),
        (9, "no client of Tracy"),
    ],
)
def test_a_refusal_says_why(served, tmp_path, capsys, reply, text):
    output = tmp_path / "trace.json"
    assert captures.main(["--port", str(served(reply)), "--output", str(output)]) == 1
    assert text in capsys.readouterr().err
    assert not output.exists()


def test_nobody_listens(capsys):
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    assert captures.main(["--port", str(port), "--wait", "0"]) == 1
    assert f"no process listens on 127.0.0.1:{port}" in capsys.readouterr().err


def test_a_wheel_of_another_protocol(served, monkeypatch, capsys):
    monkeypatch.setattr(captures._build_info, "TRACY_PROTOCOL", SPEAKS + 1)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        assert captures.main(["--port", str(listener.getsockname()[1])]) == 1
    assert f"protocol {SPEAKS + 1} of Tracy" in capsys.readouterr().err


def test_blocks_go_on_where_the_last_one_ended():
    # "abc" from the history, then seven bytes from three back: written while it is read.
    block = b"\x00\x05\x00" + b"\x33xyz\x03\x00" + literals(b"!")
    assert tracy.decompress(block, b"..abcde") == b"abcde"[:4] + b"xyz" + b"xyzxyzx" + b"!"
    long = bytes(range(256)) * 300
    assert tracy.decompress(literals(long), b"") == long


@pytest.mark.parametrize("block", [b"\x10a\x09\x00", b"\x10a\x00\x00"])
def test_damaged_blocks_are_refused(block):
    with pytest.raises(tracy.ProtocolError):
        tracy.decompress(block, b"")


def test_unknown_events_are_refused():
    reader = tracy.Reader()
    with pytest.raises(tracy.ProtocolError, match="unknown type 200"):
        reader.feed(WELCOME + frame(b"\xc8"))


def test_zones_that_never_end_are_left_out():
    reader = tracy.Reader()
    reader.feed(WELCOME + frame(EVENTS[:22]))
    assert len(reader.zones) == 1
    assert [item["ph"] for item in captures.trace_events(reader)] == ["M", "M"]
