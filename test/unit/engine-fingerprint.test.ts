// SPDX-License-Identifier: Apache-2.0
import fs from 'node:fs';
import path from 'node:path';
import { globSync } from 'tinyglobby';
import ts from 'typescript';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FileHashes } from '../../engine/cache/file-hashes.js';
import { canonicalJson, sha256 } from '../../engine/base/canonical-json.js';
import { diffRecords, keyOf, type FingerprintRecord } from '../../engine/results/fingerprint.js';
import { codeByFolder, relativeImports } from '../../engine/results/stage-code.js';
import { EngineRig } from '../rigs/engine-rig.js';

const RECORD: FingerprintRecord = {
  format: 1,
  uses: 'build',
  version: 1,
  code: { 'stages/build/run.ts': 'c1' },
  options: { flags: ['-O2', '-g'], level: 2 },
  variant: { device: 'cpu' },
  files: { 'native/src/x.cc': 'f1', 'native/src/y.cc': 'f2' },
  values: { project: { version: '1.0' } },
  upstream: { fetch: 'd1' },
  tools: { cargo: '1.80' },
  env: { CC: null },
};

describe('canonicalJson', () => {
  it('does not depend on the order of keys, and leaves undefined out', () => {
    expect(canonicalJson({ b: 1, a: [undefined, { d: undefined, c: 'x' }] })).toBe('{"a":[null,{"c":"x"}],"b":1}');
  });

  it('sorts by code unit, not by locale', () => {
    expect(canonicalJson({ ä: 1, Z: 2, a: 3, _: 4 })).toBe('{"Z":2,"_":4,"a":3,"ä":1}');
  });
});

describe('a key', () => {
  const changed: Record<string, Partial<FingerprintRecord>> = {
    'cache format changed from 1 to 2': { format: 2 },
    'stage definition changed from build to make': { uses: 'make' },
    'version of the stage build changed from 1 to 2': { version: 2 },
    'stage source stages/build/run.ts changed': { code: { 'stages/build/run.ts': 'c2' } },
    'option flags[1] changed from "-g" to "-g0"': { options: { flags: ['-O2', '-g0'], level: 2 } },
    'option level removed': { options: { flags: ['-O2', '-g'] } },
    'axis device changed from cpu to cuda': { variant: { device: 'cuda' } },
    'file native/src/x.cc changed': { files: { 'native/src/x.cc': 'f9', 'native/src/y.cc': 'f2' } },
    'file native/src/y.cc removed': { files: { 'native/src/x.cc': 'f1' } },
    'file native/src/z.cc added': { files: { ...RECORD.files, 'native/src/z.cc': 'f3' } },
    'value project.version changed from "1.0" to "1.1"': { values: { project: { version: '1.1' } } },
    'result of fetch changed': { upstream: { fetch: 'd2' } },
    'tool cargo changed from 1.80 to 1.81': { tools: { cargo: '1.81' } },
    'environment variable CC changed from (unset) to clang': { env: { CC: 'clang' } },
  };
  it.each(Object.entries(changed))('changes, and is explained: %s', (words, change) => {
    const after = { ...RECORD, ...change };
    expect(keyOf(after)).not.toBe(keyOf(RECORD));
    expect(diffRecords(RECORD, after)).toEqual([words]);
  });

  it('does not change with the order of fields', () => {
    const reversed = Object.fromEntries(Object.entries(RECORD).reverse()) as unknown as FingerprintRecord;
    expect(keyOf(reversed)).toBe(keyOf(RECORD));
    expect(diffRecords(RECORD, reversed)).toEqual([]);
  });

  it('says when there is nothing to compare with', () => {
    expect(diffRecords(undefined, RECORD)).toEqual(['there is no earlier result']);
  });
});

describe('file hashes', () => {
  let rig: EngineRig;
  beforeEach(() => (rig = new EngineRig()));
  afterEach(() => {
    rig.remove();
  });
  const old = (file: string): void => {
    fs.utimesSync(file, new Date(1e12), new Date(1e12));
  };
  /** Long after now, so that times just set count as settled. */
  const later = (): number => Date.now() + 60_000;

  it('are remembered while size and times stay', async () => {
    const file = rig.write('a.txt', 'one');
    old(file);
    const first = new FileHashes(rig.stateDir, later);
    expect(await first.of(file)).toBe(sha256('one'));
    await first.save();
    const stored = rig.read('.pipeline/file-hashes.json').replace(sha256('one'), 'remembered');
    rig.write('.pipeline/file-hashes.json', stored);
    expect(await new FileHashes(rig.stateDir).of(file)).toBe('remembered');
  });

  it('notice a change of the same size, even if the modification time was set back', async () => {
    const file = rig.write('a.txt', 'one');
    old(file);
    const first = new FileHashes(rig.stateDir, later);
    await first.of(file);
    await first.save();
    fs.writeFileSync(file, 'two');
    old(file);
    expect(await new FileHashes(rig.stateDir).of(file)).toBe(sha256('two'));
  });

  it('of files written a moment ago are not remembered (their time may hide the next write)', async () => {
    const file = rig.write('a.txt', 'one');
    const hashes = new FileHashes(rig.stateDir);
    await hashes.of(file);
    await hashes.save();
    expect(rig.exists('.pipeline/file-hashes.json')).toBe(false);
  });

  it('survive a damaged memory, a missing file and a folder', async () => {
    rig.write('.pipeline/file-hashes.json', '{"format":1,"files":{"x":');
    const hashes = new FileHashes(rig.stateDir);
    expect(await hashes.of(path.join(rig.root, 'nowhere'))).toBeUndefined();
    expect(await hashes.of(rig.root)).toBeUndefined();
  });
});

describe('codeByFolder', () => {
  it('lists the files of a stage and what they import from beside it, without the ignored', () => {
    const rig = new EngineRig();
    rig.write(
      'stages/build/run.ts',
      "import { a } from '../lib/a.js';\nimport type { T } from '../lib/types.js';\nimport '../../engine/api.js';",
    );
    rig.write('stages/build/README.md', '');
    rig.write('stages/lib/a.ts', "export const b = async () => await import('./b.js');");
    rig.write('stages/lib/b.ts', "import { a } from './a.js';");
    rig.write('stages/lib/types.ts', '');
    rig.write('stages/lib/unused.ts', '');
    rig.write('engine/api.ts', '');
    const code = codeByFolder({ root: rig.root, folder: 'stages', ignore: (file) => file.endsWith('.md') });
    const files = code.files({ name: 'build' } as Parameters<typeof code.files>[0]);
    expect(files.map((file) => path.relative(rig.root, file))).toEqual([
      'stages/build/run.ts',
      'stages/lib/a.ts',
      'stages/lib/b.ts',
    ]);
    rig.remove();
  });

  it('sees the imports that the compiler sees, in every stage', () => {
    const root = path.join(import.meta.dirname, '../../stages');
    const files = globSync('**/*.ts', { cwd: root });
    expect(files.length).toBeGreaterThan(50);
    for (const file of files) {
      const text = fs.readFileSync(path.join(root, file), 'utf8');
      const { outputText } = ts.transpileModule(text, {
        compilerOptions: { module: ts.ModuleKind.ESNext, verbatimModuleSyntax: true },
      });
      const seen = ts
        .preProcessFile(outputText, true, true)
        .importedFiles.map(({ fileName }) => fileName)
        .filter((name) => name.startsWith('.'));
      expect([...new Set(relativeImports(text))].sort(), file).toEqual([...new Set(seen)].sort());
    }
  });
});
