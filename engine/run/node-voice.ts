// SPDX-License-Identifier: Apache-2.0
/** What one node says while it is looked up or runs: into its log, and as events. */
import type { PlanNode } from '../plan/plan.js';
import type { LineFile } from './run-files.js';
import type { RunScope } from './run-scope.js';

export class NodeVoice {
  readonly log: LineFile;
  readonly #scope: RunScope;
  readonly #node: string;
  readonly #onBrokenLog: (error: unknown) => void;

  /** `onBrokenLog`: the log cannot be written. */
  constructor(scope: RunScope, node: PlanNode, log: LineFile, onBrokenLog: (error: unknown) => void) {
    this.#scope = scope;
    this.#node = node.id;
    this.log = log;
    this.#onBrokenLog = onBrokenLog;
  }

  line(stream: 'stdout' | 'stderr' | 'log', line: string): void {
    try {
      this.log.write(line);
    } catch (error) {
      // Thrown inside a stream's callback it would end the process.
      this.#onBrokenLog(error);
    }
    this.#scope.emit({ type: 'node-line', time: Date.now(), node: this.#node, stream, line });
  }

  progress(text: string): void {
    this.#scope.emit({ type: 'node-progress', time: Date.now(), node: this.#node, text });
  }

  warn(text: string): void {
    this.#scope.emit({ type: 'node-warning', time: Date.now(), node: this.#node, text });
  }
}
