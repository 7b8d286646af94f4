// SPDX-License-Identifier: Apache-2.0
import type { ToolSpec } from '../../engine/api.js';

/** The oldest Python that the tools and JAX run on. */
export const LOWEST_MINOR = 11;

const FIRST_NEW_ENOUGH =
  'for p in "$PIPELINE_PYTHON" python3 python3.14 python3.13 python3.12 python3.11; do ' +
  `"$p" -c 'import sys, venv; assert sys.version_info >= (3, ${LOWEST_MINOR})' 2>/dev/null && exec "$p" --version; ` +
  'done; exit 1';

/** What `doctor` looks for; the second probe finds one that is too old, so that it can be said. */
export const PYTHON_TOOL: ToolSpec = {
  name: 'python',
  probes: [
    ['sh', '-c', FIRST_NEW_ENOUGH],
    ['python3', '--version'],
  ],
  version: /Python (\S+)/,
  needs: `>=3.${LOWEST_MINOR}`,
  install: `install Python 3.${LOWEST_MINOR} or newer with venv (Debian: apt install python3 python3-venv), or name one in PIPELINE_PYTHON`,
  required: true,
  inKey: false,
};
