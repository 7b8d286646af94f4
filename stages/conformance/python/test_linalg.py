# SPDX-License-Identifier: Apache-2.0
"""Linear algebra, which LAPACK does on the host: its results multiplied together again."""

import jax
import jax.numpy as jnp
import jax.scipy.linalg
import numpy as np
import pytest

FLOATS = [np.float32, np.complex64]


def _matrix(dtype, *shape):
    rng = np.random.RandomState(sum(shape))
    real = rng.standard_normal(shape)
    if np.issubdtype(dtype, np.complexfloating):
        return (real + 1j * rng.standard_normal(shape)).astype(dtype)
    return real.astype(dtype)


def _hermitian(dtype, *shape):
    a = _matrix(dtype, *shape)
    return a @ _adjoint(a) + np.eye(shape[-1], dtype=dtype)


def _adjoint(a):
    return np.conj(np.swapaxes(np.asarray(a), -1, -2))


def _close(got, want):
    np.testing.assert_allclose(np.asarray(got), want, rtol=2e-4, atol=2e-4)


@pytest.mark.parametrize("dtype", FLOATS)
def test_eigh_of_a_batch(dtype):
    a = _hermitian(dtype, 2, 4, 4)
    w, v = jnp.linalg.eigh(a)
    _close((np.asarray(v) * np.asarray(w)[:, None, :]) @ _adjoint(v), a)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("full", [False, True])
def test_svd(dtype, full):
    a = _matrix(dtype, 3, 5)
    u, s, vh = jnp.linalg.svd(a, full_matrices=full)
    assert vh.shape == ((5, 5) if full else (3, 5))
    _close((np.asarray(u) * np.asarray(s)) @ np.asarray(vh)[:3], a)


@pytest.mark.parametrize("dtype", FLOATS)
def test_qr(dtype):
    a = _matrix(dtype, 5, 3)
    q, r = jnp.linalg.qr(a)
    _close(np.asarray(q) @ np.asarray(r), a)
    _close(_adjoint(q) @ np.asarray(q), np.eye(3))
    assert np.all(np.tril(np.asarray(r), -1) == 0)


@pytest.mark.parametrize("dtype", FLOATS)
def test_cholesky(dtype):
    a = _hermitian(dtype, 3, 3)
    _close(jnp.linalg.cholesky(a), np.linalg.cholesky(a))


def test_cholesky_of_what_is_not_positive_is_nan():
    got = np.asarray(jnp.linalg.cholesky(-np.eye(2, dtype=np.float32)))
    assert np.all(np.isnan(got[np.tril_indices(2)]))


@pytest.mark.parametrize("dtype", FLOATS)
def test_eig_and_schur(dtype):
    a = _matrix(dtype, 4, 4)
    w, v = jnp.linalg.eig(a)
    _close(a @ np.asarray(v), np.asarray(v) * np.asarray(w))
    t, z = jax.scipy.linalg.schur(a)
    _close(np.asarray(z) @ np.asarray(t) @ _adjoint(z), a)


@pytest.mark.parametrize("lower", [False, True])
@pytest.mark.parametrize("trans", [0, 1])
def test_solve_triangular(lower, trans):
    a = _matrix(np.float32, 4, 4) + 4 * np.eye(4, dtype=np.float32)
    b = _matrix(np.float32, 4, 2)
    x = jax.scipy.linalg.solve_triangular(a, b, lower=lower, trans=trans)
    used = np.tril(a) if lower else np.triu(a)
    _close((used.T if trans else used) @ np.asarray(x), b)


@pytest.mark.parametrize(
    ("shape", "size"), [((5,), 5), ((3,), 7), ((2, 4), 4), ((2, 0), 3), ((0, 2), 2)]
)
def test_permutations_of_pivots(on_both, shape, size):
    # Also pivots that no decomposition has: from the end, and beyond either one.
    pivots = np.random.RandomState(sum(shape)).randint(-size - 1, size + 2, shape, np.int32)
    for p in (pivots, np.clip(pivots, np.arange(shape[-1]), size - 1, dtype=np.int32)):
        ((got, want),) = on_both(lambda p: jax.lax.linalg.lu_pivots_to_permutation(p, size), p)
        assert got.dtype == np.int32
        np.testing.assert_array_equal(got, want)


