// SPDX-License-Identifier: Apache-2.0
/** Edits of pipeline.yaml's text that leave its comments and order. */
import { satisfies } from '@renovatebot/pep440';
import { isScalar, isSeq, parseDocument } from 'yaml';
import { releaseOf } from '../../stages/lib/release-of.js';

/** The text with the range under `supports.NAME` widened so that it holds `version`; unchanged where it does. */
export function allow(text: string, name: 'iree' | 'jaxlib', version: string): string {
  const node = parseDocument(text).getIn(['supports', name], true);
  if (!isScalar(node) || typeof node.value !== 'string' || !node.range) return text;
  if (satisfies(version, node.value, { prereleases: true })) return text;
  const [start, end] = node.range;
  return `${text.slice(0, start)}'${widened(node.value, version)}'${text.slice(end)}`;
}

/** The text with a release line added to the axis `iree`, after those that it has; unchanged without such an axis. */
export function addLine(text: string, line: string): string {
  const axis = parseDocument(text).getIn(['variants', 'axes', 'iree'], true);
  if (!isSeq(axis) || (axis.toJSON() as string[]).includes(line)) return text;
  const last = axis.items.at(-1);
  if (!isScalar(last) || !last.range) return text;
  const [start, end] = last.range;
  // The list is in brackets, or has a line for each value.
  const before = axis.flow === true ? ', ' : `\n${' '.repeat(start - text.lastIndexOf('\n', start) - 3)}- `;
  return `${text.slice(0, end)}${before}'${line}'${text.slice(end)}`;
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
