# SPDX-License-Identifier: Apache-2.0
"""Looks for programs that fail, until its time is over.

Run it as a module::

    python -m differential.search PLATFORM SECONDS SEED LIMIT

Prints a line of JSON for each program and each finding. A program runs in another process, which is
ended after LIMIT seconds: what ends that process is a failure like others, and is shrunk like them.
What looks like an earlier finding is counted and not shrunk again.
"""

import json
import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from typing import Any

# Programs are made here and run elsewhere: a crash of the plugin is none of this process.
os.environ["JAX_PLATFORMS"] = "cpu"

import hypothesis
from hypothesis import HealthCheck, Phase, Verbosity, given, settings

from .judge import Failure
from .program import Program
from .strategy import programs

_ROUND = 100
_SHRINKING = 240


class Worker:
    """A process that runs programs, started anew when one has ended it."""

    def __init__(self, platform: str, limit: float) -> None:
        self._platform, self._limit = platform, limit
        self._process: subprocess.Popen[str] | None = None

    def run(self, program: Program) -> None:
        """Raises ``Failure``."""
        process = self._started()
        assert process.stdin
        assert process.stdout
        process.stdin.write(program.to_json() + "\n")
        process.stdin.flush()
        # The first program of a process waits for its start, too.
        ready, _, _ = select.select([process.stdout], [], [], self._limit)
        line = process.stdout.readline() if ready else ""
        if line:
            answer = json.loads(line)
            if answer:
                raise Failure(answer["kind"], answer["message"])
            return
        code = self.end()
        if not ready:
            raise Failure("timeout", f"no end after {self._limit:g} s")
        raise Failure("crash", signal.Signals(-code).name if code < 0 else f"exit code {code}")

    def _started(self) -> subprocess.Popen[str]:
        if self._process is None:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "differential.worker", self._platform],
                env={**os.environ, "JAX_PLATFORMS": f"{self._platform},cpu"},
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
            )
        return self._process

    def end(self) -> int:
        """Ends the process; its exit code."""
        if self._process is None:
            return 0
        process, self._process = self._process, None
        try:
            # One that has crashed says with what; one that hangs is killed.
            return process.wait(timeout=1)
        except subprocess.TimeoutExpired:
            process.kill()
            return process.wait()


class Search:
    """Rounds of programs, each round with a seed of its own."""

    def __init__(self, worker: Worker, end: float) -> None:
        self._worker, self._end = worker, end
        self._known: list[tuple[str, str, frozenset[str]]] = []
        self._number = 0
        self._shrunk_until = 0.0
        self._failed: tuple[Program, Failure] | None = None
        # Programs that passed: small ones come again and again.
        self._passed: set[Program] = set()

    def round(self, number: int) -> None:
        """Runs programs of a seed until one fails in a new way, and reports that one, shrunk."""
        self._number, self._failed, self._shrunk_until = number, None, 0.0
        test = given(programs())(self._try)
        test = hypothesis.seed(number)(test)
        test = settings(
            max_examples=_ROUND,
            database=None,
            deadline=None,
            phases=[Phase.generate, Phase.shrink],
            suppress_health_check=list(HealthCheck),
            report_multiple_bugs=False,
            print_blob=False,
            # Its warnings would stand among the lines of JSON.
            verbosity=Verbosity.quiet,
        )(test)
        try:
            test()
        except (Failure, hypothesis.errors.Flaky):
            assert self._failed
            program, failure = self._failed
            self._found(program, failure)
        except Exception as error:
            # A program that could not be made: the generator is to be mended.
            text = "\n".join([f"seed {number}: {error}", *getattr(error, "__notes__", ())])
            _report("finding", kind="harness", message=text, source="")

    def _found(self, program: Program, failure: Failure) -> None:
        self._known.append(_signature(program, failure))
        source = f"# seed {self._number}\n{program.source()}"
        _report("finding", kind=failure.kind, message=failure.message, source=source)

    def _try(self, program: Program) -> None:
        shrinking = self._failed is not None
        if time.monotonic() > (self._shrunk_until if shrinking else self._end):
            return
        if program in self._passed:
            return
        start = time.monotonic()
        try:
            self._worker.run(program)
            self._passed.add(program)
        except Failure as failure:
            if not shrinking and self._is_known(program, failure):
                _report("again", kind=failure.kind, operations=program.operations())
                return
            if not shrinking and failure.kind == "timeout":
                # As it is: each step of shrinking could take as long.
                self._found(program, failure)
                return
            if shrinking and failure.kind != self._failed[1].kind:  # type: ignore[index]
                return
            if not shrinking:
                source = program.source()
                _report("shrinking", kind=failure.kind, message=failure.message, source=source)
                self._shrunk_until = time.monotonic() + _SHRINKING
            self._failed = program, failure
            raise
        finally:
            if not shrinking:
                seconds = round(time.monotonic() - start, 2)
                _report("program", seconds=seconds, operations=program.operations())

    def _is_known(self, program: Program, failure: Failure) -> bool:
        kind, message, operations = _signature(program, failure)
        return any(
            kind == known[0] and message == known[1] and operations >= known[2]
            for known in self._known
        )


def _signature(program: Program, failure: Failure) -> tuple[str, str, frozenset[str]]:
    """What makes two findings the same: of errors, what the compiler says; else the operations."""
    if failure.kind in ("error", "harness"):
        # A status, and below it a place in the program and what is wrong there.
        words = failure.message.split("\n")[:2][-1].split(": ", 1)[-1]
        return failure.kind, "".join(c for c in words if not c.isdigit())[:60], frozenset()
    return failure.kind, "", frozenset(program.operations())


def _report(what: str, **fields: Any) -> None:
    print(json.dumps({"what": what, **fields}), flush=True)


def main(arguments: Sequence[str]) -> None:
    """Searches as long as it may."""
    platform, seconds, first, limit = arguments
    worker = Worker(platform, float(limit))
    end = time.monotonic() + float(seconds)
    search, number = Search(worker, end), int(first)
    try:
        while time.monotonic() < end:
            search.round(number)
            number += 1
    finally:
        worker.end()


if __name__ == "__main__":
    main(sys.argv[1:])
