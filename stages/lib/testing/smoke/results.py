# SPDX-License-Identifier: Apache-2.0
"""The results file: one JSON object a line, each written and flushed at once.

A test that ends the process is then the one that has ``started`` and nothing after it. Lines:

* ``{"event": "versions", ...}``: first, and once; see ``versions``
* ``{"event": "started", "test": ID}``
* ``{"event": "passed" | "failed" | "skipped", "test": ID, "duration_s": S, "max_abs_error": E,
  "max_rel_error": E, "rtol": T, "atol": T, "message": TEXT}``; errors and tolerances only for
  tests that compare, ``message`` only for those that failed or were skipped
* ``{"event": "finished", "passed": N, "failed": N, "skipped": N, "duration_s": S}``: last
"""

import json
import platform
import re
import subprocess
import sys
import time
from importlib import metadata
from pathlib import Path
from typing import IO, Any

_PROBE = """
import json, sys, jax
from jaxlib.mlir.dialects import stablehlo
device = jax.devices(sys.argv[1])[0]
print(json.dumps({"platform": device.platform, "device_kind": device.device_kind,
                  "device": repr(device), "platform_version": device.client.platform_version,
                  "stablehlo": stablehlo.get_current_version()}))
"""
_API_VERSIONS = re.compile(
    r"plugin has PJRT API version (\d+\.\d+).*?framework PJRT API version is (\d+\.\d+)", re.DOTALL
)


class ResultsFile:
    """Writes the events of one run; with no path, writes nothing."""

    def __init__(self, path: Path | None) -> None:
        """Opens ``path`` for writing, or nothing."""
        self._file: IO[str] | None = path.open("w", encoding="utf-8") if path else None
        self._started = time.monotonic()
        self._counts = {"passed": 0, "failed": 0, "skipped": 0}

    def write(self, event: str, **fields: Any) -> None:
        """Writes one line and flushes it."""
        if event in self._counts:
            self._counts[event] += 1
        if self._file:
            self._file.write(json.dumps({"event": event, **fields}) + "\n")
            self._file.flush()

    def close(self) -> None:
        """Writes the totals and closes the file."""
        elapsed = round(time.monotonic() - self._started, 3)
        self.write("finished", **self._counts, duration_s=elapsed)
        if self._file:
            self._file.close()


def versions(platform_name: str, distribution: str) -> dict[str, Any]:
    """Returns what is being tested: versions of packages, of the platform and of PJRT's C API.

    The platform is opened in a process of its own, since it may crash, and since only the log of
    a starting process tells the API's versions. What cannot be read is None; ``platform_error``
    then holds the end of what that process said.
    """
    found: dict[str, Any] = {
        "python": platform.python_version(),
        "machine": platform.machine(),
        "libc": " ".join(platform.libc_ver()),
    }
    for name in ("jax", "jaxlib", "numpy", "iree-base-compiler", distribution):
        key = "plugin" if name == distribution else name
        try:
            found[key] = metadata.version(name)
        except metadata.PackageNotFoundError:
            found[key] = None
    return {**found, **_probe(platform_name)}


def missing_device(found: dict[str, Any]) -> str:
    """Returns what the platform said of a device that is not there, a line; else nothing.

    Any other reason why the platform cannot be opened is a failure of every test.
    """
    said = re.search(r"\w+ looked for libcuda[^\n]*", found.get("platform_error") or "")
    return f"no GPU: {said[0]}" if said else ""


def _probe(platform_name: str) -> dict[str, Any]:
    import os

    unknown = dict.fromkeys(
        (
            *("platform", "platform_version", "device", "device_kind"),
            *("stablehlo", "pjrt_plugin", "pjrt_framework"),
        )
    )
    environment = {**os.environ, "TF_CPP_MIN_LOG_LEVEL": "0", "JAX_PLATFORMS": platform_name}
    try:
        ran = subprocess.run(
            [sys.executable, "-c", _PROBE, platform_name],
            env=environment,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return {**unknown, "platform_error": "opening the platform took more than 60 s"}
    if api := _API_VERSIONS.search(ran.stderr):
        unknown["pjrt_plugin"], unknown["pjrt_framework"] = api.groups()
    if ran.returncode:
        return {**unknown, "platform_error": f"exit {ran.returncode}: {ran.stderr[-2000:]}"}
    return {**unknown, **json.loads(ran.stdout.strip().splitlines()[-1])}
