# SPDX-License-Identifier: Apache-2.0
"""What only the framework's own MLIR can do with a program before the native plugin compiles it."""
