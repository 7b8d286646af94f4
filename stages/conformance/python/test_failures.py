# SPDX-License-Identifier: Apache-2.0
"""A failure stays one failure: whatever fails, the next call in the process works."""

import signal

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax._src.lib import xla_client

FAILURES = 1000
VALUES = np.arange(4, dtype=np.float32)


def _unknown_custom_call(number: int) -> None:
    call = jax.ffi.ffi_call(
        f"no_such_target_{number}",
        jax.ShapeDtypeStruct(VALUES.shape, VALUES.dtype),
        has_side_effect=True,
    )
    jax.jit(lambda x: call(x))(VALUES)


def _unknown_compile_option(number: int) -> None:
    lowered = jax.jit(lambda x: x + number).lower(VALUES)
    lowered.compile(compiler_options={f"no_such_option_{number}": "1"})


def _wrong_compiler_flag(number: int) -> None:
    lowered = jax.jit(lambda x: x * number).lower(VALUES)
    lowered.compile(compiler_options={"iree_compiler_options": f"--no-such-flag-{number}"})


@jax.jit
def _too_large(x):
    return jnp.zeros((1 << 45,), jnp.float32) + x


def _allocation(number: int) -> None:
    _too_large(np.float32(number)).block_until_ready()


_add = jax.jit(lambda x, y: x + y)


def _failed_input(number: int) -> None:
    _add(_too_large(np.float32(number))[:4], VALUES).block_until_ready()


CAUSES = {
    _unknown_custom_call: "no_such_target",
    _unknown_compile_option: "no_such_option",
    _wrong_compiler_flag: "no-such-flag",
    _allocation: "RESOURCE_EXHAUSTED",
    _failed_input: "RESOURCE_EXHAUSTED",
}


def _assert_computes(device) -> None:
    result = _add(jax.device_put(VALUES, device), VALUES)
    assert result.devices() == {device}
    np.testing.assert_array_equal(np.asarray(result), VALUES + VALUES)


@pytest.mark.timeout(150)
def test_a_thousand_mixed_failures_then_right_results(device):
    with jax.default_device(device):
        for number in range(FAILURES):
            fail, message = list(CAUSES.items())[number % len(CAUSES)]
            with pytest.raises(jax.errors.JaxRuntimeError, match=message):
                fail(number)
            if number % 50 == 0:
                _assert_computes(device)
        _assert_computes(device)
        fresh = jax.jit(lambda x: jnp.sin(x).sum())(VALUES)
        np.testing.assert_allclose(float(fresh), np.sin(VALUES).sum(), rtol=1e-6)


NO_PROGRAMS = [
    b"",
    b"garbage",
    b"ML\xefR",
    b"ML\xefR\x06MLIR",
    b"module {",
    b"func.func @f()",
    b"\0" * 64,
]


@pytest.mark.parametrize("program", NO_PROGRAMS)
def test_what_is_no_program_is_an_error(device, program):
    with pytest.raises(jax.errors.JaxRuntimeError):
        device.client.compile_and_load(program, xla_client.DeviceList((device,)))
    with pytest.raises(jax.errors.JaxRuntimeError):
        device.client.deserialize_executable(program, xla_client.DeviceList((device,)))
    _assert_computes(device)


class _Interrupt(Exception):
    pass


def test_an_interrupted_call_takes_nothing_along(device):
    def interrupt(*_):
        raise _Interrupt

    @jax.jit
    def long(x):
        return jax.lax.fori_loop(0, 2_000, lambda i, y: jnp.sin(y) + i, x)

    with jax.default_device(device):
        long(VALUES).block_until_ready()
        before = signal.signal(signal.SIGALRM, interrupt)
        interrupted = 0
        try:
            for _ in range(10):
                try:
                    signal.setitimer(signal.ITIMER_REAL, 0.003)
                    for _ in range(1000):
                        long(VALUES).block_until_ready()
                except _Interrupt:
                    interrupted += 1
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)
    assert interrupted == 10
    _assert_computes(device)
