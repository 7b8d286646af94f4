// SPDX-License-Identifier: Apache-2.0
// Which versions are chosen, against a registry that is a table.
import { describe, expect, test } from 'vitest';
import type { ExecResult, StageContext } from '../../engine/api.js';
import { fail, PipelineFailure, type Failure } from '../../engine/failure.js';
import type { Framework, LockOrigin } from '../../stages/artifacts.js';
import { STABLE } from '../../stages/lib/channels.js';
import { safeMinor, type Compat, type JaxlibRow, type Trap } from '../../stages/lib/compat/rows.js';
import { renderExclusions } from '../../stages/resolve-versions/exclusions.js';
import { resolveFrameworks } from '../../stages/resolve-versions/frameworks.js';
import { chooseHeader } from '../../stages/resolve-versions/headers.js';
import { resolveIree } from '../../stages/resolve-versions/iree.js';
import type { Resolver } from '../../stages/resolve-versions/resolver.js';
import { satisfies, compare } from '@renovatebot/pep440';

/** package → Python → versions */
type Registry = Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>;

const REGISTRY: Registry = {
  jaxlib: { '3.11': ['0.9.0', '0.9.0.1', '0.10.2'], '3.13': ['0.9.0', '0.10.2', '0.12.0', '0.12.0.1'] },
  jax: { '3.11': ['0.9.0', '0.10.2'], '3.13': ['0.10.2', '0.12.0', '0.12.0.1'] },
  'iree-base-compiler': { '3.11': ['3.10.0', '3.11.0', '3.13.0'], '3.13': ['3.11.0', '3.13.0'] },
};

function row(version: string, pjrtApi: string, pythons: readonly string[]): JaxlibRow {
  return { version, pjrtApi, stablehlo: '1.17.0', stablehloMinimum: '0.9.0', pythons, xlaCommit: 'a'.repeat(40) };
}

const IREE = {
  version: '3.11.0',
  runtime: { crate: 'eerie-sys', crateVersion: '0.3.3' },
  compiler: { package: 'iree-base-compiler', version: '3.11.0' },
  stablehlo: '1.13.0',
};

const COMPAT: Compat = {
  jaxlib: [
    row('0.9.0', '0.90', ['3.11', '3.13']),
    row('0.9.0.1', '0.90', ['3.11']),
    row('0.10.2', '0.112', ['3.11', '3.13']),
    row('0.12.0', '0.116', ['3.13']),
    row('0.12.0.1', '0.116', ['3.13']),
  ],
  iree: [
    { version: '3.10.0', compiler: { package: 'iree-base-compiler', version: '3.10.0' }, stablehlo: '1.13.0' },
    IREE,
  ],
  headers: {
    includeRoot: 'include',
    members: ['include/pjrt_c_api.h'],
    rows: [
      { package: 'tf', version: '2.18.0', pjrtApi: '0.54' },
      { package: 'tf', version: '2.21.0', pjrtApi: '0.90' },
      { package: 'tf-nightly', version: '2.22.0.dev1', pjrtApi: '0.114' },
    ],
    traps: [
      { from: '0.86', frameworksFrom: '0.86', what: 'must be there', answer: 'implement', calls: ['PJRT_X'] },
      { from: '0.105', frameworksFrom: '0.105', what: 'crashes', answer: 'avoid' },
    ],
  },
  cudaHeaders: { package: 'cuda', version: '12.9.79', includeRoot: 'include', members: ['include/cuda.h'] },
  tracy: { crate: 'tracy-client-sys', crateVersion: '0.28.0', version: '0.13.1', protocol: 76 },
  googletest: { crate: 'eerie-sys', crateVersion: '0.3.3', version: '1.16.0' },
  ducc: { package: 'ducc0', version: '0.42.0', license: 'BSD-3-Clause OR GPL-2.0-or-later' },
};

/** Answers as pip does: a report on stdout, or exit code 1 with the versions that there are. */
function fakePip(registry: Registry, asked: string[]): StageContext['exec'] {
  return (_, args): Promise<ExecResult> => {
    const requirement = args.at(-1) ?? '';
    const python = args[args.indexOf('--python-version') + 1] ?? '';
    asked.push(`${requirement} for ${python}`);
    const [, name = '', range = ''] = /^([a-z-]+)(.*)$/.exec(requirement) ?? [];
    const versions = registry[name]?.[python] ?? [];
    const version = versions.filter((candidate) => satisfies(candidate, range)).sort((a, b) => compare(b, a))[0];
    if (version === undefined) {
      const tail = [
        `ERROR: Could not find a version that satisfies the requirement ${requirement} (from versions: ${versions.join(', ') || 'none'})`,
        `ERROR: No matching distribution found for ${requirement}`,
      ];
      fail({ kind: 'command', message: 'pip failed', command: 'pip', exitCode: 1, tail });
    }
    const url = `http://x/${name}-${version}-py3-none-any.whl`;
    const requires = name === 'jax' ? [`jaxlib<=${version},>=${version}`, 'numpy>=2.0'] : [];
    const report = {
      install: [
        {
          download_info: { url, archive_info: { hashes: { sha256: 'b'.repeat(64) } } },
          metadata: { name, version, requires_dist: requires },
        },
      ],
    };
    return Promise.resolve({ exitCode: 0, stdout: JSON.stringify(report), stderr: '' });
  };
}

