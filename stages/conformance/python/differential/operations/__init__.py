# SPDX-License-Identifier: Apache-2.0
"""The operations that programs are made of, by name; importing the modules fills the table."""

from ..making import OPERATIONS
from . import algebra as algebra
from . import contractions as contractions
from . import control as control
from . import elementwise as elementwise
from . import indexing as indexing
from . import ordering as ordering
from . import reductions as reductions
from . import shapes as shapes

__all__ = ["OPERATIONS"]
