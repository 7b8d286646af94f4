// SPDX-License-Identifier: Apache-2.0
/** A place in a text file; lines and columns count from 1, `endColumn` is exclusive. */
export interface SourceRange {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly endLine: number;
  readonly endColumn: number;
}

/** A mistake in a file that a person wrote, with what is needed to show and mend it. */
export interface Diagnostic {
  readonly message: string;
  readonly range: SourceRange;
  /** One line: the nearest valid key, what is allowed. */
  readonly help?: string;
  /** The lines around the range with a squiggle below, made where the text is at hand; plain text. */
  readonly frame?: string;
}

/** The minimal styling that formatting needs; picocolors' object fits. */
export interface Paint {
  red(text: string): string;
  bold(text: string): string;
  dim(text: string): string;
  cyan(text: string): string;
}

const PLAIN: Paint = { red: String, bold: String, dim: String, cyan: String };
/** `file:line:column: error: message`, the frame, the help; one entry per line. */
export function formatDiagnostic(diagnostic: Diagnostic, paint: Paint = PLAIN): string[] {
  const { file, line, column } = diagnostic.range;
  const lines = [
    `${paint.bold(`${file}:${line}:${column}:`)} ${paint.red('error:')} ${paint.bold(diagnostic.message)}`,
  ];
  for (const frameLine of diagnostic.frame?.split('\n') ?? []) lines.push(paintFrameLine(frameLine.trimEnd(), paint));
  if (diagnostic.help !== undefined) lines.push(`  ${paint.cyan('help:')} ${diagnostic.help}`);
  return lines;
}

function paintFrameLine(line: string, paint: Paint): string {
  if (line.startsWith('>')) return line;
  return /^\s*\|[\s^]*\^$/.test(line) ? line.replace(/\^+$/, (squiggle) => paint.red(squiggle)) : paint.dim(line);
}

/** All of them, a blank line between, and nothing after the last. */
export function formatDiagnostics(diagnostics: readonly Diagnostic[], paint: Paint = PLAIN): string[] {
  return diagnostics.flatMap((diagnostic, index) => [
    ...(index === 0 ? [] : ['']),
    ...formatDiagnostic(diagnostic, paint),
  ]);
}

/** Order of the file, so that a reader works from top to bottom. */
export function byPosition(a: Diagnostic, b: Diagnostic): number {
  return a.range.line - b.range.line || a.range.column - b.range.column;
}