interface Scene extends Resolver {
  readonly warnings: string[];
  readonly asked: string[];
}

function scene(origin: Partial<LockOrigin> = {}, compat: Partial<Compat> = {}, registry: Registry = REGISTRY): Scene {
  const asked: string[] = [];
  const warnings: string[] = [];
  const exec = fakePip(registry, asked);
  const base = { exec, tempDir: '/nowhere', signal: new AbortController().signal, log: () => undefined };
  return {
    asked,
    warnings,
    origin: {
      jaxlib: '>=0.6.1,<0.13',
      iree: '>=3.11,<3.12',
      ireeLines: [],
      python: '>=3.11',
      pythons: ['3.11', '3.13'],
      channel: 'stable',
      links: [],
      ...origin,
    },
    compat: { ...COMPAT, ...compat },
    pip: { ...base, python: 'python', channel: STABLE },
    context: base,
    seen: new Map(),
    log: () => undefined,
    warn: (text) => warnings.push(text),
    unknownRelease: (name, version) => warnings.push(`unknown ${name} ${version}`),
  };
}

async function failureOf(promise: Promise<unknown>): Promise<Failure> {
  const error: unknown = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error instanceof PipelineFailure) return error.failure;
  throw new Error(`no failure but ${String(error)}`);
}

function summary(frameworks: readonly Framework[]): string[] {
  return frameworks.map(({ python, jax, jaxlib, pjrtApi }) => `${python}: ${jaxlib} (jax ${jax}, API ${pjrtApi})`);
}

describe('frameworks', () => {
  test('each Python gets its newest jaxlib; versions are compared by PEP 440', async () => {
    expect(summary(await resolveFrameworks(scene()))).toEqual([
      '3.11: 0.10.2 (jax 0.10.2, API 0.112)',
      '3.13: 0.12.0.1 (jax 0.12.0.1, API 0.116)',
    ]);
  });

  test('the lowest Python comes first, whatever the order of the options: 3.9 is below 3.11', async () => {
    const registry: Registry = {
      ...REGISTRY,
      jaxlib: { ...REGISTRY['jaxlib'], '3.9': ['0.9.0'] },
      jax: { ...REGISTRY['jax'], '3.9': ['0.9.0'] },
    };
    const found = await resolveFrameworks(scene({ pythons: ['3.13', '3.11', '3.9'], python: '>=3.9' }, {}, registry));
    expect(found.map(({ python }) => python)).toEqual(['3.9', '3.11', '3.13']);
  });

  test('a release that compat/ does not know is named and not taken', async () => {
    const known = COMPAT.jaxlib.filter(({ version }) => !version.startsWith('0.12'));
    const given = scene({ pythons: ['3.13'] }, { jaxlib: known });
    expect(summary(await resolveFrameworks(given))).toEqual(['3.13: 0.10.2 (jax 0.10.2, API 0.112)']);
    expect(given.warnings).toEqual(['unknown jaxlib 0.12.0.1', 'unknown jaxlib 0.12.0']);
  });

  test('a jaxlib whose jax refuses it is passed over', async () => {
    // There is no jax 0.9.0.1: the newest that is not newer is 0.9.0, and it wants its own jaxlib.
    const found = await resolveFrameworks(scene({ pythons: ['3.11'], jaxlib: '<0.10' }));
    expect(summary(found)).toEqual(['3.11: 0.9.0 (jax 0.9.0, API 0.90)']);
  });

  test('a Python without any is left out with a warning', async () => {
    const given = scene({ jaxlib: '>=0.12,<0.13' });
    expect((await resolveFrameworks(given)).map(({ python }) => python)).toEqual(['3.13']);
    expect(given.warnings).toEqual(['no jaxlib >=0.12,<0.13 for Python 3.11: the lock leaves this Python out']);
  });

  test('nothing fits: a table of what excludes each candidate', async () => {
    const failure = await failureOf(resolveFrameworks(scene({ pythons: ['3.11'], jaxlib: '>=0.12' })));
    expect(failure).toMatchObject({ kind: 'resolution', message: 'no jaxlib fits all constraints' });
    const { detail } = failure as Extract<Failure, { kind: 'resolution' }>;
    expect(detail).toMatch(/jaxlib 0\.12\.0\.1 .*Python: it has wheels for 3\.13; wished/);
    expect(detail).toMatch(/jaxlib 0\.10\.2 .*supports\.jaxlib >=0\.12/);
  });

  test('supports.python rules out all of the Pythons', async () => {
    const failure = await failureOf(resolveFrameworks(scene({ python: '>=3.14' })));
    expect(failure).toMatchObject({ kind: 'resolution', message: 'no Python fits all constraints' });
  });

  test('a broken connection is not taken for an empty registry', async () => {
    const given = scene();
    const exec: StageContext['exec'] = () =>
      fail({
        kind: 'command',
        message: 'pip failed',
        command: 'pip',
        tail: [
          "WARNING: Retrying (Retry(total=0)) after connection broken by 'NewConnectionError: Failed to establish a new connection'",
          'ERROR: Could not find a version that satisfies the requirement jaxlib (from versions: none)',
        ],
      });
    const failure = await failureOf(resolveFrameworks({ ...given, pip: { ...given.pip, exec } }));
    expect(failure).toMatchObject({
      kind: 'network',
      message: expect.stringContaining('nothing was changed') as string,
    });
  });
});

