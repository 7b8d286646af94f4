// SPDX-License-Identifier: Apache-2.0
import { XMLParser } from 'fast-xml-parser';

export interface JunitTotals {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  /** Names of the test cases that failed. */
  readonly failures: readonly string[];
}

interface JunitNode {
  readonly testsuite?: readonly JunitNode[];
  readonly testcase?: readonly (JunitNode & Readonly<Record<string, unknown>>)[];
}

/** Totals of a JUnit XML report of ctest, pytest or our own suite. */
export function junitTotals(xml: string): JunitTotals {
  const parser = new XMLParser({
    ignoreAttributes: false,
    attributeNamePrefix: '@',
    isArray: (name) => name === 'testsuite' || name === 'testcase',
  });
  const document = parser.parse(xml) as { testsuites?: JunitNode } & JunitNode;
  const cases = casesOf(document.testsuites ?? document);
  const failures = cases.filter((node) => 'failure' in node || 'error' in node).map((node) => String(node['@name']));
  // ctest marks what it could not run by a status instead of an element.
  const skipped = cases.filter((node) => 'skipped' in node || node['@status'] === 'notrun').length;
  return { passed: cases.length - failures.length - skipped, failed: failures.length, skipped, failures };
}

function casesOf(node: JunitNode): (JunitNode & Readonly<Record<string, unknown>>)[] {
  return [...(node.testcase ?? []), ...(node.testsuite ?? []).flatMap(casesOf)];
}
