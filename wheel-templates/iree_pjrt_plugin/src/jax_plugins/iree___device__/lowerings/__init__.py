# SPDX-License-Identifier: Apache-2.0
"""JAX's rules for this platform, where its own for others do not do."""