FACTORED = {
    "slogdet": jnp.linalg.slogdet,
    "solve": lambda a: jnp.linalg.solve(a, a[..., :2] + 1),
    "lu": jax.lax.linalg.lu,
    "gradient": jax.grad(lambda a: jnp.sum(jnp.linalg.inv(a) ** 2).real),
}


@pytest.mark.parametrize("name", FACTORED)
def test_what_is_made_of_lu_decompositions(on_both, name):
    a = _matrix(np.complex64, 3, 13, 13)
    for got, want in on_both(FACTORED[name], a):
        np.testing.assert_allclose(got, want, rtol=2e-3, atol=2e-4 * np.max(np.abs(want)))


def test_an_exported_solution_names_only_stable_calls(platform):
    a = _hermitian(np.float32, 4, 4)
    exported = jax.export.export(jax.jit(jnp.linalg.solve), platforms=[platform])(a, a[0])
    _close(exported.call(a, a[0]), np.linalg.solve(a, a[0]))


def test_hessenberg_and_tridiagonal():
    a = _matrix(np.float32, 4, 4)
    h, q = jax.scipy.linalg.hessenberg(a, calc_q=True)
    _close(np.asarray(q) @ np.asarray(h) @ _adjoint(q), a)
    s = _hermitian(np.float32, 4, 4)
    _, d, e, _ = jax.lax.linalg.tridiagonal(s)
    banded = np.diag(d) + np.diag(e, 1) + np.diag(e, -1)
    _close(np.linalg.eigvalsh(banded), np.linalg.eigvalsh(s))


@pytest.mark.parametrize("shape", [(0, 3, 3), (2, 0, 0)])
def test_empty_batches_and_matrices(shape):
    w, v = jnp.linalg.eigh(np.zeros(shape, np.float32))
    assert (w.shape, v.shape) == (shape[:-1], shape)


def test_inside_control_flow_and_gradients():
    a = _hermitian(np.float32, 3, 3)

    @jax.jit
    def powers(x, n):
        def body(_, y):
            return jax.lax.cond(y[0, 0] > 0, lambda z: jnp.linalg.qr(z)[1], jnp.negative, y)

        return jax.lax.fori_loop(0, n, body, x)

    once = powers(a, 1)
    _close(np.abs(powers(a, 5)), np.abs(once))
    gradient = jax.grad(lambda x: jnp.linalg.svd(x, compute_uv=False).sum())(a)
    u, _, vh = np.linalg.svd(a)
    _close(gradient, u @ vh)


def test_double_precision(run_script):
    run_script("""
        import jax, numpy as np
        jax.config.update("jax_enable_x64", True)
        a = np.random.RandomState(0).standard_normal((5, 5))
        for x in (a, a + 1j * a.T):
            q, r = jax.numpy.linalg.qr(x)
            assert q.dtype == x.dtype
            np.testing.assert_allclose(np.asarray(q) @ np.asarray(r), x, rtol=1e-13, atol=1e-13)
    """)


def test_an_exported_program_finds_lapack_in_another_process(run_script, platform, tmp_path):
    path = tmp_path / "program"
    source = """
        import sys, jax, jax.numpy as jnp, numpy as np, pickle
        from jax.experimental import serialize_executable as s
        path, write = sys.argv[1], sys.argv[2] == "write"
        a = np.diag(np.arange(1, 4, dtype=np.float32))
        if write:
            compiled = jax.jit(jnp.linalg.cholesky).lower(a).compile()
            pickle.dump(s.serialize(compiled), open(path, "wb"))
        else:
            run = s.deserialize_and_load(*pickle.load(open(path, "rb")))
            np.testing.assert_allclose(run(a), np.sqrt(a), rtol=1e-6)
    """
    run_script(source, path, "write")
    run_script(source, path, "read")


@pytest.mark.parametrize("name", ["approx_max_k", "approx_min_k"])
def test_the_nearest(name):
    x = np.random.RandomState(3).standard_normal((3, 20)).astype(np.float32)
    for axis in (0, -1):
        values, indices = jax.jit(
            lambda a, axis=axis: getattr(jax.lax, name)(a, 2, reduction_dimension=axis)
        )(x)
        order = np.sort(x, axis=axis)
        best = order if name == "approx_min_k" else np.flip(order, axis)
        np.testing.assert_array_equal(values, np.take(best, [0, 1], axis))
        np.testing.assert_array_equal(np.take_along_axis(x, np.asarray(indices), axis), values)
