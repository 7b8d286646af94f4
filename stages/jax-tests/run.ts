// SPDX-License-Identifier: Apache-2.0
import { readFile, writeFile, mkdir } from 'node:fs/promises';
import path from 'node:path';
import type { JsonObject, StageContext } from '../../engine/api.js';
import { fail } from '../../engine/failure.js';
import type { JaxTestsArtifact, Wheel, WheelsArtifact } from '../artifacts.js';
import { channelArgs, channelOf } from '../lib/channels.js';
import { frameworksOf, targetsOf, type Target } from '../lib/frameworks.js';
import { sha256, sha256File } from '../lib/hash.js';
import { hashesOf, localFrameworkOf, usedBuilds } from '../lib/local/builds.js';
import { packagesFor } from '../lib/local/install.js';
import { lockAndIree } from '../lib/locked-iree.js';
import { releaseOf } from '../lib/release-of.js';
import { installedIdentity, KeptResults } from '../lib/testing/kept-results.js';
import { installWheel } from '../lib/testing/wheel-env.js';
import { makeUvEnvironment, pinned } from '../lib/uv-env.js';
import { FileRun, type FileResult, type Place } from './file-run.js';
import { labelOf } from './label.js';
import { renderMarkdown, renderText } from './render.js';
import { makeReport, outcomesOf, type FilePair } from './report.js';
import { requestOf, type JaxTestsOptions, type JaxTestsRequest, type TestFile } from './request.js';

type Context = StageContext<JaxTestsOptions>;

/** JAX's own test files on XLA:CPU first, then on the wheel; the report says what the wheel passes of what XLA:CPU does. */
export async function jaxTests(context: Context): Promise<JaxTestsArtifact> {
  const request = await requestOf(context);
  const wheels = context.artifact<WheelsArtifact>('pack-wheels');
  const [wheel] = wheels.value.wheels;
  if (!wheel) throw new Error('pack-wheels made no wheel');
  const target = await targetFor(context, request);
  const places = await makePlaces(context, target, wheel, path.join(wheels.dir, wheel.file));
  const pairs = await new Measure(context, request, places).run();
  const { framework, python } = target;
  const report = makeReport(
    {
      tests: request.checkout.version,
      jax: framework.jax,
      jaxlib: framework.jaxlib,
      python: python.version,
      wheel: wheel.file,
      sha256: wheel.sha256,
      platform: wheel.platform,
      iree: releaseOf(lockAndIree(context).iree.runtime.version),
      generatedCases: context.options.generatedCases,
      select: request.select ?? null,
    },
    pairs,
  );
  const write = async (file: string, text: string): Promise<string> => {
    await mkdir(path.join(context.outDir, path.dirname(file)), { recursive: true });
    await writeFile(path.join(context.outDir, file), text);
    return file;
  };
  const name = `report/jax-tests-${context.variant.id}`;
  await write(`${name}.md`, renderMarkdown(report));
  await write('shown/jax-tests.txt', renderText(report, `dist/${name}.md`));
  const outcomes = Object.fromEntries(pairs.map((pair) => [pair.file, outcomesOf(pair)]));
  return {
    tests: request.checkout.version,
    report: await write(`${name}.json`, `${JSON.stringify(report, null, 2)}\n`),
    outcomes: await write('outcomes.json', JSON.stringify(outcomes)),
    iree: report.iree,
  };
}

/** The Python of the suite with the JAX that there is for it. */
async function targetFor(context: Context, { suite, checkout }: JaxTestsRequest): Promise<Target> {
  const given = (await frameworksOf(context)).find(({ python }) => python === suite.python);
  const wanted = suite.jax ?? suite.tests;
  if (given?.jax !== wanted) {
    const own = await localFrameworkOf(context);
    fail({
      kind: 'usage',
      message: `the tests of JAX ${checkout.version} are to run under JAX ${wanted} on Python ${suite.python}, but ${own ? 'the build of your own' : 'the lock'} has JAX ${given?.jax ?? 'for other Pythons only'}`,
      help: 'give the suite in pipeline.yaml (stage jax-tests) that version as `jax`, or use the tests of that JAX',
    });
  }
  const target = (await targetsOf(context)).find(({ framework }) => framework.python === suite.python);
  if (target) return target;
  return fail({
    kind: 'tool-missing',
    message: `the tests of JAX ${checkout.version} need Python ${suite.python}, which was not found`,
    help: `install it, or name its path: PIPELINE_PYTHONS=/path/python${suite.python}`,
  });
}

