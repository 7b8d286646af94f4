# SPDX-License-Identifier: Apache-2.0
"""Processes that do as the lines they read say, and take turns: one works while the other waits."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any


class Side:
    """A process that answers each line with one of JSON; ended at the end of ``with``."""

    def __init__(self, name: str, command: Sequence[str], env: Mapping[str, str]) -> None:
        self.name = name
        self._process = subprocess.Popen(
            command, env=dict(env), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def ask(self, *words: str | int | float) -> dict[str, Any]:
        """What the process answers to a line. Ends this one if that one has ended."""
        assert self._process.stdin
        assert self._process.stdout
        self._process.stdin.write(" ".join(map(str, words)) + "\n")
        self._process.stdin.flush()
        answer = self._process.stdout.readline()
        if not answer:
            raise SystemExit(f"{self.name} ended with {self._process.wait()}")
        return json.loads(answer)

    def __enter__(self) -> "Side":
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.wait()


def uncached(platform: str, script: str) -> Side:
    """A process of this Python that runs ``script`` on a platform, with no cache of programs."""
    caches = {"JAX_ENABLE_COMPILATION_CACHE": "0", "IREE_PJRT_CACHE_SIZE": "0"}
    env = os.environ | caches | {"JAX_PLATFORMS": platform}
    return Side(platform, [sys.executable, script], env)


def answer(commands: Mapping[str, Callable[..., dict[str, Any]]], words: int = -1) -> None:
    """What such a process does: answers each line with what its first word's command returns.

    The command gets the other words, at most ``words`` of them: the last has the rest of the line.
    """
    for line in sys.stdin:
        name, *arguments = line.split(maxsplit=words)
        print(json.dumps(commands[name](*arguments)), flush=True)


def in_turns(
    sides: tuple[Side, Side], rounds: int, *words: str | int | float
) -> tuple[list[Any], list[Any]]:
    """The answers of both to the same line, asked ``rounds`` times, each first in every other."""
    answers: tuple[list[Any], list[Any]] = ([], [])
    for index in range(rounds):
        for which in (0, 1) if index % 2 == 0 else (1, 0):
            answers[which].append(sides[which].ask(*words))
    return answers
