// SPDX-License-Identifier: Apache-2.0
import type { StageContext } from '../../engine/api.js';
import type { LockOrigin } from '../artifacts.js';
import { pipOf, type PipClient } from '../lib/pip.js';
import type { Compat } from '../lib/compat/rows.js';

/** What the parts of a resolution share. */
export interface Resolver {
  readonly origin: LockOrigin;
  readonly compat: Compat;
  readonly pip: PipClient;
  readonly context: Pick<StageContext, 'exec' | 'tempDir' | 'signal' | 'log'>;
  /** Versions that the registry has, by Python, where none fits. */
  readonly seen: Map<string, readonly string[]>;
  log(line: string): void;
  warn(text: string): void;
  /** Says once that a release is there which compat/ does not know. */
  unknownRelease(name: string, version: string, file: string): void;
}

export function makeResolver(
  context: StageContext<{ readonly channel?: string }>,
  origin: LockOrigin,
  compat: Compat,
): Resolver {
  const said = new Set<string>();
  return {
    origin,
    compat,
    context,
    pip: pipOf(context),
    seen: new Map(),
    log: (line) => {
      context.log(line);
    },
    warn: (text) => {
      context.warn(text);
    },
    unknownRelease(name, version, file) {
      const kind = name === 'jaxlib' ? 'jaxlib' : 'iree';
      const text = `${name} ${version} is on the registry, not in ${file}: not chosen; measure it with \`npx pipeline compat measure ${kind} ${version}\``;
      if (!said.has(text)) context.warn(text);
      said.add(text);
    },
  };
}
