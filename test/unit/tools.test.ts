// SPDX-License-Identifier: Apache-2.0
import picocolors from 'picocolors';
import { describe, expect, test } from 'vitest';
import { type Machine, hintFor } from '../../commands/checks.js';
import { examine, report } from '../../commands/doctor.js';
import type { ToolSpec } from '../../engine/api.js';
import { toolsFor } from '../../engine/machine/tools-for.js';
import { type ProbeRunner, probeTool, toolFailure, uniqueTools } from '../../engine/machine/tools.js';

const SPEC: ToolSpec = {
  name: 'maker',
  probes: [
    ['maker', '--version'],
    ['maker-2', '--version'],
  ],
  version: /maker (\S+)/,
  needs: '>=2.5',
  install: 'install maker 2.5',
  required: true,
  inKey: true,
};

/** Answers by command; a number is an exit code without output. */
function fakeRunner(answers: Readonly<Record<string, string | number>>): ProbeRunner {
  return (command, args) => {
    const answer = answers[[command, ...args].join(' ')] ?? answers[command];
    if (answer === undefined) return Promise.resolve(undefined);
    if (typeof answer === 'number') return Promise.resolve({ exitCode: answer, stdout: '', stderr: '' });
    return Promise.resolve({ exitCode: 0, stdout: answer, stderr: '' });
  };
}

describe('probeTool', () => {
  test.each([
    ['no such program', {}, { state: 'missing' }],
    ['good', { maker: 'maker 2.7' }, { state: 'ok', version: '2.7', command: 'maker' }],
    ['too old', { maker: 'maker 2.4.9' }, { state: 'old', version: '2.4.9' }],
    [
      'the second probe is newer',
      { maker: 'maker 1', 'maker-2': 'maker 3.0.1-x' },
      { state: 'ok', command: 'maker-2' },
    ],
    ['the first fails', { maker: 1, 'maker-2': 'maker 3' }, { state: 'ok', command: 'maker-2' }],
    ['says nothing', { maker: 'hello' }, { state: 'unknown' }],
  ])('%s', async (_, answers: Record<string, string | number>, expected) => {
    expect(await probeTool(SPEC, fakeRunner(answers))).toMatchObject(expected);
  });

  test('without a range any version is good', async () => {
    const rest = Object.fromEntries(Object.entries(SPEC).filter(([key]) => key !== 'needs')) as unknown as ToolSpec;
    expect(await probeTool(rest, fakeRunner({ maker: 'hello' }))).toMatchObject({ state: 'ok' });
  });
});

test('toolFailure names what is missing and how to get it', async () => {
  const run = fakeRunner({ maker: 'maker 2.0' });
  const other = { ...SPEC, name: 'other', probes: [['other']] as const, install: 'get other' };
  const probed = await Promise.all([SPEC, other].map((spec) => probeTool(spec, run)));
  expect(toolFailure(probed, 'build')).toEqual({
    kind: 'tool-missing',
    message: "'build' needs maker >=2.5 (found 2.0), other >=2.5 (not found)",
    help: 'install maker 2.5; get other; npx pipeline doctor shows everything that is needed',
  });
  expect(toolFailure([{ spec: { ...SPEC, required: false }, state: 'missing' }], 'build')).toBeUndefined();
});

test('a tool that only some variants need is not asked of the others', () => {
  const only = { ...SPEC, only: { flavour: 'asan' } };
  const variant = (flavour: string) => ({ id: flavour, axes: { device: 'cpu', flavour } });
  expect(toolsFor([SPEC, only], variant('release'))).toEqual([SPEC]);
  expect(toolsFor([SPEC, only], variant('asan'))).toEqual([SPEC, only]);
  expect(toolsFor(undefined, variant('asan'))).toEqual([]);
});

test('of two tools of one name the required one counts', () => {
  const optional = { ...SPEC, required: false };
  expect(uniqueTools([optional, SPEC, optional])).toEqual([SPEC]);
});

describe('doctor', () => {
  const say = 'import sys, venv, ensurepip; print("Python", sys.version.split()[0])';
  const healthy: Machine = {
    node: '20.19.0',
    glibc: '2.36',
    memory: 8 * 1024 ** 3,
    freeDisk: 20 * 1024 ** 3,
    distro: ['debian'],
    exists: (path) => path.endsWith('.so'),
    run: fakeRunner({
      [`python3 -c ${say}`]: 'Python 3.11.7',
      [`python3.13 -c ${say}`]: 'Python 3.13.1',
      cargo: 'cargo 1.80.0 (abc)',
      clang: '/usr/lib/clang/libclang_rt.asan-x86_64.so',
    }),
  };
  const colors = picocolors.createColors(false);

  test('a healthy machine', async () => {
    const rows = await examine(healthy, []);
    expect(rows.filter((row) => row.required && !row.ok)).toEqual([]);
    expect(rows.find((row) => row.name === 'more Pythons')).toMatchObject({ ok: true, found: '3.13' });
    expect(rows.find((row) => row.name === 'git')).toMatchObject({ ok: false, required: false });
    expect(report(rows, { colors }).at(-1)).toBe('Everything that is needed is there.');
  });

  test('a machine without what only some variants need is good enough', async () => {
    const rows = await examine(healthy, [{ ...SPEC, only: { flavour: 'asan' } }]);
    expect(rows.find((row) => row.name === 'maker')).toMatchObject({ ok: false, required: false });
    expect(report(rows, { colors }).at(-1)).toBe('Everything that is needed is there.');
  });

  test('a bare machine: the table fits 80 columns and says how to get each thing', async () => {
    const bare = { ...healthy, node: '18.0.0', glibc: undefined, memory: 1e9, freeDisk: 1e9, run: fakeRunner({}) };
    const rows = await examine(bare, [SPEC]);
    const missing = rows.filter((row) => row.required && !row.ok).map((row) => row.name);
    expect(missing).toEqual(['Node', 'python, venv', 'cargo', 'disk', 'memory', 'glibc', 'maker']);
    const lines = report(rows, { colors });
    expect(Math.max(...lines.slice(0, -1).map((line) => line.length))).toBeLessThanOrEqual(80);
    expect(lines.join('\n')).toMatchSnapshot();
  });

  test('hints are for the distribution', () => {
    const how = { debian: 'apt', fedora: 'dnf', other: 'somehow' };
    expect(hintFor(how, ['ubuntu', 'debian'])).toBe('apt');
    expect(hintFor(how, ['rocky', 'rhel', 'centos', 'fedora'])).toBe('dnf');
    expect(hintFor(how, ['nixos'])).toBe('somehow');
  });
});
