// SPDX-License-Identifier: Apache-2.0
import fs from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { StageContext } from '../../engine/api.js';
import { fail } from '../../engine/failure.js';
import { EngineRig, writing, type RunRecord, type TestStage } from '../rigs/engine-rig.js';

let rig: EngineRig;
beforeEach(() => (rig = new EngineRig()));
afterEach(() => {
  rig.remove();
});

const hits = (run: RunRecord): string[] =>
  run.events.flatMap((event) => (event.type === 'node-hit' ? [`${event.node} ${event.source}`] : []));
const warnings = (run: RunRecord): string[] =>
  run.events.flatMap((event) => (event.type === 'node-warning' ? [event.text] : []));

describe('early cutoff', () => {
  it('does not run what follows if the result of a stage that ran is the same', async () => {
    rig.write('in.txt', 'one two');
    const stages = {
      words: writing(
        'n',
        (context) => String(fs.readFileSync(path.join(context.root, 'in.txt'), 'utf8').split(' ').length),
        { files: ['in.txt'] },
      ),
      after: writing('a', 'a', { needs: ['words'] }),
    };
    await rig.run(stages);
    rig.write('in.txt', 'three four');
    expect((await rig.run(stages)).started).toEqual(['words']);
    rig.write('in.txt', 'one two three');
    expect((await rig.run(stages)).started).toEqual(['words', 'after']);
  });
});

it('a stage reads the same value, in the same order of keys, whether it was made now or before', async () => {
  const read: string[] = [];
  const stages = {
    facts: { run: () => ({ zebra: 1, ape: { b: 2, a: 1 } }) },
    reader: {
      needs: ['facts'],
      run: (context: StageContext) => {
        read.push(JSON.stringify(context.artifact('facts').value));
        return null;
      },
    },
  };
  await rig.run(stages);
  await rig.run(stages, { force: new Set(['reader']) });
  expect(read).toHaveLength(2);
  expect(read[0]).toBe(read[1]);
});

describe('a damaged or missing result', () => {
  const stages = { a: writing('deep/a.txt', 'good'), b: writing('b', 'b', { needs: ['a'] }) };
  const file = (): string => {
    const name = rig.list('.pipeline/out/a').find((entry) => entry.endsWith('a.txt')) ?? '';
    return path.join(rig.stateDir, 'out/a', name);
  };
  beforeEach(() => rig.run(stages));

  it.each<[string, () => void]>([
    [
      'changed',
      () => {
        fs.writeFileSync(file(), 'evil');
      },
    ],
    [
      'removed',
      () => {
        fs.rmSync(file());
      },
    ],
    [
      'made executable',
      () => {
        fs.chmodSync(file(), 0o755);
      },
    ],
    [
      'without its record',
      () => {
        rig
          .list('.pipeline/out/a')
          .filter((name) => name.endsWith('artifact.json'))
          .forEach((name) => {
            fs.rmSync(path.join(rig.stateDir, 'out/a', name));
          });
      },
    ],
    [
      'removed as a whole',
      () => {
        fs.rmSync(path.join(rig.stateDir, 'out'), { recursive: true });
      },
    ],
  ])('is restored from the cache when %s', async (_, damage) => {
    damage();
    const run = await rig.run(stages);
    expect(run).toMatchObject({ ok: true, ran: 0 });
    expect(hits(run)).toContain('a local-cache');
    expect(fs.readFileSync(file(), 'utf8')).toBe('good');
    expect((await rig.run(stages)).events.filter((event) => event.type === 'node-hit')).toHaveLength(2);
  });

  it('is made again, with a warning, when the cache is damaged too', async () => {
    fs.rmSync(path.join(rig.stateDir, 'out'), { recursive: true });
    for (const name of rig.list('.pipeline/cache')) {
      const blob = path.join(rig.stateDir, 'cache', name);
      if (name.startsWith('content-') && fs.statSync(blob).isFile()) fs.writeFileSync(blob, 'rubbish');
    }
    const run = await rig.run(stages);
    expect(run).toMatchObject({ ok: true, ran: 2 });
    expect(warnings(run)[0]).toContain('damaged');
    expect(fs.readFileSync(file(), 'utf8')).toBe('good');
  });
});

