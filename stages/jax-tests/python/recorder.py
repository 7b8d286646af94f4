# SPDX-License-Identifier: Apache-2.0
"""A pytest plugin that writes what happens to each test, as it happens, and ends tests that hang.

It is used with pytest-xdist: the tests run in its workers, the file is written by the process that
leads them, so it is whole whatever happens to a worker; and if that process is ended too, what it
had written tells how far it came. One JSON object a line:

* ``{"event": "collected", "tests": [ID, ...]}``
* ``{"event": "unreadable", "message": TEXT}``: the test file could not be imported
* ``{"event": "started", "test": ID, "time": SECONDS}``
* ``{"event": "passed" | "failed" | "skipped", "test": ID, "seconds": S, "message": TEXT}``
* ``{"event": "crashed", "test": ID, "time": SECONDS}``: the worker ended in it
* ``{"event": "gave up", "message": TEXT}``: workers end before they run a test

An ID is what follows the file's name: ``Class::test``.
"""

import faulthandler
import json
import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

_MAX_MESSAGE = 4000
# How many workers may end one after another without a test to blame.
_MAX_DEATHS = 5
# Files that skip themselves, half set up, on all platforms but those that they name. They test JAX
# rather than a platform, so they are told that they run on a CPU, which is true.
_COUNTS_AS_CPU = frozenset({"compilation_cache_test"})
# A copy of stderr, made before pytest captures it.
_STDERR = os.dup(2)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Adds the plugin's options."""
    group = parser.getgroup("recorder")
    group.addoption("--record", metavar="FILE", help="where to write")
    group.addoption("--record-only", metavar="FILE", help="run only the tests with these IDs")
    group.addoption("--test-timeout", type=float, default=120, help="seconds for one test")
    group.addoption("--devices", type=int, default=1, help="how many the platform must have")


def pytest_configure(config: pytest.Config) -> None:
    """Writes in the process that leads, watches in the workers."""
    if hasattr(config, "workerinput"):
        config.pluginmanager.register(_Worker(config))
    else:
        config.pluginmanager.register(_Recorder(Path(config.getoption("--record"))))


def _short(nodeid: str) -> str:
    return nodeid.partition("::")[2]


class _Worker:
    """Chooses the tests and ends the process when one takes too long.

    The clock is C's: a test that hangs in native code and holds the interpreter's lock is ended
    as well.
    """

    def __init__(self, config: pytest.Config) -> None:
        self._seconds = config.getoption("--test-timeout")
        self._files = {Path(argument).stem for argument in config.args}
        self._devices = config.getoption("--devices")
        only = config.getoption("--record-only")
        self._only = set(json.loads(Path(only).read_text())) if only else None

    def pytest_sessionstart(self) -> None:
        """Makes JAX's devices before a test file asks for more of them than it is to have.

        Some ask for eight devices of XLA:CPU when they are imported, which JAX ignores once there
        are devices: both platforms have the same number.
        """
        import jax

        jax.devices()
        if self._files <= _COUNTS_AS_CPU:
            import jax._src.test_util  # where the flag is defined

            jax.config.update("jax_test_dut", "cpu")

    def pytest_pycollect_makemodule(self) -> None:
        """Refuses a file that would run on fewer or more devices than it should."""
        import jax

        if (there := jax.device_count()) != self._devices:
            platform = jax.default_backend()
            raise pytest.Collector.CollectError(
                f"devices of {platform}: {self._devices} are asked for, there are {there}"
            )

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Keeps the tests that were asked for."""
        if self._only is not None:
            items[:] = [item for item in items if _short(item.nodeid) in self._only]

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        """Sets the clock for one test."""
        faulthandler.dump_traceback_later(self._seconds, exit=True, file=_STDERR)
        yield
        faulthandler.cancel_dump_traceback_later()


class _Recorder:
    def __init__(self, path: Path) -> None:
        self._file = path.open("w", encoding="utf-8")
        self._collected = False
        self._deaths = 0
        self._ends: dict[str, dict[str, Any]] = {}

    def _write(self, event: str, **fields: Any) -> None:
        self._file.write(json.dumps({"event": event, **fields}) + "\n")
        self._file.flush()

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, node: Any, ids: list[str]) -> None:
        """Notes, once, the tests that there are to run: every worker tells of them."""
        if not self._collected:
            self._collected = True
            self._write("collected", tests=[_short(nodeid) for nodeid in ids])

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Notes a file that cannot be imported."""
        if report.failed:
            self._write("unreadable", message=_message(report))

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        """Notes that a test starts."""
        self._write("started", test=_short(nodeid), time=time.time())

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Notes how a test ended: by the worst of set-up, call and tear-down."""
        self._deaths = 0
        test = _short(report.nodeid)
        if report.when not in ("setup", "call", "teardown"):
            self._ends.pop(test, None)
            self._write("crashed", test=test, time=time.time())
            return
        end = self._ends.setdefault(test, {"event": "passed", "seconds": 0.0})
        end["seconds"] = round(end["seconds"] + report.duration, 3)
        if not report.passed and end["event"] != "failed":
            end.update(event=report.outcome, message=_message(report))
        if report.when == "teardown":
            self._write(test=test, **self._ends.pop(test))

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any, error: object) -> None:
        """Gives up where workers cannot even start."""
        if not error:
            return
        self._deaths += 1
        if self._deaths > _MAX_DEATHS:
            self._write("gave up", message=f"{self._deaths} processes ended before a test: {error}")
            self._file.close()
            os._exit(3)


def _message(report: pytest.CollectReport | pytest.TestReport) -> str:
    if report.outcome == "skipped" and isinstance(report.longrepr, tuple):
        return str(report.longrepr[2])[:_MAX_MESSAGE]
    crash = getattr(report.longrepr, "reprcrash", None)
    return str(crash.message if crash else report.longrepr)[:_MAX_MESSAGE]
