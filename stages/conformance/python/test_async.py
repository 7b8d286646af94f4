# SPDX-License-Identifier: Apache-2.0
"""Launches: asynchronous where a program is long, in any number of threads, with flat memory."""

import threading
import time

import jax
import jax.numpy as jnp
import numpy as np
import pytest


@jax.jit
def _spin(x, turns):
    return jax.lax.fori_loop(0, turns, lambda _, y: jnp.sin(y) + 1, x)


@pytest.fixture(scope="module")
def long_run(device):
    """Arguments with which ``_spin`` takes about half a second, and how long it takes."""
    x = jax.device_put(jnp.zeros(1000), device)
    _spin(x, 1).block_until_ready()
    turns = 1000
    while True:
        start = time.perf_counter()
        _spin(x, turns).block_until_ready()
        seconds = time.perf_counter() - start
        if seconds > 0.4:
            return x, turns, seconds
        turns *= 2


def test_a_long_program_is_launched_without_waiting(long_run):
    x, turns, seconds = long_run
    start = time.perf_counter()
    y = _spin(x, turns)
    launched = time.perf_counter() - start
    assert not y.is_ready()
    assert launched < seconds / 4
    y.block_until_ready()
    assert y.is_ready()
    assert np.all(np.isfinite(y))


def test_a_short_program_waits_for_the_long_one_whose_result_it_takes(long_run):
    x, turns, seconds = long_run
    double = jax.jit(lambda a: a * 2)
    double(x).block_until_ready()
    start = time.perf_counter()
    y = _spin(x, turns)
    z = double(y)
    assert time.perf_counter() - start < seconds / 2
    np.testing.assert_array_equal(z, 2 * np.asarray(y))


def test_a_short_program_does_not_wait_for_a_long_one_that_it_does_not_need(long_run):
    x, turns, seconds = long_run
    triple = jax.jit(lambda a: a * 3)
    triple(x).block_until_ready()
    start = time.perf_counter()
    y = _spin(x, turns)
    triple(x).block_until_ready()
    assert time.perf_counter() - start < seconds / 2
    assert not y.is_ready()
    y.block_until_ready()


def test_a_deleted_input_is_an_error_of_that_call_alone():
    double = jax.jit(lambda a: a * 2)
    x = jnp.arange(3.0)
    y = jnp.arange(3.0)
    x.delete()
    with pytest.raises(RuntimeError, match="deleted"):
        double(x)
    np.testing.assert_array_equal(double(y), [0, 2, 4])


def test_many_threads_launch_side_by_side():
    step = jax.jit(lambda a, b: (a + b, a @ a))
    a = jnp.eye(32) * 0.5
    step(a, a)[0].block_until_ready()
    wrong = []

    def work(index):
        b = jnp.full((32, 32), float(index))
        for _ in range(100):
            total, product = step(a, b)
            if float(total[0, 1]) != index or float(product[0, 0]) != 0.25:
                wrong.append(index)

    threads = [threading.Thread(target=work, args=(index,)) for index in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_memory_stays_flat_over_ten_thousand_launches(run_script):
    ran = run_script(
        """
        import gc, os, jax, jax.numpy as jnp

        def resident():
            gc.collect()
            with open("/proc/self/statm") as file:
                return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 2**20

        small = jax.jit(lambda a: a + 1)
        large = jax.jit(lambda a: jnp.tanh(a).sum() + a)
        x, y = jnp.zeros(()), jnp.zeros((512, 512))

        def launch(count):
            for index in range(count):
                a = small(x)
                if index % 10 == 0:
                    a = large(y)
            a.block_until_ready()

        launch(2000)
        before = resident()
        launch(10000)
        print(resident() - before)
        """
    )
    assert float(ran.stdout) < 8


def test_dropped_executables_give_their_memory_back(run_script):
    ran = run_script(
        """
        import gc, os, jax, jax.numpy as jnp
        from jax.experimental import serialize_executable

        def resident():
            gc.collect()
            with open("/proc/self/statm") as file:
                return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 2**20

        x = jnp.zeros((64, 64))
        compiled = jax.jit(lambda a: jnp.tanh(a) @ a).lower(x).compile()
        parts = serialize_executable.serialize(compiled)

        def load(count):
            for _ in range(count):
                serialize_executable.deserialize_and_load(*parts)(x).block_until_ready()

        load(100)
        before = resident()
        load(1000)
        print(resident() - before)
        """
    )
    assert float(ran.stdout) < 8


def test_no_worker_threads_before_the_first_large_program(run_script):
    ran = run_script(
        """
        import os, jax, jax.numpy as jnp

        def threads():
            return len(os.listdir("/proc/self/task"))

        jax.devices()
        x = jax.jit(lambda a: a + 1)(jnp.zeros(())).block_until_ready()
        before = threads()
        jax.jit(lambda a: jnp.tanh(a).sum())(jnp.zeros((2048, 2048))).block_until_ready()
        print(threads() - before)
        """,
        env={"IREE_PJRT_NUM_THREADS": "3"},
    )
    assert int(ran.stdout) >= 3
