// SPDX-License-Identifier: Apache-2.0
/** A release that is done already: run again, restored, packed again elsewhere. */
import fs from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  makeCheckout,
  removeCheckouts,
  sha256,
  type Checkout,
  type CheckoutOptions,
  type Snapshot,
} from '../rigs/checkout.js';
import type { WheelsReport } from '../../stages/artifacts.js';
import { checkAgainst } from '../../stages/lib/schema/check.js';
import { linesOf, ranIn } from '../rigs/pipeline-run.js';

afterAll(removeCheckouts);

describe('a release that is done', () => {
  let checkout: Checkout;
  let before: Snapshot;
  beforeAll(async () => {
    checkout = await makeCheckout();
    before = checkout.snapshot();
  });

  test('has a wheel and the report of its smoke test in dist', () => {
    const files = Object.keys(before.dist);
    expect(files.filter((file) => file.endsWith('.whl'))).toHaveLength(1);
    expect(files.filter((file) => /\/smoke-cpu-release-py3\.\d+\.xml$/.test(file)).length).toBeGreaterThan(0);
    expect(files.filter((file) => /\/smoke-cpu-release-py3\.\d+\.json$/.test(file)).length).toBeGreaterThan(0);
  });

  test('says what the wheel holds and where it was run', async () => {
    const report = JSON.parse(checkout.read('dist/report/wheels.json')) as WheelsReport;
    expect(await checkAgainst('wheels-report', report)).toEqual([]);
    const [row] = report.wheels;
    expect(report.wheels).toHaveLength(1);
    expect(row).toMatchObject({
      variant: 'cpu-release',
      library: { hardening: { relro: true, nx: true, stackProtector: true, fortify: true } },
    });
    expect(row?.sha256).toBe(sha256(fs.readFileSync(checkout.path(`dist/${row?.file ?? ''}`))));
    expect(row?.runs.length).toBeGreaterThan(0);
    expect(checkout.read('dist/report/wheels.txt')).toContain('cpu-release  ');
  });

  test('run again runs no stage and says so', async () => {
    // The first run of a copy reads every file once; from then on their times are enough.
    const first = await checkout.run(['run', 'release', '--json']);
    expect(first.code, first.output).toBe(0);
    expect(ranIn(first)).toEqual([]);
    const again = await checkout.run(['run', 'release', '--plain']);
    expect(again.code, again.output).toBe(0);
    expect(again.stdout).toMatch(/^Nothing to do: 9 stages unchanged \(\d+\.\d s\)$/m);
    expect(again.stdout).not.toContain('start ');
    expect(again.stderr).toBe('');
    expect(checkout.snapshot()).toEqual(before);
    expect(checkout.leftovers()).toEqual([]);
  });

  test('puts a deleted dist back without running a stage', async () => {
    checkout.delete('dist');
    const result = await checkout.run(['run', 'release', '--json']);
    expect(result.code, result.output).toBe(0);
    expect(ranIn(result)).toEqual([]);
    const wanted = Object.entries(before.dist).filter(([file]) => /\.whl$|\/smoke-|\/wheels\./.test(file));
    expect(checkout.snapshot().dist).toEqual(Object.fromEntries(wanted));
  });

  test('replaces a damaged wheel in dist, and leaves alone what it did not put there', async () => {
    const wheel = Object.keys(before.dist).find((file) => file.endsWith('.whl')) ?? '';
    checkout.write(wheel, 'not a wheel');
    checkout.write('dist/mine.txt', 'mine');
    const result = await checkout.run(['run', 'release', '--json']);
    expect(result.code, result.output).toBe(0);
    expect(ranIn(result)).toEqual([]);
    const after = checkout.snapshot().dist;
    expect(after[wheel]).toBe(before.dist[wheel]);
    expect(after['dist/mine.txt']).toBe(sha256('mine'));
    checkout.delete('dist/mine.txt');
  });

  test('restores removed results from the cache without running a stage', async () => {
    const nodes = ['build-native@cpu-release', 'pack-wheels@cpu-release', 'smoke-test@cpu-release'];
    for (const node of nodes) checkout.delete(`.pipeline/out/${node}`);
    checkout.delete('dist');
    const result = await checkout.run(['run', 'release', '--plain']);
    expect(result.code, result.output).toBe(0);
    expect(result.stdout).toContain('ok       build-native[cpu-release]  (from the cache)');
    expect(result.stdout).toMatch(/^Done: 3 restored from the cache, 6 unchanged/m);
    expect(checkout.leftovers()).toEqual([]);
  });
});

test('packed in two checkouts under different umasks, the wheels are the same bytes', async () => {
  const pack = async (umask: string): Promise<{ sha256: string; lines: readonly string[] }> => {
    const options: CheckoutOptions = { umask: Number.parseInt(umask, 8) };
    const checkout = await makeCheckout(options);
    const [only, nodes] = ['render-packages,pack-wheels', ['render-packages[cpu-release]', 'pack-wheels[cpu-release]']];
    const result = await checkout.run(['run', 'release', '--force', '--only', only, '--json'], { umask });
    expect(result.code, result.output).toBe(0);
    expect(ranIn(result)).toEqual(nodes);
    expect(checkout.leftovers()).toEqual([]);
    const files = checkout.resultFiles('pack-wheels@cpu-release');
    const [wheel = ''] = fs.readdirSync(files);
    return {
      sha256: sha256(fs.readFileSync(`${files}/${wheel}`)),
      lines: linesOf(result, 'pack-wheels[cpu-release]'),
    };
  };
  const [open, closed] = [await pack('0002'), await pack('0077')];
  expect(closed.sha256).toBe(open.sha256);
  // The field's checkers had their say on both.
  for (const { lines } of [open, closed]) {
    expect(lines.join('\n')).toMatch(/PASSED/);
    expect(lines.join('\n')).toMatch(/\.whl: OK/);
    expect(lines.join('\n')).toMatch(/consistent with the following platform tag/);
  }
});
