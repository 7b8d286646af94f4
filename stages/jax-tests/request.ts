// SPDX-License-Identifier: Apache-2.0
import { existsSync } from 'node:fs';
import path from 'node:path';
import type { InputContext } from '../../engine/api.js';
import { fail } from '../../engine/failure.js';
import { openCheckout, type Checkout } from './checkout.js';
import { labelOf, MAX_DEVICES, parseLabel, type NamedFile } from './label.js';

/** What schemas/stages/jax-tests.schema.json allows below `with`. */
export interface JaxTestsOptions {
  readonly requirements: readonly string[];
  readonly generatedCases: number;
  readonly testTimeoutSeconds: number;
  readonly silenceSeconds: number;
  readonly suites: readonly Suite[];
  readonly channel?: string;
}

/** Which test files are run under which Python and JAX. */
export interface Suite {
  /** Version of JAX whose tests these are: tag `jax-v…`. */
  readonly tests: string;
  /** `major.minor`. */
  readonly python: string;
  /** Version of the JAX that they are run under; that of the tests if left out. */
  readonly jax?: string;
  /** Files that are run on one device. */
  readonly floors: Floors;
  /** Files that are run on several. */
  readonly multiDevice?: { readonly devices: number; readonly floors: Floors };
}

/** Percent of the tests that XLA:CPU passes, by file. */
type Floors = Readonly<Record<string, number>>;

export interface TestFile extends NamedFile {
  readonly path: string;
  readonly floor: number;
}

export interface JaxTestsRequest {
  readonly checkout: Checkout;
  readonly suite: Suite;
  readonly files: readonly TestFile[];
  /** pytest's `-k`: a part of each file. */
  readonly select?: string;
  /** Results of earlier runs are not used. */
  readonly fresh: boolean;
}

/** `--jax-tests DIR` and `--set jax-tests.…` of the command line, checked. */
export async function requestOf(
  context: Pick<InputContext<JaxTestsOptions>, 'settings' | 'options'>,
): Promise<JaxTestsRequest> {
  const { settings, options } = context;
  const folder = settings['jax-tests'];
  if (folder === undefined) {
    fail({
      kind: 'usage',
      message: "JAX's own tests are not in this repository",
      help: "say where they are: --jax-tests DIR, a checkout of JAX's repository",
    });
  }
  const checkout = await openCheckout(folder);
  const suite = options.suites.find(({ tests }) => tests === checkout.version);
  if (!suite) {
    const known = options.suites.map(({ tests, python }) => `${tests} (Python ${python})`).join(', ');
    fail({
      kind: 'usage',
      message: `${folder} holds the tests of JAX ${checkout.version}, for which pipeline.yaml has no suite`,
      help: `check out the tag jax-v… of one of these: ${known}`,
    });
  }
  const select = settings['jax-tests.select'];
  return {
    checkout,
    suite,
    files: chosenFiles(checkout, suite, settings['jax-tests.files']),
    ...(select === undefined ? {} : { select }),
    fresh: settings['jax-tests.fresh'] === '1',
  };
}

function chosenFiles({ folder }: Checkout, suite: Suite, wanted: string | undefined): TestFile[] {
  const floors = floorsByLabel(suite);
  const labels = wanted === undefined ? [...floors.keys()] : wanted.split(',').filter((label) => label !== '');
  return labels.map((label) => {
    const file = parseLabel(label);
    if (file === undefined) {
      fail({ kind: 'usage', message: `${label}: a file is run on 1 to ${MAX_DEVICES} devices` });
    }
    const whole = path.join(folder, 'tests', `${file.name}.py`);
    if (!existsSync(whole)) {
      fail({
        kind: 'usage',
        message: `there is no tests/${file.name}.py in ${folder}`,
        help: `the suite has: ${[...floors.keys()].join(', ')}; FILE@8 runs a file on 8 devices`,
      });
    }
    return { ...file, path: whole, floor: floors.get(labelOf(file)) ?? 0 };
  });
}

function floorsByLabel({ floors, multiDevice }: Suite): Map<string, number> {
  const entries = (devices: number, some: Floors): [string, number][] =>
    Object.entries(some).map(([name, floor]) => [labelOf({ name, devices }), floor]);
  return new Map([
    ...entries(1, floors),
    ...(multiDevice === undefined ? [] : entries(multiDevice.devices, multiDevice.floors)),
  ]);
}
