// SPDX-License-Identifier: Apache-2.0
/** Mistakes in files and on the command line: each has its exit code and its place, and changes nothing. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { makeCheckout, removeCheckouts, type Checkout, type Snapshot } from '../rigs/checkout.js';
import { ranIn, type PipelineResult } from '../rigs/pipeline-run.js';

const CONFIG = 'pipeline.yaml';
const LOCK = 'pipeline.lock.yaml';

let checkout: Checkout;
let before: Snapshot;
let config: string;
beforeAll(async () => {
  checkout = await makeCheckout();
  before = checkout.snapshot();
  config = checkout.read(CONFIG);
});
afterAll(removeCheckouts);
afterEach(() => {
  checkout.write(CONFIG, config);
  checkout.write(LOCK, before.lock);
});

function expectCode({ code, output }: PipelineResult, wanted: number): void {
  expect(code, output).toBe(wanted);
  expect(output).not.toMatch(/\n\s+at \S+ \(/);
  expect(output).not.toContain('bug of the pipeline');
}

/** Expects that the run ended with `code`, without a stack trace, and left everything as it was. */
function expectRefused(result: PipelineResult, code: number): void {
  expectCode(result, code);
  expect({ ...checkout.snapshot(), lock: '' }).toEqual({ ...before, lock: '' });
  expect(checkout.leftovers()).toEqual([]);
}

/** Where a text begins in a file, as `LINE:COLUMN`. */
function placeOf(file: string, text: string): string {
  const lines = checkout.read(file).split('\n');
  const line = lines.findIndex((each) => each.includes(text));
  return `${line + 1}:${(lines[line]?.indexOf(text) ?? -1) + 1}`;
}

/** The line of a constraint, whichever quotes it has. */
function constrain(name: string, range: string): void {
  const line = new RegExp(`^  ${name}: .*$`, 'm').exec(config)?.[0] ?? '';
  checkout.replace(CONFIG, line, `  ${name}: '${range}'`);
}

describe('pipeline.yaml', () => {
  test.each([
    ['a misspelt key', 'supports:', 'suports:', 'suports', "unknown key 'suports'", "did you mean 'supports'?"],
    ['a misspelt option', 'maxBytes:', 'maxByts:', 'maxByts', "unknown key 'maxByts'", "did you mean 'maxBytes'?"],
    ['a wrong type', 'maxBytes: 5000000', 'maxBytes: small', 'small', '', ''],
    [
      'an unknown stage in needs',
      'needs: [resolve-versions, fetch-sources, build-native]',
      'needs: [resolve-versions, fetch-sources, build-nativ]',
      'build-nativ]',
      'build-nativ',
      "did you mean 'build-native'?",
    ],
    [
      'an unknown room',
      'uses: pack-wheels',
      'uses: pack-weels',
      'pack-weels',
      'pack-weels',
      "did you mean 'pack-wheels'?",
    ],
  ])('%s: 3, at its place', async (_, from, to, at, message, help) => {
    checkout.replace(CONFIG, from, to);
    const result = await checkout.run(['run', 'release', '--plain']);
    expectRefused(result, 3);
    expect(result.output).toContain(`pipeline.yaml:${placeOf(CONFIG, at)}: error: `);
    expect(result.output).toContain(message);
    expect(result.output).toContain(help);
    // The line itself, and a mark below it.
    expect(result.output).toMatch(/^ *(?:> )?\d+ \|/m);
    expect(result.output).toMatch(/\^/);
  });

  test('no PEP 440 range: 3, at its place', async () => {
    constrain('jaxlib', '^0.6.1');
    const result = await checkout.run(['run', 'release', '--plain']);
    expectRefused(result, 3);
    expect(result.output).toContain(`pipeline.yaml:${placeOf(CONFIG, "'^0.6.1'")}: error: `);
  });

  test('a cycle in needs: 3, with the way round', async () => {
    checkout.replace(
      CONFIG,
      'needs: [setup-tools, resolve-versions]',
      'needs: [setup-tools, resolve-versions, smoke-test]',
    );
    const result = await checkout.run(['run', 'release', '--plain']);
    expectRefused(result, 3);
    expect(result.output).toMatch(/^pipeline\.yaml:\d+:\d+: error: the stages need each other: /m);
    expect(result.output).toMatch(/fetch-sources.*smoke-test|smoke-test.*fetch-sources/);
  });

  test('is mended: nothing has to be done', async () => {
    const result = await checkout.run(['run', 'release', '--json']);
    expectCode(result, 0);
    expect(ranIn(result)).toEqual([]);
  });
});

