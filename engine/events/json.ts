// SPDX-License-Identifier: Apache-2.0
import type { View, ViewOptions } from './view-options.js';

/** One event per line, for programs. */
export function jsonView(options: ViewOptions): View {
  return {
    emit: (event) => {
      options.write(`${JSON.stringify(event)}\n`);
    },
    close: () => Promise.resolve(),
  };
}
