# SPDX-License-Identifier: Apache-2.0
"""Reads what a process of the flavour tracing sends: Tracy's protocol, as far as zones need it.

A client sends frames of LZ4 blocks that go on where the last one ended. In them are events of
fixed sizes, some with a string behind them. Names stand for themselves or are addresses in the
client, which is asked for them.
"""

import struct
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

# The version whose events are in the table below.
PROTOCOL: Final = 76

_HEAD: Final = b"TracyPrf"
_WELCOME: Final = struct.Struct("<dqqQQQQqBB12sI64s1024s")
_REPLIES: Final = {2: "mismatch", 3: "unavailable", 4: "dropped"}

# Bytes behind the type of each event, in the order of their numbers.
_FIXED: Final = (
    "0 0 8 11 8 11 8 8 8 0 0 0 12 12 9 16 16 8 16 16 12 16 16 16 4 26 26 20 20 26 26 20 20 20 20 "
    "23 23 15 15 15 23 23 15 15 15 24 20 24 22 15 11 1 9 9 12 0 0 0 24 12 0 0 4 25 17 0 16 4 3 8 "
    "16 16 16 12 31 21 12 16 16 19 16 19 27 16 12 24 16 16 16 16 16 16 16 15 17 0 4 0 16 0 0 8 8 23"
)
_SIZES: Final = [int(size) for size in _FIXED.split()] + [8] * 13
_ZONE_TEXT, _ZONE_NAME = 0, 1
_ZONE_BEGIN_ALLOCATED, _ZONE_BEGIN_ALLOCATED_STACK = 7, 8
_ZONE_BEGIN, _ZONE_BEGIN_STACK, _ZONE_END = 15, 16, 17
_TERMINATE, _THREAD, _ZONE_VALUE, _SOURCE_LOCATION = 60, 62, 69, 74
_SINGLE_STRING, _SECOND_STRING = 99, 100
_STRING, _THREAD_NAME, _LOCATION_PAYLOAD = 104, 105, 107
# Types of events whose strings, images or code, have lengths of four bytes.
_LONG_STRINGS: Final = frozenset((111, 114, 115))

_QUERY: Final = struct.Struct("<BQI")
_ASK_TERMINATE, _ASK_STRING, _ASK_THREAD, _ASK_LOCATION, _ASK_DISCONNECT = 0, 1, 2, 3, 9


class ProtocolError(Exception):
    """The other side is no process that can be captured; the message says why."""


def decompress(block: bytes, history: bytes) -> bytes:
    """An LZ4 block that may refer to the 64 KiB before it."""
    out = bytearray(history)
    at = 0
    while at < len(block):
        token = block[at]
        count, at = _length(block, at + 1, token >> 4)
        out += block[at : at + count]
        at += count
        if at >= len(block):
            break
        distance = block[at] | block[at + 1] << 8
        count, at = _length(block, at + 2, token & 15)
        count += 4
        start = len(out) - distance
        if distance == 0 or start < 0:
            raise ProtocolError("a damaged frame")
        while count > 0:  # what is copied may be what was just written
            piece = out[start : start + count]
            out += piece
            count -= len(piece)
    return bytes(out[len(history) :])


def _length(block: bytes, at: int, length: int) -> tuple[int, int]:
    if length == 15:
        while True:
            length += block[at]
            at += 1
            if block[at - 1] != 255:
                break
    return length, at


@dataclass
class Zone:
    """Something that a thread did; times in nanoseconds since the client began."""

    thread: int
    begin: int
    # The address of a source location in the client's memory; 0 if the name is known.
    location: int = 0
    name: str = ""
    end: int | None = None
    texts: list[str] = field(default_factory=list)
    values: list[int] = field(default_factory=list)


@dataclass(frozen=True)
class Welcome:
    """What a client says of itself."""

    nanoseconds: float
    begin: int
    pid: int
    program: str


