// SPDX-License-Identifier: Apache-2.0
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fail } from '../engine/failure.js';
import { nearest } from '../engine/base/nearest.js';
import { type CommandContext, print } from './context.js';

/** Prints docs/pipeline-yaml.md, or its sections whose heading or table names `key`. */
export async function run(context: CommandContext, [key]: readonly (string | undefined)[]): Promise<number> {
  const text = await readFile(join(context.home, 'docs', 'pipeline-yaml.md'), 'utf8');
  if (key === undefined) {
    print(context, text.trimEnd());
    return 0;
  }
  const sections = text.split(/^(?=##? )/m).filter((section) => section.startsWith('## '));
  const headed = sections.filter((section) => headingOf(section) === key);
  const found = headed.length > 0 ? headed : sections.filter((section) => keysOf(section).includes(key));
  if (found.length === 0) {
    const headings = sections.map(headingOf);
    const near = nearest(key, [...headings, ...sections.flatMap(keysOf)]);
    const help = `${near === undefined ? '' : `did you mean '${near}'? `}sections: ${headings.join(', ')}`;
    fail({ kind: 'usage', message: `there is no key '${key}'`, help });
  }
  print(context, found.join('').trimEnd());
  return 0;
}

function headingOf(section: string): string {
  return /^## `?([^`\n]*)`?/.exec(section)?.[1] ?? '';
}

function keysOf(section: string): string[] {
  return [...section.matchAll(/^\| `([^`]+)`/gm)].flatMap((match) => {
    const path = match[1] ?? '';
    // `[].needs` is also found as `needs`.
    return [path, path.replace(/^.*[.\]]/, '')];
  });
}
