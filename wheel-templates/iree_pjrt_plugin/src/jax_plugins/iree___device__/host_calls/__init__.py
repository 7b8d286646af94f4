# SPDX-License-Identifier: Apache-2.0
"""What programs call on the host: handlers of the FFI, Python callbacks, LAPACK."""