class Reader:
    """From bytes of a connection to zones; ``queries`` is what is to be sent back."""

    def __init__(self) -> None:
        self.zones: list[Zone] = []
        self.thread_names: dict[int, str] = {}
        self.welcome: Welcome | None = None
        # The client has nothing more to send.
        self.terminated = False
        self.queries = bytearray(_HEAD + struct.pack("<I", PROTOCOL))
        self._asked = 0
        self._input = bytearray()
        self._greeted = False
        self._history = b""
        self._thread = 0
        self._time = 0
        self._text = ""
        self._payload = ""
        self._open: dict[int, list[Zone]] = {}
        # Addresses of the locations that the client was asked for, in turn.
        self._asked_locations: deque[int] = deque()
        self._locations: dict[int, tuple[int, int]] = {}
        self._strings: dict[int, str] = {}

    @property
    def waiting(self) -> bool:
        """Whether the client still owes answers."""
        return self._asked > 0

    def disconnect(self) -> None:
        """Asks the client to end; it still answers what it was asked."""
        self.queries += _QUERY.pack(_ASK_DISCONNECT, 0, 0)

    def release(self) -> None:
        """Lets the client go, which may wait at its exit."""
        self.queries += _QUERY.pack(_ASK_TERMINATE, 0, 0)

    def feed(self, data: bytes) -> None:
        """Takes what came; raises ProtocolError if the client refused."""
        self._input += data
        if not self._greeted and self._input:
            if self._input[0] != 1:
                raise ProtocolError(_REPLIES.get(self._input[0], "no client of Tracy"))
            if len(self._input) < 1 + _WELCOME.size:
                return
            said = _WELCOME.unpack_from(self._input, 1)
            program = said[12].split(b"\0")[0].decode("utf-8", "replace")
            self.welcome = Welcome(said[0], said[1], said[6], program)
            del self._input[: 1 + _WELCOME.size]
            self._greeted = True
        for frame in self._frames():
            self._events(frame)

    def name_of(self, zone: Zone) -> str:
        """Its name, or the function that it is in."""
        if zone.name or zone.location not in self._locations:
            return zone.name
        name, function = self._locations[zone.location]
        return self._strings.get(name or function, "")

    def _frames(self) -> Iterator[bytes]:
        while len(self._input) >= 4:
            (size,) = struct.unpack_from("<I", self._input)
            if len(self._input) < 4 + size:
                return
            frame = decompress(bytes(self._input[4 : 4 + size]), self._history)
            del self._input[: 4 + size]
            self._history = (self._history + frame)[-65536:]
            yield frame

    def _events(self, frame: bytes) -> None:
        at = 0
        while at < len(frame):
            kind = frame[at]
            if kind >= len(_SIZES):
                raise ProtocolError(f"an event of the unknown type {kind}")
            body = frame[at + 1 : at + 1 + _SIZES[kind]]
            at += 1 + _SIZES[kind]
            string = b""
            if kind >= _STRING or kind in (_SINGLE_STRING, _SECOND_STRING):
                head = 4 if kind in _LONG_STRINGS else 2
                size = int.from_bytes(frame[at : at + head], "little")
                string = frame[at + head : at + head + size]
                at += head + size
            self._event(kind, body, string)

    def _event(self, kind: int, body: bytes, string: bytes) -> None:
        if kind in (_ZONE_BEGIN, _ZONE_BEGIN_STACK):
            location = int.from_bytes(body[8:16], "little")
            self._begin(body, location=location)
            self._ask_location(location)
        elif kind in (_ZONE_BEGIN_ALLOCATED, _ZONE_BEGIN_ALLOCATED_STACK):
            self._begin(body, name=self._payload)
        elif kind == _ZONE_END:
            open_zones = self._open.get(self._thread)
            now = self._now(body)
            if open_zones:
                open_zones.pop().end = now
        elif kind in (_ZONE_TEXT, _ZONE_NAME, _ZONE_VALUE):
            self._annotate(kind, body)
        elif kind == _THREAD:
            self._thread, self._time = int.from_bytes(body, "little"), 0
            if self._thread not in self.thread_names:
                self.thread_names[self._thread] = ""
                self._ask(_ASK_THREAD, self._thread)
        elif kind == _TERMINATE:
            self.terminated = True
        elif kind == _SINGLE_STRING:
            self._text = string.decode("utf-8", "replace")
        elif kind == _LOCATION_PAYLOAD:
            # Colour and line, then function and file with a zero each, then the name.
            function, _, name = string[8:].split(b"\0", 2)
            self._payload = (name or function).decode("utf-8", "replace")
        else:
            self._answer(kind, body, string)

    def _answer(self, kind: int, body: bytes, string: bytes) -> None:
        if kind == _SOURCE_LOCATION:
            name, function = struct.unpack_from("<QQ", body)
            self._locations[self._asked_locations.popleft()] = (name, function)
            self._asked -= 1
            wanted = name or function
            if wanted not in self._strings:
                self._strings[wanted] = ""
                self._ask(_ASK_STRING, wanted)
        elif kind == _STRING:
            self._strings[int.from_bytes(body, "little")] = string.decode("utf-8", "replace")
            self._asked -= 1
        elif kind == _THREAD_NAME:
            self.thread_names[int.from_bytes(body, "little")] = string.decode("utf-8", "replace")
            self._asked -= 1

    def _now(self, body: bytes) -> int:
        """The time of an event, which counts from the last event of its thread."""
        self._time += int.from_bytes(body[:8], "little", signed=True)
        assert self.welcome is not None
        return round((self._time - self.welcome.begin) * self.welcome.nanoseconds)

    def _begin(self, body: bytes, location: int = 0, name: str = "") -> None:
        zone = Zone(self._thread, self._now(body), location, name)
        self.zones.append(zone)
        self._open.setdefault(self._thread, []).append(zone)

    def _annotate(self, kind: int, body: bytes) -> None:
        open_zones = self._open.get(self._thread)
        if not open_zones:
            return
        if kind == _ZONE_TEXT:
            open_zones[-1].texts.append(self._text)
        elif kind == _ZONE_NAME:
            open_zones[-1].name = self._text
        else:
            open_zones[-1].values.append(int.from_bytes(body, "little"))

    def _ask_location(self, location: int) -> None:
        if location not in self._locations:
            self._locations[location] = (0, 0)
            self._asked_locations.append(location)
            self._ask(_ASK_LOCATION, location)

    def _ask(self, what: int, about: int) -> None:
        self.queries += _QUERY.pack(what, about, 0)
        self._asked += 1
