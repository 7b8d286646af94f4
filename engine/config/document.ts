// SPDX-License-Identifier: Apache-2.0
import {
  type Document,
  LineCounter,
  type Node,
  type Pair,
  type ErrorCode,
  type YAMLError,
  isCollection,
  isMap,
  isScalar,
  parseDocument,
  visit,
} from 'yaml';
import { diagnosticAt } from '../base/code-frame.js';
import type { Diagnostic, SourceRange } from '../diagnostic.js';
import type { SourceText } from './source.js';

export type Path = readonly (string | number)[];

/** A parsed YAML file that still knows where each key and value was written. */
export class YamlDocument {
  readonly #source: SourceText;
  readonly #document: Document.Parsed;
  readonly #lines: LineCounter;

  private constructor(source: SourceText, document: Document.Parsed, lines: LineCounter) {
    this.#source = source;
    this.#document = document;
    this.#lines = lines;
  }

  /** The document, or what keeps it from being one. */
  static parse(source: SourceText): YamlDocument | readonly Diagnostic[] {
    const lines = new LineCounter();
    let document: Document.Parsed;
    try {
      document = parseDocument(source.text, { version: '1.2', lineCounter: lines, prettyErrors: false });
    } catch (error) {
      // The parser recurses: absurd nesting ends in a RangeError, which is the writer's mistake, not a bug.
      if (!(error instanceof RangeError)) throw error;
      const range = { file: source.file, line: 1, column: 1, endLine: 1, endColumn: 1 };
      return [diagnosticAt(source.text, range, 'the file is nested too deeply')];
    }
    const parsed = new YamlDocument(source, document, lines);
    const problems = parsed.#syntaxProblems();
    return problems.length > 0 ? problems : parsed;
  }

  /** Plain values; a new copy each time. */
  toValue(): unknown {
    return this.#document.toJS({ mapAsMap: false });
  }

