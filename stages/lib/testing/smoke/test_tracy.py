# SPDX-License-Identifier: Apache-2.0
"""The flavour tracing: a training step is captured from a running process."""

import importlib
import importlib.util
import json
import os
import socket
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

STEP = """
import jax, jax.numpy as jnp, numpy as np

def loss(w, x):
    return jnp.mean(jnp.tanh(x @ w) ** 2)

@jax.jit
def captured_step(w, x):
    value, gradient = jax.value_and_grad(loss)(w, x)
    return w - 0.1 * gradient, value

w = jax.device_put(np.full((64, 32), 0.01, np.float32))
x = jax.device_put(np.ones((16, 64), np.float32))
for _ in range(3):
    w, value = captured_step(w, x)
assert np.isfinite(np.asarray(value))
print("done", flush=True)
"""


def capture(platform: str, output: Path) -> tuple[str, list[dict[str, Any]]]:
    """Runs the step in a process, which waits at its end; what its capture says and holds."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = str(free.getsockname()[1])
    env = {**os.environ, "JAX_PLATFORMS": platform, "TRACY_PORT": port, "TRACY_NO_EXIT": "1"}
    with subprocess.Popen(
        [sys.executable, "-c", STEP], env=env, stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == "done\n"
            command = [sys.executable, "-m", f"jax_plugins.{platform}.tools._capture"]
            command += ["--port", port, "--seconds", "60", "--output", str(output)]
            # Not that the capture, too, waits for one.
            plain = {**os.environ, "JAX_PLATFORMS": "cpu"}
            said = subprocess.run(
                command, env=plain, capture_output=True, text=True, timeout=100, check=False
            )
            assert said.returncode == 0, said.stderr
            assert process.wait(30) == 0
        finally:
            process.kill()
    return said.stdout, json.loads(output.read_text())["traceEvents"]


def test_a_training_step_is_captured(platform: str, tmp_path: Path) -> None:
    """Our zones on the calls of PJRT, with modules and bytes; kernels; IREE's own zones."""
    build_info = importlib.import_module(f"jax_plugins.{platform}._build_info")
    if build_info.FLAVOUR != "tracing":
        assert build_info.TRACY_PROTOCOL == 0
        if importlib.util.find_spec(f"jax_plugins.{platform}.tools"):  # of asan
            assert importlib.util.find_spec(f"jax_plugins.{platform}.tools._capture") is None
        return
    said, events = capture(platform, tmp_path / "trace.json")
    zones = [event for event in events if event["ph"] == "X"]
    assert f"{len(zones)} zones of " in said
    named = Counter(zone["name"] for zone in zones)
    for call, times in [
        ("PJRT_Client_Create", 1),
        ("PJRT_Client_Compile", 1),
        ("PJRT_Client_BufferFromHostBuffer", 2),
        ("PJRT_LoadedExecutable_Execute", 3),
        ("iree_vm_invoke", 3),
    ]:
        assert named[call] >= times, (call, named)
    details = [(zone["name"], zone.get("args", {})) for zone in zones]
    assert ("Compile", {"text": "jit_captured_step"}) in details
    assert details.count(("Dispatch", {"text": "jit_captured_step"})) == 3
    assert details.count(("Execute", {"text": "jit_captured_step"})) == 3
    sent = [about["value"] for name, about in details if name.startswith("HostToDevice")]
    assert sum(sent) >= 4 * (64 * 32 + 16 * 64)
    # On processors without AVX-512 operands are packed first.
    assert any("matmul" in name or "mmt4d" in name for name in named)
