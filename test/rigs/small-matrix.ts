// SPDX-License-Identifier: Apache-2.0
import fs from 'node:fs';
import path from 'node:path';
import { parse, stringify } from 'yaml';
import type { WheelsReport } from '../../stages/artifacts.js';
import { HERE, type Checkout } from './checkout.js';

export interface SmallMatrix {
  /** `major.minor`. */
  readonly python: string;
  /** Versions of jaxlib that are run. */
  readonly oldest: string;
  readonly newest: string;
}

interface JaxlibRow {
  readonly version: string;
  readonly pythons: readonly string[];
}

/** Makes the matrix of a checkout small: the wheel of `cpu-release`, one Python, its oldest and newest jaxlib, and one that must be refused. */
export function makeMatrixSmall(checkout: Checkout, compilers: string): SmallMatrix {
  const report = fs.readFileSync(path.join(HERE, 'dist', 'report', 'wheels.json'), 'utf8');
  const { wheels } = JSON.parse(report) as WheelsReport;
  const python = /^\d+\.\d+/.exec(wheels.flatMap(({ runs }) => runs)[0]?.python ?? '')?.[0] ?? '';
  const lock = parse(checkout.read('pipeline.lock.yaml')) as { readonly frameworks: readonly { jaxlib: string }[] };
  const compat = parse(checkout.read('compat/jaxlib.yaml')) as { readonly rows: readonly JaxlibRow[] };
  const here = compat.rows.filter(({ pythons }) => pythons.includes(python)).map(({ version }) => version);
  const [oldest = '', newest = ''] = [here[0], here.at(-1)];
  const kept = new Set([oldest, newest, ...lock.frameworks.map(({ jaxlib }) => jaxlib)]);
  const rows = compat.rows.filter(({ version }) => kept.has(version));
  checkout.write('compat/jaxlib.yaml', stringify({ ...compat, rows }));
  checkout.replace('pipeline.yaml', "refused: ['0.4.38', '0.5.3']", "refused: ['0.5.3']");
  checkout.replace(
    'pipeline.yaml',
    "  pythons: ['3.11', '3.12', '3.13', '3.14']\n  compilers",
    `  pythons: ['${python}']\n  compilers`,
  );
  const titled = 'title: Which jaxlib works with which IREE and Python, measured\n    variants: { ';
  checkout.replace('pipeline.yaml', titled, `${titled}iree: ['3.13'], `);
  checkout.replace('pipeline.yaml', "compilers: '>=3.9'", `compilers: '${compilers}'`);
  return { python, oldest, newest };
}
