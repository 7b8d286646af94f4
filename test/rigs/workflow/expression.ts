// SPDX-License-Identifier: Apache-2.0
/** `${{ }}` by GitHub's own implementation of its expression language. */
import { data, Evaluator, Lexer, Parser } from '@actions/expressions';

/** Contexts by name: `github`, `matrix`, `needs`, `steps` … */
export type Contexts = Readonly<Record<string, unknown>>;

/** How the job stands: what `success()` and `failure()` say. */
export interface Status {
  readonly failed: boolean;
}

/** A text with its expressions replaced; one that is nothing but an expression keeps its type. */
export function interpolate(text: string, contexts: Contexts): unknown {
  const whole = /^\$\{\{((?:(?!\}\}).)*)\}\}$/s.exec(text.trim());
  if (whole) return evaluate(whole[1] ?? '', contexts, { failed: false });
  return text.replaceAll(/\$\{\{(.*?)\}\}/gs, (_, expression: string) =>
    asText(evaluate(expression, contexts, { failed: false })),
  );
}

/** Whether a step or job runs. One whose condition says nothing of the status only runs while all is well. */
export function condition(text: string | undefined, contexts: Contexts, status: Status): boolean {
  if (text === undefined) return !status.failed;
  const bare = text.replace(/^\s*\$\{\{(.*)\}\}\s*$/s, '$1');
  const asks = /\b(success|failure|always|cancelled)\s*\(/.test(bare);
  return (asks || !status.failed) && Boolean(evaluate(bare, contexts, status));
}

function evaluate(expression: string, contexts: Contexts, status: Status): unknown {
  const functions = new Map(
    Object.entries({ success: !status.failed, failure: status.failed, always: true, cancelled: false }).map(
      ([name, value]) => [name, { name, minArgs: 0, maxArgs: 0, call: () => new data.BooleanData(value) }],
    ),
  );
  const { tokens } = new Lexer(expression.trim()).lex();
  const parsed = new Parser(tokens, Object.keys(contexts), [...functions.values()]).parse();
  const given = JSON.parse(JSON.stringify(contexts), data.reviver) as data.Dictionary;
  const result = new Evaluator(parsed, given, functions).evaluate();
  return JSON.parse(JSON.stringify(result, data.replacer)) as unknown;
}

export function asText(value: unknown): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
