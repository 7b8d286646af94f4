// SPDX-License-Identifier: Apache-2.0
import { XMLParser } from 'fast-xml-parser';
import type { TestOutcome } from '../artifacts.js';

export interface JunitTotals {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  /** Names of the test cases that failed. */
  readonly failures: readonly string[];
}

interface JunitNode {
  readonly testsuite?: readonly JunitNode[];
  readonly testcase?: readonly JunitCase[];
}

type JunitCase = JunitNode & Readonly<Record<string, unknown>>;

/** Totals of a JUnit XML report of ctest, pytest or our own suite. */
export function junitTotals(xml: string): JunitTotals {
  const cases = parse(xml);
  const of = (wanted: TestOutcome): readonly JunitCase[] => cases.filter((node) => outcomeOf(node) === wanted);
  const failures = of('failed').map((node) => String(node['@name']));
  return { passed: of('passed').length, failed: failures.length, skipped: of('skipped').length, failures };
}

/** How each test of a JUnit XML report of pytest ended, by `class or file::name`. */
export function junitOutcomes(xml: string): ReadonlyMap<string, TestOutcome> {
  return new Map(
    parse(xml).map((node) => [`${String(node['@classname'])}::${String(node['@name'])}`, outcomeOf(node)]),
  );
}

function outcomeOf(node: JunitCase): TestOutcome {
  if ('failure' in node || 'error' in node) return 'failed';
  // ctest marks what it could not run by a status instead of an element.
  return 'skipped' in node || node['@status'] === 'notrun' ? 'skipped' : 'passed';
}

function parse(xml: string): readonly JunitCase[] {
  const parser = new XMLParser({
    ignoreAttributes: false,
    attributeNamePrefix: '@',
    isArray: (name) => name === 'testsuite' || name === 'testcase',
  });
  const document = parser.parse(xml) as { testsuites?: JunitNode } & JunitNode;
  return casesOf(document.testsuites ?? document);
}

function casesOf(node: JunitNode): JunitCase[] {
  return [...(node.testcase ?? []), ...(node.testsuite ?? []).flatMap(casesOf)];
}
