// SPDX-License-Identifier: Apache-2.0
/** Edits of pipeline.yaml's text that leave its comments and order. */
import { compare, satisfies } from '@renovatebot/pep440';
import { isSeq, parseDocument } from 'yaml';
import { releaseOf } from '../../stages/lib/release-of.js';

/** The range under `supports.NAME`, widened so that it holds `version`; as it is where it does. */
export function allow(text: string, name: 'iree' | 'jaxlib', version: string): string {
  const document = parseDocument(text);
  const range = document.getIn(['supports', name]);
  if (typeof range !== 'string' || satisfies(version, range, { prereleases: true })) return text;
  document.setIn(['supports', name], widened(range, version));
  return render(document);
}

/** The axis `iree` with a release line, after those that it has; as it is without such an axis. */
export function addLine(text: string, line: string): string {
  const document = parseDocument(text);
  const axis = document.getIn(['variants', 'axes', 'iree']);
  if (!isSeq(axis)) return text;
  const lines = axis.toJSON() as string[];
  if (lines.includes(line)) return text;
  axis.add(line);
  return render(document);
}

/** `>=3.11,<3.14` that is to hold 3.14.1: `>=3.11,<3.15`. */
export function widened(range: string, version: string): string {
  const parts = range.split(',').map((part) => part.trim());
  const kept = parts.filter((part) => satisfies(version, part, { prereleases: true }));
  const line = releaseOf(version);
  const older = parts.some((part) => part.startsWith('>') && !kept.includes(part));
  const below = parts.some((part) => part.startsWith('<') && !kept.includes(part));
  const added = [...(older ? [`>=${line}`] : []), ...(below ? [`<${next(line)}`] : [])];
  const all = [...kept, ...added].sort((a, b) => (a.startsWith('>') ? 0 : 1) - (b.startsWith('>') ? 0 : 1));
  return all.length === 0 ? `>=${line},<${next(line)}` : all.join(',');
}

function next(line: string): string {
  const [major = '0', minor = '0'] = line.split('.');
  return `${major}.${Number(minor) + 1}`;
}

/** The newest of some versions. */
export function newest(versions: readonly string[]): string | undefined {
  return [...versions].sort(compare).at(-1);
}

function render(document: ReturnType<typeof parseDocument>): string {
  return document.toString({ lineWidth: 0, singleQuote: true });
}