  at(range: SourceRange, message: string, help?: string): Diagnostic {
    return diagnosticAt(this.#source.text, range, message, help);
  }

  /** Where the value at `path` is, or else the nearest thing above it that was written. */
  value(path: Path): SourceRange {
    const node = path.length === 0 ? this.#document.contents : (this.#document.getIn(path, true) as Node | undefined);
    if (!node?.range || (isScalar(node) && node.range[0] === node.range[1])) {
      return path.length === 0 ? this.#range(0, 0) : this.key(path);
    }
    return this.#range(node.range[0], isCollection(node) && !node.flow ? this.#lineEnd(node.range[0]) : node.range[1]);
  }

  /** Where the key that leads to `path` is; an item of a list has no key, so its value stands in. */
  key(path: Path): SourceRange {
    if (path.length === 0) return this.value(path);
    const parent = path.slice(0, -1);
    const last = path.at(-1);
    const map = parent.length === 0 ? this.#document.contents : this.#document.getIn(parent, true);
    if (isMap(map)) {
      const pair = map.items.find((item) => isScalar(item.key) && item.key.value === last) as Pair<Node> | undefined;
      const range = pair?.key.range;
      if (range) return this.#range(range[0], range[1]);
    }
    return typeof last === 'number' && this.#document.getIn(path, true) ? this.value(path) : this.key(parent);
  }

  /** The text as written between two offsets of a value, e.g. `3.10` for a number. */
  written(path: Path): string | undefined {
    const node = this.#document.getIn(path, true) as Node | undefined;
    return node?.range ? this.#source.text.slice(node.range[0], node.range[1]) : undefined;
  }

  #syntaxProblems(): readonly Diagnostic[] {
    const problems = [...this.#document.errors, ...this.#document.warnings];
    if (problems.some((problem) => problem.code === 'RESOURCE_EXHAUSTION')) {
      return [this.at(this.#range(0, 1), 'the file is nested too deeply')];
    }
    if (problems.length > 0) return this.#explainSyntax(problems);
    const found: Diagnostic[] = [];
    const refuse = (node: Node, message: string, help: string): void => {
      const start = node.range?.[0] ?? 0;
      found.push(this.at(this.#range(start, Math.max(node.range?.[1] ?? 0, start + 1)), message, help));
    };
    visit(this.#document, {
      Alias: (_, node) => {
        refuse(node, `alias '*${node.source}'`, 'aliases are not used here: write the value out');
      },
      Node: (_, node) => {
        if ('anchor' in node && node.anchor) {
          refuse(node, `anchor '&${node.anchor}'`, 'anchors are not used here: write the value out');
        }
      },
      Pair: (_, pair) => {
        if (isScalar(pair.key) && typeof pair.key.value === 'string') return;
        const key = pair.key as Node;
        refuse(key, `a key must be text, found ${this.#source.text.slice(...keySpan(key))}`, 'put it in quotes');
      },
    });
    return found;
  }

  /** One diagnostic per line: further errors on a line are mostly consequences of the first. */
  #explainSyntax(problems: readonly YAMLError[]): Diagnostic[] {
    const byLine = new Map<number, Diagnostic>();
    for (const problem of problems) {
      const span = this.#wordAt(spanOf(problem, this.#source.text));
      const range = this.#range(...span);
      const [message, help] = explainSyntax(problem, this.#source.text.slice(...span));
      if (!byLine.has(range.line)) byLine.set(range.line, this.at(range, message, help));
    }
    return [...byLine.values()];
  }

  /** The parser often marks one character, or the spaces before the word that is meant. */
  #wordAt([start, end]: readonly [number, number]): [number, number] {
    const spaces = /^ +/.exec(this.#source.text.slice(start, start + 200))?.[0].length ?? 0;
    const from = start + spaces;
    const word = /^[\w.-]+/.exec(this.#source.text.slice(from, from + 200))?.[0].length ?? 1;
    return [from, Math.max(end, from + word)];
  }

  #range(start: number, end: number): SourceRange {
    const from = this.#lines.linePos(start);
    const to = this.#lines.linePos(Math.max(start, end));
    return {
      file: this.#source.file,
      line: Math.max(1, from.line),
      column: Math.max(1, from.col),
      endLine: Math.max(1, to.line),
      endColumn: Math.max(1, to.col),
    };
  }

  #lineEnd(offset: number): number {
    const newline = this.#source.text.indexOf('\n', offset);
    const line = this.#source.text.slice(offset, newline < 0 ? undefined : newline);
    return offset + line.trimEnd().length;
  }
}

function keySpan(node: Node): [number, number] {
  return [node.range?.[0] ?? 0, node.range?.[1] ?? 0];
}

/**
 * Where a mistake is. The parser notices at the end of the file that a quote is never closed; the mistake is where it
 * opens.
 */
function spanOf(problem: YAMLError, text: string): readonly [number, number] {
  const quote = /Missing closing (["'])/.exec(problem.message)?.[1];
  if (quote === undefined) return problem.pos;
  let offset = 0;
  for (const line of text.split('\n')) {
    if (line.split(quote).length % 2 === 0) return [offset + line.lastIndexOf(quote), offset + line.trimEnd().length];
    offset += line.length + 1;
  }
  return problem.pos;
}

/** The parser's words for an author who does not know its grammar; message and help. */
function explainSyntax({ code, message }: YAMLError, word: string): [message: string, help?: string] {
  const plain = message.replace(/ at line \d+, column \d+[\s\S]*$/, '');
  const bracket = /end with a (.)/.exec(plain)?.[1];
  if (bracket !== undefined) {
    const opening = bracket === ']' ? '[' : '{';
    return [`'${opening}' was opened before this and is not closed`, `add the missing '${bracket}'`];
  }
  if (plain.startsWith('Missing closing')) return ['a quote is opened here and not closed', 'add the closing quote'];
  if (plain.startsWith('Sequence item without')) {
    return ['wrong indentation', "indent it like the lines above it, or begin a new item with '-'"];
  }
  const known: Readonly<Partial<Record<ErrorCode, [string, string]>>> = {
    DUPLICATE_KEY: [`the key '${word}' is written twice`, 'keep one of the two'],
    TAB_AS_INDENT: ['a tab indents this line', 'YAML is indented with spaces'],
    BAD_INDENT: [`wrong indentation: ${plain}`, 'entries of one list or map start in the same column'],
    MISSING_CHAR: [`syntax error: ${plain}`, 'is a quote, colon, comma or bracket missing?'],
    MULTIPLE_DOCS: ['a second document starts here', "one file holds one document: remove the '---'"],
    TAG_RESOLVE_FAILED: [
      `unknown tag: ${plain.replace('Unresolved tag: ', '')}`,
      "remove the word that starts with '!'",
    ],
  };
  return known[code] ?? [`syntax error: ${plain}`];
}