/** Where files are run: the reference sees nothing of the wheel. */
interface Places {
  readonly reference: Place & { readonly identity: JsonObject };
  readonly ours: Place & { readonly identity: JsonObject };
}

async function makePlaces(context: Context, target: Target, wheel: Wheel, file: string): Promise<Places> {
  const local = await usedBuilds(context);
  const { jax, jaxlib, python: minor } = target.framework;
  const { requirements } = context.options;
  context.progress(`install JAX ${jax} on Python ${target.python.version}`);
  const framework = await packagesFor(context, local, minor, pinned({ jax, jaxlib }));
  const reference = await makeUvEnvironment(context, {
    folder: path.join(context.tempDir, 'reference'),
    python: target.python.path,
    requirements: [...framework.requirements, ...requirements],
    installArgs: channelArgs(channelOf(context), 'uv'),
  });
  const ours = await installWheel(context, {
    folder: path.join(context.tempDir, 'ours'),
    wheel: file,
    target,
    requirements,
  });
  // The next build of the developer's own may have the same version.
  const own: JsonObject = { ...(await hashesOf(local)) };
  return {
    reference: {
      platform: 'cpu',
      python: reference.python,
      identity: { packages: await installedIdentity(context, reference.python), ...own },
    },
    ours: {
      platform: wheel.platform,
      python: ours.python,
      identity: { packages: await installedIdentity(context, ours.python), wheel: wheel.sha256, ...own },
    },
  };
}

class Measure {
  readonly #context: Context;
  readonly #request: JaxTestsRequest;
  readonly #places: Places;
  readonly #results: KeptResults<FileResult>;
  readonly #started = Date.now();

  constructor(context: Context, request: JaxTestsRequest, places: Places) {
    this.#context = context;
    this.#request = request;
    this.#places = places;
    this.#results = new KeptResults(context.workDir);
  }

  async run(): Promise<FilePair[]> {
    await this.#results.prune();
    const recorder = await sha256File(path.join(this.#context.root, 'stages', 'jax-tests', 'python', 'recorder.py'));
    const { files } = this.#request;
    const pairs: FilePair[] = [];
    for (const [index, file] of files.entries()) {
      const place = `${labelOf(file)} (${index + 1} of ${files.length})`;
      const reference = await this.#result(file, this.#places.reference, recorder, `${place} on XLA:CPU`);
      if (reference.unreadable !== undefined) {
        fail({
          kind: 'test',
          message: `tests/${file.name}.py cannot be run, not even on XLA:CPU`,
          detail: reference.unreadable,
          help: 'perhaps a package is missing: add it to `requirements` of the stage jax-tests in pipeline.yaml',
        });
      }
      const ours = await this.#result(file, this.#places.ours, recorder, `${place} on ${this.#places.ours.platform}`);
      pairs.push({ file: labelOf(file), devices: file.devices, floor: file.floor, reference, ours });
    }
    return pairs;
  }

  async #result(file: TestFile, place: Places['ours'], recorder: string, name: string): Promise<FileResult> {
    const { generatedCases, testTimeoutSeconds, silenceSeconds } = this.#context.options;
    const key = {
      ...place.identity,
      platform: place.platform,
      tests: this.#request.checkout.version,
      file: sha256(await readFile(file.path)),
      name: file.name,
      devices: file.devices,
      select: this.#request.select ?? null,
      limits: [generatedCases, testTimeoutSeconds, silenceSeconds],
      recorder,
    };
    const kept = this.#request.fresh ? undefined : await this.#results.find(key);
    // A file may have been unreadable for a reason that is not in the key: it is tried again.
    if (kept && kept.unreadable === undefined) {
      this.#context.log(`${name}: unchanged`);
      return kept;
    }
    const say = (text: string): void => {
      this.#context.progress(`${name}: ${text}; ${minutes(Date.now() - this.#started)} so far`);
    };
    say('start');
    const result = await new FileRun(this.#context, this.#request, place, file, say).run();
    await this.#results.keep(key, result);
    const ends = Object.values(result.tests);
    const count = (wanted: string): number => ends.filter(({ outcome }) => outcome === wanted).length;
    this.#context.log(
      `${name}: ${count('passed')} passed, ${count('failed')} failed, ${count('skipped')} skipped in ${result.seconds} s`,
    );
    return result;
  }
}

function minutes(ms: number): string {
  const whole = Math.floor(ms / 60_000);
  return whole < 60 ? `${whole} min` : `${Math.floor(whole / 60)} h ${whole % 60} min`;
}
