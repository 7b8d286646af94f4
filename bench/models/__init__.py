# SPDX-License-Identifier: Apache-2.0
"""Models and how they are trained, for the benchmarks."""
