// SPDX-License-Identifier: Apache-2.0
/** Words and numbers that all the views share. */
import { stripVTControlCharacters } from 'node:util';

export interface Paint {
  red(text: string): string;
  green(text: string): string;
  yellow(text: string): string;
  cyan(text: string): string;
  bold(text: string): string;
  dim(text: string): string;
}

export const PLAIN: Paint = { red: String, green: String, yellow: String, cyan: String, bold: String, dim: String };

/** `0.2 s`, `12 s`, `2 min 05 s`. */
export function duration(ms: number): string {
  if (ms < 9_950) return `${(ms / 1000).toFixed(1)} s`;
  const whole = Math.round(ms / 1000);
  if (whole < 120) return `${whole} s`;
  return `${Math.floor(whole / 60)} min ${String(whole % 60).padStart(2, '0')} s`;
}

export function count(amount: number, one: string): string {
  return `${amount} ${one}${amount === 1 ? '' : 's'}`;
}

/** A line of a program's output without colours and control characters, so that it cannot disturb the view. */
export function cleanLine(line: string): string {
  return stripVTControlCharacters(line)
    .replaceAll('\t', '  ')
    .replaceAll(/[\u0000-\u001f\u007f]/g, '');
}
