// SPDX-License-Identifier: Apache-2.0
import type { CommandContext } from './context.js';
import type { Options } from './options.js';

export interface CommandModule {
  run(context: CommandContext, args: readonly (string | undefined)[], options: Options): Promise<number>;
}

export interface OptionSpec {
  readonly flags: string;
  readonly text: string;
  /** Given more than once, or with commas: a list. */
  readonly many?: boolean;
  /** A whole number from 1 on. */
  readonly count?: boolean;
}

export interface CommandSpec {
  readonly name: string;
  readonly args?: string;
  readonly summary: string;
  readonly details?: string;
  readonly options: readonly OptionSpec[];
  /** The command also takes the options that stages declare. */
  readonly stageOptions?: boolean;
  readonly examples: readonly (readonly [command: string, what: string])[];
  /** Imported when the command is used, so that help and small commands start at once. */
  readonly load: () => Promise<CommandModule>;
}
