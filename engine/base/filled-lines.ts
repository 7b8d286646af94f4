// SPDX-License-Identifier: Apache-2.0

/** The words, over as many lines of at most `width` as it takes; a line that is not the last ends with what of `between` is seen. */
export function filledLines(words: readonly string[], between: string, width: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of words) {
    const next = line === '' ? word : line + between + word;
    if (line !== '' && next.length > width) {
      lines.push(line + between.trimEnd());
      line = word;
    } else line = next;
  }
  return [...lines, line];
}
