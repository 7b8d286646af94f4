// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from 'vitest';
import type { StageContext } from '../../engine/api.js';
import { fail, PipelineFailure } from '../../engine/failure.js';
import { findPythons, hostMachine } from '../../stages/lib/pythons.js';
import { nameOf, setupTools, withAlways, type ToolsOptions } from '../../stages/setup-tools/run.js';

interface FakePython {
  readonly version: string;
  readonly machine?: string;
  readonly venv?: boolean;
}

/** Every program is unknown but the given Pythons; what comes after the choice fails with `tail`. */
function context(
  pythons: Readonly<Record<string, FakePython>>,
  tail: readonly string[] = ['error: no more'],
): StageContext<ToolsOptions> {
  const command = (program: string, lines: readonly string[]): never =>
    fail({ kind: 'command', message: `${program} failed`, command: program, tail: lines });
  const fake = {
    options: { requirements: ['uv==1.0', 'Nin.Ja==1.2'] },
    env: { PIPELINE_PYTHONS: Object.keys(pythons).join(':'), PATH: '/nowhere' },
    tempDir: '/nowhere',
    outDir: '/nowhere',
    log: () => undefined,
    progress: () => undefined,
    exec: (program: string, args: readonly string[]) => {
      const found = pythons[program];
      if (!found || args[0] !== '-c') return command(program, tail);
      const stdout = JSON.stringify({
        version: found.version,
        machine: found.machine ?? hostMachine(),
        venv: found.venv ?? true,
        ensurepip: found.venv ?? true,
        pip: true,
      });
      return Promise.resolve({ exitCode: 0, stdout, stderr: '' });
    },
  };
  return fake as unknown as StageContext<ToolsOptions>;
}

async function failureOf(given: StageContext<ToolsOptions>): Promise<unknown> {
  const error: unknown = await setupTools(given).catch((reason: unknown) => reason);
  return error instanceof PipelineFailure ? error.failure : error;
}

describe('Python', () => {
  test('none', async () => {
    expect(await failureOf(context({}))).toMatchObject({
      kind: 'tool-missing',
      message: 'no Python 3.11 or newer was found',
      help: expect.stringContaining('PIPELINE_PYTHON') as string,
    });
  });

  test('too old', async () => {
    expect(await failureOf(context({ '/old': { version: '3.9.18' } }))).toMatchObject({
      kind: 'tool-missing',
      message: 'no Python 3.11 or newer was found: /old is 3.9.18',
    });
  });

  test('without venv', async () => {
    expect(await failureOf(context({ '/p': { version: '3.11.2', venv: false } }))).toMatchObject({
      kind: 'tool-missing',
      message: expect.stringContaining('/p (3.11.2) has no venv module') as string,
      help: expect.stringContaining('apt install python3-venv') as string,
    });
  });

  test('several: one per minor version, the first that is named, lowest first', async () => {
    const found = await findPythons(
      context({ '/b': { version: '3.13.1' }, '/a': { version: '3.11.7' }, '/c': { version: '3.11.9' } }),
    );
    expect(found.map(({ path, version }) => `${path} ${version}`)).toEqual(['/a 3.11.7', '/b 3.13.1']);
  });

  test('one for another processor does not build', async () => {
    expect(await failureOf(context({ '/arm': { version: '3.11.7', machine: 'riscv64' } }))).toMatchObject({
      message: 'no Python 3.11 or newer was found: /arm is for riscv64',
    });
  });

  test('those for another processor are found when they are asked for', async () => {
    const found = await findPythons(
      context({ '/here': { version: '3.11.7' }, '/arm': { version: '3.11.9', machine: 'riscv64' } }),
      'riscv64',
    );
    expect(found.map(({ path }) => path)).toEqual(['/arm']);
  });
});

describe('what goes wrong later', () => {
  const GOOD = { '/p': { version: '3.11.7' } };

  test('no network: names what was fetched', async () => {
    const tail = ['ERROR: Failed to establish a new connection: [Errno 111] Connection refused'];
    expect(await failureOf(context(GOOD, tail))).toMatchObject({
      kind: 'network',
      message: 'could not fetch uv==1.0; nothing was changed',
    });
  });

  test('a full disk', async () => {
    const tail = ['OSError: [Errno 28] No space left on device'];
    expect(await failureOf(context(GOOD, tail))).toMatchObject({ kind: 'disk' });
  });

  test('a requirement that does not exist stays the command’s failure', async () => {
    expect(await failureOf(context(GOOD, ['ERROR: No matching distribution found']))).toMatchObject({
      kind: 'command',
    });
  });
});

test('uv and pip are always there', () => {
  expect(withAlways(['cmake==4.4.4', 'UV==1.0'])).toEqual(['cmake==4.4.4', 'UV==1.0', 'pip']);
});

test('names are compared as the registry does', () => {
  expect(nameOf('Typing_Extensions[x]==4.0')).toBe('typing-extensions');
});
