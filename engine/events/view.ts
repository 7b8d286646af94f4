// SPDX-License-Identifier: Apache-2.0
import pc from 'picocolors';
import { jsonView } from './json.js';
import { plainView } from './plain.js';
import { terminalView } from './terminal.js';
import { PLAIN, type Paint } from './text.js';
import type { View, ViewOptions } from './view-options.js';

/** `auto`: the live view on a terminal, plain lines elsewhere. */
export type ViewMode = 'auto' | 'terminal' | 'plain' | 'json';

export interface SinkOptions {
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly cwd?: string;
}

export function createSink(mode: ViewMode, stdout: NodeJS.WriteStream, options: SinkOptions = {}): View {
  const env = options.env ?? process.env;
  const live = mode === 'terminal' || (mode === 'auto' && stdout.isTTY && !isSet(env.CI) && env.TERM !== 'dumb');
  const view: ViewOptions = {
    write: (text) => void stdout.write(text),
    paint: choosePaint(stdout, env),
    cwd: options.cwd ?? process.cwd(),
  };
  if (mode === 'json') return jsonView({ ...view, paint: PLAIN });
  return live ? terminalView(view) : plainView({ ...view, github: env.GITHUB_ACTIONS === 'true' });
}

/** https://no-color.org and FORCE_COLOR; otherwise colours on terminals only. */
export function choosePaint(stdout: NodeJS.WriteStream, env: Readonly<Record<string, string | undefined>>): Paint {
  if (isSet(env.NO_COLOR)) return PLAIN;
  return stdout.isTTY || isSet(env.FORCE_COLOR) ? pc.createColors(true) : PLAIN;
}

function isSet(value: string | undefined): boolean {
  return value !== undefined && value !== '' && value !== '0' && value !== 'false';
}
