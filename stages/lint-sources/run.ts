// SPDX-License-Identifier: Apache-2.0
import path from 'node:path';
import type { InputContext, StageContext, StageInputs } from '../../engine/api.js';
import type { ToolsArtifact } from '../artifacts.js';

const PYTHON_FOLDERS = ['stages', 'wheel-templates', 'compat'];

async function sourcesOf(context: InputContext): Promise<{ cpp: readonly string[]; python: readonly string[] }> {
  const cpp = await context.glob('native', ['**/*.{h,cc}']);
  const python = await Promise.all(PYTHON_FOLDERS.map((folder) => context.glob(folder, ['**/*.{py,pyi}'])));
  return { cpp, python: python.flat() };
}

export async function lintInputs(context: InputContext): Promise<StageInputs> {
  const { cpp, python } = await sourcesOf(context);
  return { files: [...cpp, ...python, ...(await context.glob('.', ['ruff.toml', 'native/.clang-format']))] };
}

/** clang-format over native/, ruff over every Python file: format and rules, nothing is rewritten. */
export async function lintSources(context: StageContext): Promise<{ files: number }> {
  const tools = context.artifact<ToolsArtifact>('setup-lint');
  const tool = (name: string) => path.join(tools.dir, tools.value.bin, name);
  const { cpp, python } = await sourcesOf(context);
  const cwd = context.root;
  const fix = (command: string) => `${command} mends it: npm run format`;
  await context.exec(tool('clang-format'), ['--dry-run', '--Werror', ...cpp], { cwd, help: fix('clang-format -i') });
  await context.exec(tool('ruff'), ['check', '--no-cache', ...python], { cwd, help: fix('ruff check --fix') });
  await context.exec(tool('ruff'), ['format', '--no-cache', '--check', ...python], { cwd, help: fix('ruff format') });
  return { files: cpp.length + python.length };
}
