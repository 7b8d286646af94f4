// SPDX-License-Identifier: Apache-2.0
import XMLBuilder from 'fast-xml-builder';
import type { Json, JsonObject } from '../../../engine/api.js';

/** One test of the suite, as its lines in the results file tell. */
export interface TestResult {
  readonly id: string;
  readonly outcome: 'passed' | 'failed' | 'skipped';
  /** Seconds. */
  readonly duration: number;
  /** Why it failed or was skipped. */
  readonly message?: string;
  /** Largest errors against JAX's cpu and the tolerances, where values were compared. */
  readonly comparison?: JsonObject;
}

export interface SuiteResults {
  /** Versions that the process itself reported: python, jax, jaxlib, plugin … */
  readonly versions: JsonObject;
  readonly tests: readonly TestResult[];
}

interface Line extends JsonObject {
  readonly event: string;
}

/**
 * Reads the suite's JSON lines. A test that started and never ended took the process down with it:
 * it counts as failed, with how the process ended as its message.
 */
export function parseResults(text: string, processEnd: string): SuiteResults {
  const lines = text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .flatMap(parseLine);
  const found: JsonObject = lines.find(({ event }) => event === 'versions') ?? {};
  const versions = Object.fromEntries(Object.entries(found).filter(([key]) => key !== 'event'));
  const tests = new Map<string, TestResult>();
  for (const line of lines) {
    const id = textOf(line['test']);
    if (line.event === 'started') {
      tests.set(id, {
        id,
        outcome: 'failed',
        duration: 0,
        message: `the process ended during this test: ${processEnd}`,
      });
    } else if (line.event === 'passed' || line.event === 'failed' || line.event === 'skipped') {
      tests.set(id, resultOf(id, line.event, line));
    }
  }
  return { versions, tests: [...tests.values()] };
}

/** Text as it is, any other value as JSON. */
function textOf(value: Json | undefined): string {
  return typeof value === 'string' ? value : JSON.stringify(value ?? null);
}

/** A killed process may leave half a line. */
function parseLine(line: string): Line[] {
  try {
    return [JSON.parse(line) as Line];
  } catch {
    return [];
  }
}

/** Fields of a finished test's line that are numbers of the comparison with JAX's own cpu. */
const COMPARISON = ['max_abs_error', 'max_rel_error', 'rtol', 'atol'] as const;

function resultOf(id: string, outcome: TestResult['outcome'], line: JsonObject): TestResult {
  const message = line['message'];
  const compared = COMPARISON.flatMap((key) => (line[key] === undefined ? [] : [[key, line[key]] as const]));
  return {
    id,
    outcome,
    duration: Number(line['duration_s'] ?? 0),
    ...(typeof message === 'string' && message !== '' ? { message } : {}),
    ...(compared.length > 0 ? { comparison: Object.fromEntries(compared) } : {}),
  };
}

/** What the platform says of its missing device, for which tests were not run; undefined if it is there. */
export function missingDevice({ versions }: Pick<SuiteResults, 'versions'>): string | undefined {
  const said = versions['device_missing'];
  return typeof said === 'string' && said !== '' ? said : undefined;
}

export function countOf(results: SuiteResults, outcome: TestResult['outcome']): number {
  return results.tests.filter((test) => test.outcome === outcome).length;
}

/** The suite as JUnit XML, for CI systems. */
export function junitOf(name: string, results: SuiteResults): string {
  const builder = new XMLBuilder({
    ignoreAttributes: false,
    attributeNamePrefix: '@',
    format: true,
    suppressEmptyNode: true,
  });
  const seconds = results.tests.reduce((sum, { duration }) => sum + duration, 0);
  return builder.build({
    '?xml': { '@version': '1.0', '@encoding': 'UTF-8' },
    testsuite: {
      '@name': name,
      '@tests': results.tests.length,
      '@failures': countOf(results, 'failed'),
      '@skipped': countOf(results, 'skipped'),
      '@time': seconds.toFixed(3),
      properties: {
        property: Object.entries(results.versions).map(([key, value]) => ({ '@name': key, '@value': textOf(value) })),
      },
      testcase: results.tests.map((test) => ({
        '@classname': name,
        '@name': test.id,
        '@time': test.duration.toFixed(3),
        ...(test.outcome === 'failed'
          ? { failure: { '@message': (test.message ?? 'failed').split('\n')[0], '#text': test.message ?? '' } }
          : {}),
        ...(test.outcome === 'skipped' ? { skipped: { '@message': test.message ?? '' } } : {}),
      })),
    },
  });
}
