// SPDX-License-Identifier: Apache-2.0
/** Which source files decide what a stage does: those of its folder, and what they import from beside it. */
import fs from 'node:fs';
import path from 'node:path';
import type { StageDefinition } from '../api.js';
import { walk } from '../base/files.js';

/** Where the source files of a stage are, told by the composition root. */
export interface StageCode {
  /** Paths in the record are relative to this folder. */
  readonly root: string;
  /** Absolute paths. */
  files(definition: StageDefinition): readonly string[];
}

/** The usual layout: one folder per definition below `folder`; what stages share lies below `folder` too. */
export function codeByFolder(where: {
  readonly root: string;
  readonly folder: string;
  /** True for a path (relative to the stage's folder) that does not matter: documentation, tests. */
  readonly ignore?: (relative: string) => boolean;
}): StageCode {
  const top = path.join(where.root, where.folder) + path.sep;
  const imports = new Map<string, readonly string[]>();
  const importsOf = (file: string): readonly string[] => {
    let known = imports.get(file);
    if (!known) imports.set(file, (known = file.endsWith('.ts') ? importedFiles(file, top) : []));
    return known;
  };
  return {
    root: where.root,
    files(definition) {
      const folder = path.join(top, definition.name);
      if (!fs.existsSync(folder)) return [];
      const own = walk(folder).filter((entry) => !entry.stat.isDirectory() && where.ignore?.(entry.path) !== true);
      // The loop also visits what is added to the set meanwhile.
      const found = new Set(own.map((entry) => path.join(folder, entry.path)));
      for (const file of found) for (const other of importsOf(file)) found.add(other);
      return [...found];
    },
  };
}

const FROM = /^\s*(?:import|export)\s+(?!type\s)(?:[^'";]*?\sfrom\s+)?'(\.[^']+)'/gm;
const LATE = /\bimport\(\s*'(\.[^']+)'\s*\)/g;

/** What a TypeScript source imports by relative paths, types alone left out. */
export function relativeImports(text: string): readonly string[] {
  return [FROM, LATE].flatMap((pattern) => [...text.matchAll(pattern)].map(([, specifier = '']) => specifier));
}

function importedFiles(file: string, top: string): readonly string[] {
  return relativeImports(fs.readFileSync(file, 'utf8'))
    .map((specifier) => path.resolve(path.dirname(file), specifier.replace(/\.js$/, '.ts')))
    .filter((found) => found.startsWith(top) && fs.existsSync(found));
}
