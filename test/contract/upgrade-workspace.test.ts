// SPDX-License-Identifier: Apache-2.0
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Exec } from '../../commands/upgrade/children.js';
import { Workspace } from '../../commands/upgrade/workspace.js';
import { PipelineFailure } from '../../engine/failure.js';

let root: string;
const exec: Exec = (command, args, options = {}) =>
  Promise.resolve({
    exitCode: 0,
    stdout: execFileSync(command, [...args], {
      cwd: options.cwd,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }),
    stderr: '',
  });
const put = (file: string, text: string): void => {
  fs.mkdirSync(path.dirname(path.join(root, file)), { recursive: true });
  fs.writeFileSync(path.join(root, file), text);
};
const get = (file: string): string => fs.readFileSync(path.join(root, file), 'utf8');

beforeEach(() => {
  root = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'upgrade-')));
  execFileSync('git', ['init', '--quiet'], { cwd: root });
  put('.gitignore', '.pipeline/\ndist/\n');
  put('pipeline.yaml', 'old\n');
  put('compat/iree.yaml', 'rows: []\n');
  put('stages/new.ts', 'not yet in git\n');
  put('dist/wheel.whl', 'made\n');
  put('.pipeline/cache/entry', 'result\n');
});
afterEach(() => {
  fs.rmSync(root, { recursive: true });
});

async function made(): Promise<Workspace> {
  const workspace = new Workspace(root, 'iree-3.14.0');
  await workspace.make(exec);
  return workspace;
}

it('has the files that git knows or would, and the cache of the project', async () => {
  const { root: copy } = await made();
  expect(fs.existsSync(path.join(copy, 'stages', 'new.ts'))).toBe(true);
  expect(fs.existsSync(path.join(copy, 'dist'))).toBe(false);
  expect(fs.readFileSync(path.join(copy, '.pipeline', 'cache', 'entry'), 'utf8')).toBe('result\n');
});

it('changes nothing before it is applied, and then only what the upgrade changed', async () => {
  const workspace = await made();
  workspace.write('pipeline.yaml', 'new\n');
  fs.writeFileSync(path.join(workspace.root, 'stages', 'new.ts'), 'whatever a stage did\n');
  expect([get('pipeline.yaml'), workspace.changed()]).toEqual(['old\n', ['pipeline.yaml']]);
  expect(new Workspace(root, 'iree-3.14.0').apply()).toEqual(['pipeline.yaml']);
  expect([get('pipeline.yaml'), get('stages/new.ts')]).toEqual(['new\n', 'not yet in git\n']);
});

it('is not applied over an edit that came after it', async () => {
  const workspace = await made();
  workspace.write('pipeline.yaml', 'new\n');
  workspace.write('compat/iree.yaml', 'rows: [new]\n');
  put('pipeline.yaml', 'edited\n');
  expect(() => workspace.apply()).toThrow(/edited since the upgrade was tried: pipeline\.yaml/);
  expect([get('pipeline.yaml'), get('compat/iree.yaml')]).toEqual(['edited\n', 'rows: []\n']);
});

it('is made anew by the next try', async () => {
  const workspace = await made();
  workspace.write('pipeline.yaml', 'new\n');
  expect((await made()).changed()).toEqual([]);
});

it('that was never made is not applied', () => {
  expect(() => new Workspace(root, 'iree-9.9.9').apply()).toThrow(/has not been tried yet/);
});

it('of a folder that git ignores is refused', async () => {
  const inside = path.join(root, 'dist', 'project');
  put('dist/project/pipeline.yaml', 'ignored\n');
  const error = await new Workspace(inside, 'x').make(exec).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(PipelineFailure);
  expect((error as PipelineFailure).failure.message).toContain('git knows nothing of');
});