describe('versions and the lock', () => {
  test('an impossible set: 4, with a table of what excludes what; the lock stays', async () => {
    constrain('jaxlib', '>=0.99,<0.100');
    const result = await checkout.run(['run', 'release', '--plain']);
    expectRefused(result, 4);
    expect(checkout.read(LOCK)).toBe(before.lock);
    expect(result.output).toMatch(/error: resolve-versions: no jaxlib fits all constraints/);
    expect(result.output).toMatch(/candidate +│ excluded by/);
    expect(result.output).toMatch(/jaxlib 0\.\d+\.\d+(\.\d+)? +│ supports\.jaxlib >=0\.99,<0\.100/);
    expect(result.output).toMatch(/^ {2}try: .*supports\.jaxlib/m);
  });

  test('an IREE that nothing provides: 4', async () => {
    constrain('iree', '>=99');
    const result = await checkout.run(['run', 'release', '--plain']);
    expectRefused(result, 4);
    expect(checkout.read(LOCK)).toBe(before.lock);
    expect(result.output).toContain('range of IREE >=99');
  });

  test.each([
    ['edited by hand', (lock: string) => lock.replace(/jaxlib: (\d+)\.\d+\.\d+/, 'jaxlib: $1.6.99')],
    ['cut off', (lock: string) => lock.slice(0, lock.length / 2)],
    ['no YAML', () => '{{{'],
  ])('a lock that is %s: 5, and it is not overwritten', async (_, edit) => {
    const edited = edit(before.lock);
    expect(edited).not.toBe(before.lock);
    checkout.write(LOCK, edited);
    const result = await checkout.run(['run', 'release', '--plain']);
    expectRefused(result, 5);
    expect(result.output).toContain('error: resolve-versions: pipeline.lock.yaml was edited or is broken');
    expect(result.output).toMatch(/^ {2}try: restore it with `git checkout pipeline\.lock\.yaml`/m);
    expect(checkout.read(LOCK)).toBe(edited);
  });

  test('changed constraints under --locked: 5, with what would change', async () => {
    constrain('jaxlib', '>=0.6.1,<0.9');
    const result = await checkout.run(['run', 'release', '--locked', '--plain']);
    expectRefused(result, 5);
    expect(result.output).toContain('--locked forbids to renew it');
    expect(result.output).toMatch(/~ framework\.jaxlib: \S+ -> 0\.8\.\d+/);
    expect(checkout.read(LOCK)).toBe(before.lock);
  });

  test('no lock under --locked: 5', async () => {
    checkout.delete(LOCK);
    const result = await checkout.run(['run', 'release', '--locked', '--plain']);
    expectCode(result, 5);
    expect(result.output).toContain('--locked, but there is no pipeline.lock.yaml');
    expect(checkout.exists(LOCK)).toBe(false);
  });

  test('the right lock under --locked: nothing to do', async () => {
    const result = await checkout.run(['run', 'release', '--locked', '--plain']);
    expectRefused(result, 0);
    expect(result.output).toContain('Nothing to do');
  });
});

describe('the command line', () => {
  test.each([
    [['run', 'relase'], "there is no pipeline 'relase'", "did you mean 'release'?"],
    [['run', '--jbos', '2'], "unknown option '--jbos'", 'Did you mean --jobs?'],
    [['rnu'], "unknown command 'rnu'", 'Did you mean run?'],
    [['run', '--only', 'pack-weels'], "there is no stage 'pack-weels'", "did you mean 'pack-wheels'?"],
    [['run', '--variant', 'gpu'], "'gpu'", 'cpu-release'],
  ])('%j: 2, with the nearest word', async (argv, message, help) => {
    const result = await checkout.run(argv);
    expectRefused(result, 2);
    expect(result.stdout).toBe('');
    expect(result.stderr).toContain(message);
    expect(result.stderr).toContain(help);
  });

  test('no pipeline.yaml anywhere: 2', async () => {
    const result = await checkout.run(['-C', '/', 'run']);
    expectRefused(result, 2);
    expect(result.stderr).toMatch(/^error: there is no \S*pipeline\.yaml$/m);
  });
});
