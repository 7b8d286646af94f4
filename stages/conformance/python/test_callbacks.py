# SPDX-License-Identifier: Apache-2.0
"""Programs that call Python: debug.print, pure_callback and io_callback, each in its own way."""

import gc
import threading
import time
import weakref

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.experimental import io_callback


def _like(x):
    return jax.ShapeDtypeStruct(x.shape, x.dtype)


def _twice(x):
    return jax.pure_callback(lambda v: 2 * np.asarray(v), _like(x), x, vmap_method="sequential")


def test_debug_print(capfd):
    @jax.jit
    def f(x):
        jax.debug.print("x is {} of {n}", x, n=x.sum())
        return x + 1

    np.testing.assert_array_equal(f(np.arange(3.0)), [1, 2, 3])
    jax.effects_barrier()
    assert capfd.readouterr().out == "x is [0. 1. 2.] of 3.0\n"


def test_pure_callback_eager_jitted_and_mapped():
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    for f in (_twice, jax.jit(_twice), jax.vmap(_twice), jax.jit(jax.vmap(_twice))):
        np.testing.assert_array_equal(f(x), 2 * x)


@pytest.mark.parametrize("dtype", [np.bool_, np.int8, np.uint32, np.complex64, jnp.bfloat16])
def test_types_come_and_go(dtype):
    x = np.arange(4).reshape(2, 2).astype(dtype)
    seen = []

    def function(v):
        seen.append(v.dtype)
        return np.asarray(v).T

    got = jax.jit(lambda a: jax.pure_callback(function, _like(x), a))(x)
    np.testing.assert_array_equal(np.asarray(got), x.T)
    assert seen == [x.dtype]


def test_nothing_in_or_an_empty_array():
    eight = jax.jit(lambda: jax.pure_callback(lambda: np.float32(8), _like(np.float32(0))))
    assert eight() == 8
    assert jax.jit(_twice)(np.zeros((0, 2), np.float32)).shape == (0, 2)


def test_many_results_are_in_order():
    def function(x):
        return {"n": np.int32(len(x)), "x": (x, -x)}

    shapes = {"n": jax.ShapeDtypeStruct((), np.int32), "x": 2 * (_like(np.ones(3, np.float32)),)}
    got = jax.jit(lambda a: jax.pure_callback(function, shapes, a))(np.ones(3, np.float32))
    assert got["n"] == 3
    np.testing.assert_array_equal(got["x"], [np.ones(3), -np.ones(3)])


@pytest.mark.parametrize("ordered", [True, False])
def test_io_callback_in_a_scan(ordered):
    log = []

    def step(total, x):
        def remember(v):
            log.append(float(v))
            return np.float32(v + 1)

        got = io_callback(remember, jax.ShapeDtypeStruct((), np.float32), total, ordered=ordered)
        return total + x, got

    total, got = jax.jit(lambda xs: jax.lax.scan(step, 0.0, xs))(np.arange(4, dtype=np.float32))
    assert total == 6
    np.testing.assert_array_equal(got, [1, 1, 2, 4])
    assert log == [0, 0, 1, 3]


def test_ordered_calls_of_several_programs():
    log = []
    f = jax.jit(lambda x: io_callback(lambda v: log.append(int(v)), None, x, ordered=True))
    for i in range(20):
        f(i)
    jax.effects_barrier()
    assert log == list(range(20))


def test_one_branch_of_a_cond():
    log = []

    def note(x):
        jax.debug.callback(lambda v: log.append(int(v)), x)
        return x

    f = jax.jit(lambda x: jax.lax.cond(x > 0, note, lambda x: -x, x))
    assert [int(f(-3)), int(f(4))] == [3, 4]
    jax.effects_barrier()
    assert log == [4]


def test_under_grad():
    seen = []

    def f(x):
        jax.debug.callback(lambda v: seen.append(float(v)), x)
        return jnp.sin(x)

    assert jax.grad(jax.jit(f))(0.0) == 1
    jax.effects_barrier()
    assert seen == [0.0]


def test_an_exception_is_an_error_of_that_call():
    def fail(x):
        raise ValueError("this one is meant")

    bad = jax.jit(lambda x: jax.pure_callback(fail, _like(x), x))
    x = np.ones(3, np.float32)
    for _ in range(5):
        with pytest.raises(jax.errors.JaxRuntimeError, match="ValueError: this one is meant"):
            jax.block_until_ready(bad(x))
        np.testing.assert_array_equal(jax.jit(_twice)(x), 2 * x)


def test_a_result_of_another_shape_is_an_error():
    f = jax.jit(lambda x: jax.pure_callback(lambda v: np.asarray(v)[:1], _like(x), x))
    with pytest.raises(jax.errors.JaxRuntimeError, match="Incorrect output shape"):
        jax.block_until_ready(f(np.ones(3, np.float32)))


