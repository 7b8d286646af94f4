// SPDX-License-Identifier: Apache-2.0
import { existsSync } from 'node:fs';
import path from 'node:path';
import type { InputContext } from '../../engine/api.js';
import { fail } from '../../engine/failure.js';
import { openCheckout, type Checkout } from './checkout.js';

/** What schemas/stages/jax-tests.schema.json allows below `with`. */
export interface JaxTestsOptions {
  readonly requirements: readonly string[];
  readonly generatedCases: number;
  readonly testTimeoutSeconds: number;
  readonly fileTimeoutSeconds: number;
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
  /** Percent of the tests that XLA:CPU passes, by file. */
  readonly floors: Readonly<Record<string, number>>;
}

export interface TestFile {
  /** Without `.py`. */
  readonly name: string;
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

function chosenFiles({ folder }: Checkout, { floors }: Suite, wanted: string | undefined): TestFile[] {
  const names = wanted === undefined ? Object.keys(floors) : wanted.split(',').filter((name) => name !== '');
  return names.map((given) => {
    const name = given.replace(/\.py$/, '');
    const file = path.join(folder, 'tests', `${name}.py`);
    if (!existsSync(file)) {
      fail({
        kind: 'usage',
        message: `there is no tests/${name}.py in ${folder}`,
        help: `the suite has: ${Object.keys(floors).join(', ')}`,
      });
    }
    return { name, path: file, floor: floors[name] ?? 0 };
  });
}
