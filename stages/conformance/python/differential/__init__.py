# SPDX-License-Identifier: Apache-2.0
"""Random programs, compared with XLA:CPU: what passes of a compiler do to each other.

``strategy`` makes programs (hypothesis), ``judge`` runs them on both platforms and says whose
number is wrong, ``search`` looks for failures as long as it may, each program in a process of
``worker``.
"""
