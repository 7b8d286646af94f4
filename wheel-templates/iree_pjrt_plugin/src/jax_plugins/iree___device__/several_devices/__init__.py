# SPDX-License-Identifier: Apache-2.0
"""A program for several devices, as one program or as the one that each of them runs."""