def test_a_program_in_a_callback(platform):
    device = jax.devices(platform)[0]
    f = jax.jit(lambda x: x @ x)

    def function(x):
        return np.asarray(f(jax.device_put(np.asarray(x), device)))

    x = np.eye(3, dtype=np.float32)
    got = jax.jit(lambda a: jax.pure_callback(function, _like(x), a))(x)
    np.testing.assert_array_equal(got, x)


def test_threads_at_once():
    f = jax.jit(_twice)
    x = np.ones(100, np.float32)
    failures = []

    def work(n):
        for i in range(20):
            if not np.array_equal(f(x * (n + i)), 2 * x * (n + i)):
                failures.append((n, i))

    threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


def test_the_function_lives_as_long_as_a_running_program():
    def slow(v):
        time.sleep(0.3)
        return np.asarray(v)

    def launch():
        return jax.jit(lambda x: jax.pure_callback(slow, _like(x), x))(np.ones(2, np.float32))

    result = launch()
    jax.clear_caches()
    gc.collect()
    np.testing.assert_array_equal(result, [1, 1])


def test_the_function_goes_with_its_program():
    class Big:
        pass

    alive = []

    def launch():
        big = Big()
        alive.append(weakref.ref(big))

        def function(v):
            return np.asarray(v) if big else None

        f = jax.jit(lambda x: jax.pure_callback(function, _like(x), x))
        jax.block_until_ready(f(np.ones(2, np.float32)))

    launch()
    jax.clear_caches()
    for _ in range(20):
        gc.collect()
        if alive[0]() is None:
            return
        time.sleep(0.05)
    pytest.fail("the callback's function is still there")


def test_no_cache_keeps_them(run_script, tmp_path, platform):
    source = """
        import sys
        import jax, numpy as np
        factor = int(sys.argv[1])
        f = jax.jit(lambda x: jax.pure_callback(lambda v: factor * np.asarray(v), x, x))
        assert f(np.float32(2)) == 2 * factor
    """
    env = {
        "JAX_PLATFORMS": f"{platform},cpu",
        "JAX_COMPILATION_CACHE_DIR": str(tmp_path / "jax"),
        "JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS": "0",
        "JAX_PERSISTENT_CACHE_MIN_ENTRY_SIZE_BYTES": "0",
        "IREE_PJRT_CACHE_DIR": str(tmp_path / "own"),
        "IREE_PJRT_LOG_LEVEL": "info",
    }
    run_script(source, 1, env=env)
    ran = run_script(source, 10, env=env)
    assert "compiled jit__lambda" in ran.stderr


def test_with_this_platform_alone(run_script, platform):
    """As under XLA:CPU the functions get arrays of JAX, and may compute with them."""
    ran = run_script(
        """
        import jax, jax.numpy as jnp, numpy as np
        from jax.experimental import io_callback

        def host(v):
            assert isinstance(v, jax.Array) and v.device.platform == "cpu", v
            return np.asarray(jnp.sin(v) + (v @ v).sum(), v.dtype)

        def pure(x):
            return jax.pure_callback(
                host, jax.ShapeDtypeStruct(x.shape, x.dtype), x, vmap_method="sequential")

        def ordered(x):
            return io_callback(host, jax.ShapeDtypeStruct(x.shape, x.dtype), x, ordered=True)

        x = jnp.arange(9.0).reshape(3, 3)
        wanted = np.sin(x) + np.sum(np.asarray(x) @ np.asarray(x))
        for f in (pure, jax.jit(pure), ordered, jax.jit(ordered)):
            np.testing.assert_allclose(f(x), wanted, rtol=1e-5)
        np.testing.assert_allclose(jax.vmap(pure)(x[None]), wanted[None], rtol=1e-5)
        big = jnp.ones((300, 300))
        assert float(jax.jit(lambda x: pure(x @ x).sum())(big)) > 0

        seen = []
        jax.debug.callback(lambda v: seen.append(type(v)), x)
        jax.jit(lambda x: jax.debug.callback(lambda v: seen.append(type(v)), x))(x)
        jax.debug.print("{}", x[0])
        jax.jit(lambda x: jax.debug.print("{}", x))(x[0])
        jax.effects_barrier()
        assert len(seen) == 2 and all(issubclass(t, jax.Array) for t in seen), seen
        try:
            jax.devices("cpu")
        except RuntimeError:
            print("no platform cpu")
        """,
    )
    assert ran.stdout.splitlines() == ["[0. 1. 2.]", "[0. 1. 2.]", "no platform cpu"]
