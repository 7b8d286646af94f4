// SPDX-License-Identifier: Apache-2.0
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { StageContext } from '../../engine/api.js';
import { comparePair } from './compare.js';
import { pairsOfLines, type CompareReleasesOptions } from './lines.js';
import { renderMarkdown, renderText } from './render.js';
import type { ReleasesReport } from './report.js';
import { readTimings } from './timings.js';

/** Which tests one release line of IREE breaks and mends against the one before it, and what is faster and slower there. */
export async function compareReleases(context: StageContext<CompareReleasesOptions>): Promise<ReleasesReport> {
  const { of } = context.options;
  const timings = await readTimings(context.root);
  const pairs = (await pairsOfLines(context)).map(([before, after]) => comparePair(before, after, timings));
  const report: ReleasesReport = { of, pairs };
  const files: Readonly<Record<string, string>> = {
    [`report/releases-${of}.json`]: `${JSON.stringify(report, null, 2)}\n`,
    [`report/releases-${of}.md`]: renderMarkdown(report),
    'shown/releases.txt': renderText(report),
  };
  for (const [file, text] of Object.entries(files)) {
    await mkdir(path.dirname(path.join(context.outDir, file)), { recursive: true });
    await writeFile(path.join(context.outDir, file), text);
  }
  return report;
}
