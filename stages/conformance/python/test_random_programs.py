# SPDX-License-Identifier: Apache-2.0
"""Random programs, on both platforms; `random_programs.py` runs more of them."""

import pytest
import random_programs

SEEDS = range(60)
TOGETHER = 10


@pytest.mark.parametrize("first", SEEDS[::TOGETHER])
def test_programs(first, device, cpu):
    for seed in range(first, first + TOGETHER):
        random_programs.check(random_programs.run(seed, device), random_programs.run(seed, cpu))