describe('publication', () => {
  const publishing = (name: string): TestStage =>
    writing(`wheels/${name}`, name, { options: { name }, publish: [{ from: 'wheels/*.whl', to: 'dist' }] });

  it('copies what the glob finds, and restores it without running the stage', async () => {
    const stages = { a: publishing('x-1.whl') };
    await rig.run(stages);
    expect(rig.list('dist')).toEqual(['x-1.whl']);
    fs.rmSync(path.join(rig.root, 'dist'), { recursive: true });
    expect((await rig.run(stages)).hits).toBe(1);
    expect(rig.read('dist/x-1.whl')).toBe('x-1.whl');
    rig.write('dist/x-1.whl', 'broken!');
    await rig.run(stages);
    expect(rig.read('dist/x-1.whl')).toBe('x-1.whl');
  });

  it('removes what an older result published, and nothing that it did not', async () => {
    await rig.run({ a: publishing('x-1.whl') });
    rig.write('dist/mine.whl', 'mine');
    await rig.run({ a: publishing('x-2.whl') });
    expect(rig.list('dist')).toEqual(['mine.whl', 'x-2.whl']);
    await rig.run({ a: publishing('x-1.whl') });
    expect(rig.list('dist')).toEqual(['mine.whl', 'x-1.whl']);
    rig.write('dist/x-1.whl', 'replaced by the user');
    await rig.run({ a: publishing('x-3.whl') });
    expect(rig.list('dist')).toEqual(['mine.whl', 'x-1.whl', 'x-3.whl']);
  });

  it('does not touch a file that has the right bytes', async () => {
    const stages = { a: publishing('x.whl') };
    await rig.run(stages);
    fs.utimesSync(path.join(rig.root, 'dist/x.whl'), new Date(1e12), new Date(1e12));
    await rig.run(stages);
    expect(fs.statSync(path.join(rig.root, 'dist/x.whl')).mtimeMs).toBe(1e12);
  });

  it('does not happen when the stage fails', async () => {
    await rig.run({ a: publishing('x.whl') });
    await rig.run({ a: { ...publishing('y.whl'), run: () => fail({ kind: 'test', message: '', detail: '' }) } });
    expect(rig.list('dist')).toEqual(['x.whl']);
  });
});

describe('inputs that change while a stage runs', () => {
  it('that it settles: the result belongs to the new key', async () => {
    rig.write('lock', 'old');
    const stage: TestStage = {
      files: ['lock', 'in'],
      settles: ['lock'],
      publish: [{ from: 'lock', to: '.' }],
      run: (context) => {
        fs.writeFileSync(path.join(context.outDir, 'lock'), 'new');
      },
    };
    await rig.run({ a: stage });
    expect(rig.read('lock')).toBe('new');
    expect((await rig.run({ a: stage })).hits).toBe(1);
    rig.write('lock', 'edited');
    expect((await rig.run({ a: stage })).ran).toBe(1);
  });

  it('that it does not: the result is used once and not kept', async () => {
    rig.write('in', 'old');
    const stages = { a: { ...writing('o', 'o'), files: ['in'] }, b: { needs: ['a'] } };
    const run = await rig.run({
      ...stages,
      a: { ...stages.a, run: (context) => (rig.write('in', 'changed'), stages.a.run?.(context)) },
    });
    expect(run.ok).toBe(true);
    expect(warnings(run)[0]).toContain('file in changed');
    expect((await rig.run(stages)).started).toEqual(['a']);
  });
});

describe('a part of a result', () => {
  const stages = (versions: Readonly<Record<string, string>>, seen: unknown[] = []): Record<string, TestStage> => ({
    versions: { inputs: { values: versions }, run: () => versions },
    library: {
      needs: ['versions'],
      reads: { versions: ({ iree }: { readonly iree: string }) => ({ iree }) },
      run: (context) => {
        const { value, dir } = context.artifact('versions');
        seen.push(value, dir);
      },
    },
  });

  it('is all that a stage sees, and all that is in its key', async () => {
    const seen: unknown[] = [];
    await rig.run(stages({ iree: '3.13', jaxlib: '0.12' }, seen));
    expect(seen).toEqual([{ iree: '3.13' }, '']);
    expect((await rig.run(stages({ iree: '3.13', jaxlib: '0.13' }))).started).toEqual(['versions']);
    expect((await rig.run(stages({ iree: '3.14', jaxlib: '0.13' }))).started).toEqual(['versions', 'library']);
  });
});
