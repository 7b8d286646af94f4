// SPDX-License-Identifier: Apache-2.0
import { codeFrameColumns } from '@babel/code-frame';
import type { Diagnostic, SourceRange } from '../diagnostic.js';

const LINES_ABOVE = 2;
const LINES_BELOW = 1;
/** Longer lines are cut around the range: a frame is for a terminal. */
const MAX_LINE = 400;

/** A diagnostic with its frame drawn from `text`, the whole file. */
export function diagnosticAt(text: string, range: SourceRange, message: string, help?: string): Diagnostic {
  const frame = drawFrame(text, range);
  return {
    message,
    range,
    ...(help === undefined ? {} : { help }),
    ...(frame === undefined ? {} : { frame }),
  };
}

function drawFrame(text: string, range: SourceRange): string | undefined {
  const lines = text.split(/\r\n|\n|\r/);
  const line = lines[range.line - 1];
  if (line === undefined || line.length > MAX_LINE || text.trim() === '') return undefined;
  // One line of squiggle is enough: a block that spans many lines is marked where it starts.
  const endColumn = range.endLine === range.line ? range.endColumn : line.trimEnd().length + 1;
  const frame = codeFrameColumns(
    lines.join('\n'),
    {
      start: { line: range.line, column: range.column },
      end: { line: range.line, column: Math.max(endColumn, range.column + 1) },
    },
    { linesAbove: LINES_ABOVE, linesBelow: LINES_BELOW, highlightCode: false },
  );
  // An empty last line shows nothing.
  return frame.replace(/\n\s*\d+ \|\s*$/, '');
}
