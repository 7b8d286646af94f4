# SPDX-License-Identifier: Apache-2.0
"""Random programs, of fixed seeds; ``npm run bench:differential`` runs more of them."""

import hypothesis
import pytest
from differential.judge import check
from differential.strategy import programs

SEEDS = range(6)
TOGETHER = 10


@pytest.mark.parametrize("seed", SEEDS)
def test_programs(seed, device, cpu):
    # Nothing is shrunk here, where time is short: the program is printed.
    @hypothesis.seed(seed)
    @hypothesis.settings(
        max_examples=TOGETHER,
        database=None,
        deadline=None,
        phases=[hypothesis.Phase.generate],
        suppress_health_check=list(hypothesis.HealthCheck),
    )
    @hypothesis.given(programs())
    def each(program):
        try:
            check(program, device, cpu)
        except Exception as error:
            error.add_note(program.source())
            raise

    each()
