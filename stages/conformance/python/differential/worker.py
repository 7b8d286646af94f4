# SPDX-License-Identifier: Apache-2.0
"""Runs the programs it reads, a line of JSON each; answers ``{}`` or the failure.

python -m differential.worker PLATFORM
"""

import json
import sys

import jax

from .judge import Failure, check
from .program import Program


def main() -> None:
    """Answers each line with one of JSON."""
    device, cpu = jax.devices(sys.argv[1])[0], jax.devices("cpu")[0]
    for line in sys.stdin:
        answer = {}
        try:
            check(Program.from_json(line), device, cpu)
        except Failure as failure:
            answer = {"kind": failure.kind, "message": failure.message}
        except Exception as error:
            answer = {"kind": "harness", "message": f"{type(error).__name__}: {error}"}
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
