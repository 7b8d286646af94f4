// SPDX-License-Identifier: Apache-2.0
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { StageContext } from '../../engine/api.js';
import { fail } from '../../engine/failure.js';
import type { ObsoleteRewritesArtifact } from '../artifacts.js';
import { sha256File, treeSha256 } from '../lib/hash.js';
import { lockAndIree } from '../lib/locked-iree.js';
import {
  CONFORMANCE,
  type ConformanceOptions,
  type Installed,
  installConformance,
  runConformance,
} from '../lib/testing/conformance.js';
import { installedIdentity, KeptResults } from '../lib/testing/kept-results.js';
import { chosen, type Pass, passesOf, select, SELECT_SETTING } from './passes.js';
import { renderText, type Report, type Row } from './report.js';

type Context = StageContext<ConformanceOptions>;

/** One combination of parameters may be all that needs a rewrite. */
const PLUGIN = ['-p', 'rewrites', '--combinations=all'];

/**
 * First all conformance tests, to learn which passes change the programs of which test; then for each pass the tests
 * whose programs it changes, without it, up to the first that fails.
 */
export async function obsoleteRewrites(context: Context): Promise<ObsoleteRewritesArtifact> {
  const installed = await installConformance(context);
  const passes = select(await passesOf(context, installed.file), chosen(context.settings));
  const keep = await keeper(context, installed);
  const changed = await keep('tests of all passes', () => testsByPass(context, installed));
  const rows: Row[] = [];
  for (const [index, pass] of passes.entries()) {
    context.progress(`${index + 1} of ${passes.length}: without ${pass.name}`);
    rows.push(await keep(pass.name, () => without(context, installed, pass, changed[pass.name] ?? [])));
  }
  const report: Report = { platform: installed.wheel.platform, iree: lockAndIree(context).iree.compiler.version, rows };
  const id = context.variant.id;
  const [json, text] = [`report/obsolete-rewrites-${id}.json`, 'shown/obsolete-rewrites.txt'];
  for (const [file, content] of [
    [json, `${JSON.stringify(report, null, 2)}\n`],
    [text, renderText(report)],
  ] as const) {
    await mkdir(path.dirname(path.join(context.outDir, file)), { recursive: true });
    await writeFile(path.join(context.outDir, file), content);
  }
  return { report: json };
}

type Keep = <Result>(what: string, find: () => Promise<Result>) => Promise<Result>;

/** Takes what an earlier run found out with the same wheel, packages and tests: a run takes an hour, and may be ended. */
async function keeper(context: Context, installed: Installed): Promise<Keep> {
  const key = {
    wheel: await sha256File(installed.file),
    packages: await installedIdentity(context, installed.python),
    tests: await treeSha256(path.join(context.root, CONFORMANCE)),
    select: context.settings[SELECT_SETTING] ?? null,
  };
  await new KeptResults(context.workDir).prune();
  return async <Result>(what: string, find: () => Promise<Result>): Promise<Result> => {
    const kept = new KeptResults<Result>(context.workDir);
    const before = await kept.find({ ...key, what });
    if (before !== undefined) return before;
    const found = await find();
    await kept.keep({ ...key, what }, found);
    return found;
  };
}

async function testsByPass(context: Context, installed: Installed): Promise<Record<string, readonly string[]>> {
  const folder = path.join(context.tempDir, 'record');
  await mkdir(folder);
  context.progress('all tests, to see which passes change their programs');
  const part = context.settings[SELECT_SETTING];
  const { passed } = await runConformance(context, {
    ...installed,
    junit: path.join(folder, 'junit.xml'),
    args: [...PLUGIN, '--rewrites-record', folder, ...(part === undefined ? [] : ['-k', part])],
    env: pluginPath(context),
  });
  const found: Record<string, readonly string[]> = {};
  for (const name of (await readdir(folder)).filter((file) => file.endsWith('.jsonl'))) {
    const lines = (await readFile(path.join(folder, name), 'utf8')).trimEnd().split('\n');
    for (const { test, passes } of lines.map(
      (line) => JSON.parse(line) as { readonly test: string; readonly passes: readonly string[] },
    ))
      for (const pass of passes) found[pass] = [...(found[pass] ?? []), test];
  }
  if (Object.keys(found).length > 0) return found;
  return fail({
    kind: 'test',
    message: 'no pass changed a program of a test',
    detail: `${passed} tests passed`,
    help: 'the log of this stage has the whole output of pytest',
  });
}

async function without(context: Context, installed: Installed, pass: Pass, tests: readonly string[]): Promise<Row> {
  if (tests.length === 0) return { ...pass, verdict: 'untested', tests: 0 };
  const only = path.join(context.tempDir, `${pass.name}.json`);
  await writeFile(only, JSON.stringify(tests));
  const { failures, passed, exitCode } = await runConformance(context, {
    ...installed,
    junit: path.join(context.tempDir, `${pass.name}.xml`),
    args: [...PLUGIN, '--rewrites-only', only, '--maxfail=1', '--tb=line'],
    env: { ...pluginPath(context), IREE_PJRT_SKIP_PASSES: pass.name },
  });
  const [failure] = failures;
  if (failure !== undefined) return { ...pass, verdict: 'needed', tests: tests.length, failure };
  if (exitCode === 0 && passed > 0) return { ...pass, verdict: 'obsolete', tests: tests.length };
  return fail({
    kind: 'test',
    message: `without ${pass.name} pytest ended with exit code ${exitCode} and named no failed test`,
    detail: `${passed} of ${tests.length} tests had passed`,
    help: 'the log of this stage has its whole output',
  });
}

function pluginPath(context: Context): Record<string, string> {
  return { PYTHONPATH: path.join(context.root, 'stages', 'obsolete-rewrites', 'python') };
}
