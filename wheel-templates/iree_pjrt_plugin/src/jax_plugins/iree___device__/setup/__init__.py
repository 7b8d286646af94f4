# SPDX-License-Identifier: Apache-2.0
"""Registration with JAX: versions, library, compiler, and what of JAX the platform changes."""
