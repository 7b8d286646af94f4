// SPDX-License-Identifier: Apache-2.0
import { closest, distance } from 'fastest-levenshtein';

/** The candidate that `word` is most likely a slip of, or undefined if none is near. */
export function nearest(word: string, candidates: readonly string[]): string | undefined {
  if (candidates.length === 0) return undefined;
  const lower = word.toLowerCase();
  const byLower = new Map(candidates.map((candidate) => [candidate.toLowerCase(), candidate]));
  const best = closest(lower, [...byLower.keys()]);
  if (distance(lower, best) <= allowedSlips(Math.max(word.length, best.length))) return byLower.get(best);
  // The other common slip is half a name: `native` for `build-native`.
  const parts = candidates.filter((candidate) => word.length >= 3 && candidate.toLowerCase().includes(lower));
  return parts.length === 1 ? parts[0] : undefined;
}

/** Two letters swapped count as two, so a word of four may have them. */
function allowedSlips(length: number): number {
  return length < 4 ? 1 : Math.max(2, Math.floor(length / 3));
}

/** `did you mean 'x'? allowed: a, b` as far as there is something to say. */
export function suggest(word: string, candidates: readonly string[], what = 'allowed'): string | undefined {
  const near = nearest(word, candidates);
  const parts: string[] = [];
  if (near !== undefined) parts.push(`did you mean '${near}'?`);
  if (candidates.length > 0) parts.push(`${what}: ${candidates.join(', ')}`);
  return parts.length > 0 ? parts.join(' ') : undefined;
}
