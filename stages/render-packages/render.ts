// SPDX-License-Identifier: Apache-2.0
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import nunjucks from 'nunjucks';
import { glob } from 'tinyglobby';
import type { JsonObject } from '../../engine/api.js';
import { fail } from '../../engine/failure.js';

const SUFFIX = '.njk';

export interface RenderRequest {
  /** Template folder. Files ending in `.njk` are rendered, the rest copied. */
  readonly from: string;
  readonly to: string;
  readonly variables: JsonObject;
  /** `{device: 'cpu'}`: `__device__` in a path becomes `cpu`. */
  readonly placeholders: Readonly<Record<string, string>>;
  /** Messages name templates relative to this folder. */
  readonly root: string;
}

/** Renders a folder of templates. A mistake in one is reported with its file and line. */
export async function renderTree(request: RenderRequest): Promise<void> {
  const environment = new nunjucks.Environment(null, {
    autoescape: false,
    throwOnUndefined: true,
    trimBlocks: true,
    lstripBlocks: true,
  });
  const files = await glob(['**/*'], {
    cwd: request.from,
    dot: true,
    ignore: ['tests/**', '**/__pycache__/**', '**/*.pyc', '**/.*_cache/**', '**/.gitkeep'],
  });
  for (const file of files.sort()) {
    const source = path.join(request.from, file);
    const target = path.join(request.to, fillPath(file, request.placeholders));
    await mkdir(path.dirname(target), { recursive: true });
    if (file.endsWith(SUFFIX)) {
      await writeFile(target.slice(0, -SUFFIX.length), await renderFile(environment, source, request));
    } else {
      await writeFile(target, await readFile(source));
    }
    // The checkout's umask must not reach the wheel.
    await chmod(file.endsWith(SUFFIX) ? target.slice(0, -SUFFIX.length) : target, 0o644);
  }
}

/** Puts the values of placeholders such as `__device__` into a path. */
export function fillPath(file: string, placeholders: Readonly<Record<string, string>>): string {
  return Object.entries(placeholders).reduce((text, [name, value]) => text.replaceAll(`__${name}__`, value), file);
}

async function renderFile(environment: nunjucks.Environment, file: string, request: RenderRequest): Promise<string> {
  const text = await readFile(file, 'utf8');
  const shown = path.relative(request.root, file);
  try {
    return new nunjucks.Template(text, environment, shown, true).render(request.variables);
  } catch (error) {
    const { message, lineno, colno } = error as { message: string; lineno?: number; colno?: number };
    const place = /\[Line (\d+), Column (\d+)\]/.exec(message);
    const line = lineno ?? Number(place?.[1] ?? 1);
    const column = colno ?? Number(place?.[2] ?? 1);
    return fail({
      kind: 'config',
      message: 'a wheel template cannot be rendered',
      diagnostics: [
        {
          message: message.split('\n').at(-1)?.trim() ?? message,
          range: { file: shown, line, column, endLine: line, endColumn: column + 1 },
          help: 'wheel-templates/README.md lists the variables',
        },
      ],
    });
  }
}