describe('IREE', () => {
  test('nothing fits: constraint, missing sources and missing compiler are told apart', async () => {
    const iree = [
      ...COMPAT.iree,
      { ...IREE, version: '3.12.0', compiler: { package: 'iree-base-compiler', version: '3.12.0' } },
    ];
    const given = scene({ iree: '>=3.10,!=3.11.0' }, { iree });
    const failure = await failureOf(resolveIree(given, await resolveFrameworks(given)));
    const { detail } = failure as Extract<Failure, { kind: 'resolution' }>;
    expect(detail).toMatch(/IREE 3\.12\.0 .*compiler: no iree-base-compiler==3\.12\.0/);
    expect(detail).toMatch(/IREE 3\.11\.0 .*range of IREE >=3\.10/);
    expect(detail).toMatch(/IREE 3\.10\.0 .*no crate holds/);
    expect(given.warnings).toEqual(['unknown iree-base-compiler 3.13.0']);
  });

  test('a compiler that reads less than a framework can write is ruled out', async () => {
    const given = scene({}, { iree: [{ ...IREE, stablehlo: '0.8.0' }] });
    const failure = await failureOf(resolveIree(given, await resolveFrameworks(given)));
    expect((failure as Extract<Failure, { kind: 'resolution' }>).detail).toContain('writes StableHLO 0.9.0');
  });
});

describe('PJRT header', () => {
  const framework = (pjrtApi: string): Framework => ({
    python: '3.11',
    jax: '1',
    jaxlib: `of ${pjrtApi}`,
    pjrtApi,
    stablehlo: '1.0.0',
    xlaCommit: 'unknown',
  });

  test.each([
    ['0.112', ['0.112', '0.116'], '2.21.0'],
    ['0.116', ['0.116'], '2.21.0'],
    ['0.68', ['0.68', '0.116'], '2.18.0'],
  ])('primary %s with %j: %s', (primary, all, version) => {
    const { row: chosen } = chooseHeader(COMPAT.headers, framework(primary), all.map(framework));
    expect(chosen?.version).toBe(version);
  });

  test('none is old enough: each says why', () => {
    const { row: chosen, exclusions } = chooseHeader(COMPAT.headers, framework('0.50'), [framework('0.50')]);
    expect(chosen).toBeUndefined();
    expect(exclusions.map(({ by }) => by)).toEqual(Array(3).fill('jaxlib of 0.50: its own API is 0.50'));
  });

  test('only traps that are to be avoided, and that the framework sets, limit what is safe', () => {
    const traps: readonly Trap[] = COMPAT.headers.traps;
    expect(safeMinor(traps, '0.104')).toBe(Number.POSITIVE_INFINITY);
    expect(safeMinor(traps, '0.105')).toBe(104);
  });
});

test('the table is at most 80 columns wide and counts what it does not show', () => {
  const exclusions = Array.from({ length: 30 }, (_, index) => ({
    candidate: `jaxlib 0.${index}.0`,
    by: `supports.jaxlib ${'>=0.6.1,!=0.7.0,'.repeat(5)}<0.13`,
  }));
  const lines = renderExclusions(exclusions).split('\n');
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80);
  expect(lines.join('\n')).toContain('22 older ones');
});
