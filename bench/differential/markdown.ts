// SPDX-License-Identifier: Apache-2.0
import { count } from '../../engine/events/text.js';
import type { Finding, Tally } from './tally.js';

/** differential.md: what ran, what it was made of, what failed. */
export function renderMarkdown({ about, programs, again, findings, operations }: Tally): string {
  const counts = [...operations].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1));
  return [
    '# Random programs beside XLA:CPU',
    '',
    `\`npm run bench:differential\` writes this file. One run of ${about.seconds} s from seed ${about.seed} on, ${about.date}; ` +
      `library: sha256 ${about.library}.`,
    '',
    `${count(programs, 'program')} ran; ${count(findings.length, 'finding')}, ${count(again, 'more failure')} that look like one of them.`,
    '',
    '## Operations',
    '',
    'In how many of the programs each is; `gradient`, `tangent` and `vmap` are what was applied to whole programs.',
    '',
    counts.map(([name, count]) => `\`${name}\` ${count}`).join(', '),
    '',
    '## Findings',
    '',
    ...(findings.length === 0 ? ['None.'] : findings.flatMap(renderFinding)),
    '',
  ].join('\n');
}

function renderFinding({ kind, message, source }: Finding, index: number): string[] {
  return [`### ${index + 1}. ${kind}`, '', '```text', message, '```', '', '```python', source.trim(), '```', ''];
}
