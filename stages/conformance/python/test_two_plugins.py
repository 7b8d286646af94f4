# SPDX-License-Identifier: Apache-2.0
"""The wheels for CPUs and GPUs in one process: two plugins share the compiler's library."""


def test_both_compile(run_script, tmp_path):
    run_script(
        """
        import shutil, sys
        import jax, jax.numpy as jnp, numpy as np
        from jax._src import xla_bridge

        def compiles(device):
            x = jax.device_put(jnp.arange(8.0), device)
            np.testing.assert_array_equal(jax.jit(lambda x: x + 1)(x), np.arange(8.0) + 1)

        def loaded(name):
            with open("/proc/self/maps") as maps:
                return {line.split()[-1] for line in maps if name in line}.pop()

        first = jax.local_devices()[0]
        compiles(first)
        # Under another name: the loader knows two libraries, each with state of its own.
        copy = shutil.copy(loaded("pjrt_plugin_iree"), sys.argv[1] + "/copy.so")
        options = {"compiler_library_path": loaded("libIREECompiler")}
        xla_bridge.register_plugin("copy", library_path=copy, options=options)
        jax.config.update("jax_platforms", f"{first.platform},copy")
        # Only the package has what reads it.
        jax.config.update("jax_use_shardy_partitioner", False)
        xla_bridge._clear_backends()
        compiles(jax.devices("copy")[0])
        compiles(jax.devices()[0])
        """,
        tmp_path,
        # Helper processes would have a library each.
        env={"IREE_PJRT_COMPILE_IN_PROCESS": "1"},
    )
