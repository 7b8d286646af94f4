# SPDX-License-Identifier: Apache-2.0
"""Commands of the wheels that have them: the launcher of asan, the capture of tracing."""
