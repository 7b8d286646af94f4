# SPDX-License-Identifier: Apache-2.0
"""Under AddressSanitizer: a compiled program reads what must not be read.

Part of an array is poisoned, as freed memory is. Ends with a report if compiled code is
instrumented, else with ``not reported``.
"""

import ctypes

import jax
import jax.numpy as jnp

double = jax.jit(lambda x: x * 2)
array = jnp.arange(1024.0)
double(array).block_until_ready()

poison = ctypes.CDLL(None).__asan_poison_memory_region
poison(ctypes.c_void_p(array.unsafe_buffer_pointer() + 512), ctypes.c_size_t(64))
double(array).block_until_ready()
print("not reported")
