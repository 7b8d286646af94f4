# SPDX-License-Identifier: Apache-2.0
"""AddressSanitizer's runtime: whether it is there, and the launcher that loads it.

The runtime must be the first library of a process, which only who starts the process can see to::

    iree-pjrt-asan python script.py

Only the wheels of the asan flavour hold this module.
"""

from __future__ import annotations

import ctypes
import glob
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

from .. import _build_info
from .._errors import PluginSetupError

_LAUNCHER = "iree-pjrt-asan"
_USAGE = f"""\
usage: {_LAUNCHER} PROGRAM [ARGUMENT ...]

Starts a program under AddressSanitizer, LeakSanitizer and UBSan, so that JAX can use
{_build_info.DISTRIBUTION} {_build_info.VERSION} in it:

    {_LAUNCHER} python script.py
    {_LAUNCHER} pytest tests

What ASAN_OPTIONS, LSAN_OPTIONS and UBSAN_OPTIONS say comes after the launcher's own, and wins."""

# Without it, the runtime finds no __cxa_throw to pass exceptions to, since Python itself is C.
_CXX_RUNTIME = "libstdc++.so.6"
_OPTIONS = {
    # LLVM gives threads a signal stack of its own, which the runtime would otherwise unmap.
    "ASAN_OPTIONS": "detect_leaks=1:allocator_may_return_null=1:use_sigaltstack=0",
    "LSAN_OPTIONS": "suppressions='{suppressions}':print_suppressions=0",
    "UBSAN_OPTIONS": "halt_on_error=1:print_stacktrace=1",
}


def require_runtime() -> None:
    """Makes sure that the plugin can be opened: without the runtime that would end the process.

    Raises:
      PluginSetupError: the runtime is not loaded, or is another than the plugin's.
    """
    runtime = _build_info.SANITIZER_RUNTIME
    if _mapped(runtime):
        return
    other = hasattr(ctypes.CDLL(None), "__asan_init")
    raise PluginSetupError(
        f"{_build_info.DISTRIBUTION} {_build_info.VERSION} was built with AddressSanitizer, whose "
        f"runtime {runtime} must be the first library of the process, and "
        f"{'another runtime is loaded' if other else 'is not loaded'}. "
        f"Start the program with:  {_LAUNCHER} python script.py"
    )


def main() -> None:
    """The launcher: becomes the program that the command line names."""
    arguments = sys.argv[1:]
    if not arguments or arguments[0] in ("-h", "--help"):
        print(_USAGE, file=sys.stdout if arguments else sys.stderr)
        sys.exit(0 if arguments else 2)
    # Programs of the environment that the launcher lies in come first, as if it were active.
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)])
    program = shutil.which(arguments[0], path=path)
    if program is None:
        sys.exit(f"{_LAUNCHER}: there is no program {arguments[0]}")
    runtime = find_runtime(_build_info.SANITIZER_RUNTIME)
    if runtime is None:
        sys.exit(
            f"{_LAUNCHER}: {_build_info.SANITIZER_RUNTIME}, AddressSanitizer's runtime of the "
            "compiler that built this package, is not on this machine. It comes with gcc "
            "(Debian: libasan8, Fedora: libasan) or clang (Debian: libclang-rt-dev, Fedora: "
            "compiler-rt)."
        )
    # By its path: Python finds the environment that it belongs to by what it was called.
    os.execve(program, [program, *arguments[1:]], environment(runtime, os.environ))


def environment(runtime: str, inherited: Mapping[str, str]) -> dict[str, str]:
    """Returns the variables for a program that starts with ``runtime``."""
    preload = [runtime, _CXX_RUNTIME, *filter(None, [inherited.get("LD_PRELOAD")])]
    values = {**inherited, "LD_PRELOAD": ":".join(preload)}
    suppressions = Path(__file__).with_name("leaks.supp")
    for name, ours in _OPTIONS.items():
        options = [ours.format(suppressions=suppressions), *filter(None, [inherited.get(name)])]
        values[name] = ":".join(options)
    if symbolizer := _symbolizer():
        values.setdefault("ASAN_SYMBOLIZER_PATH", symbolizer)
    return values


def find_runtime(name: str) -> str | None:
    """Returns what LD_PRELOAD takes for the runtime ``name``: tried, in a small process."""
    return next((found for found in _candidates(name) if _can_be_loaded(found, name)), None)


def _candidates(name: str) -> Iterator[str]:
    yield name  # where the loader looks
    for compiler in ("clang", "gcc"):
        if shutil.which(compiler):
            command = [compiler, f"-print-file-name={name}"]
            answer = subprocess.run(command, capture_output=True, text=True, check=False)
            yield answer.stdout.strip()


def _can_be_loaded(candidate: str, name: str) -> bool:
    # The loader only warns of what it cannot load.
    look = f"import sys; sys.exit({name!r} not in open('/proc/self/maps').read())"
    variables = {**os.environ, "LD_PRELOAD": candidate, "ASAN_OPTIONS": "detect_leaks=0"}
    command = [sys.executable, "-I", "-S", "-c", look]
    return subprocess.run(command, env=variables, capture_output=True, check=False).returncode == 0


def _mapped(name: str) -> bool:
    return name in Path("/proc/self/maps").read_text(encoding="utf-8", errors="replace")


def _symbolizer() -> str | None:
    """LLVM's symbolizer, which clang's runtime reads lines with; gcc's needs none."""
    versions = sorted(glob.glob("/usr/lib/llvm-*/bin/llvm-symbolizer"), key=len)
    return shutil.which("llvm-symbolizer") or (versions[-1] if versions else None)
