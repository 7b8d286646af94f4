// SPDX-License-Identifier: Apache-2.0
import path from 'node:path';
import type { InputContext, StageContext, StageInputs } from '../../engine/api.js';
import type { ToolsArtifact } from '../artifacts.js';

const PYTHON_FOLDERS = ['stages', 'wheel-templates', 'compat', 'measuring'];

async function sourcesOf(context: InputContext): Promise<{ cpp: readonly string[]; python: readonly string[] }> {
  const cpp = await context.glob('native', ['**/*.{h,cc}']);
  const python = await Promise.all(PYTHON_FOLDERS.map((folder) => context.glob(folder, ['**/*.{py,pyi}'])));
  return { cpp, python: python.flat() };
}

/** `--set fix=1`: mend what can be mended instead of reporting it. */
function fixing(context: InputContext): boolean {
  return context.settings['fix'] === '1';
}

export async function lintInputs(context: InputContext): Promise<StageInputs> {
  const { cpp, python } = await sourcesOf(context);
  const settings = await context.glob('.', ['ruff.toml', 'native/.clang-format']);
  return { files: [...cpp, ...python, ...settings], values: { fix: fixing(context) } };
}

/** clang-format over native/, ruff over every Python file: format and rules. */
export async function lintSources(context: StageContext): Promise<{ files: number }> {
  const tools = context.artifact<ToolsArtifact>('setup-lint');
  const fix = fixing(context);
  const { cpp, python } = await sourcesOf(context);
  const run = (name: string, args: readonly string[]) =>
    context.exec(path.join(tools.dir, tools.value.bin, name), args, {
      cwd: context.root,
      help: 'npm run format mends what can be mended by itself',
    });
  await run('clang-format', [...(fix ? ['-i'] : ['--dry-run', '--Werror']), ...cpp]);
  await run('ruff', ['check', '--no-cache', ...(fix ? ['--fix'] : []), ...python]);
  await run('ruff', ['format', '--no-cache', ...(fix ? [] : ['--check']), ...python]);
  return { files: cpp.length + python.length };
}
