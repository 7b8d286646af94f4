// SPDX-License-Identifier: Apache-2.0
/**
 * Composition root: the command line, and the only place (with commands/) that knows both engine and stages.
 * It declares commands and imports the one that is asked for.
 */
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import picocolors from 'picocolors';
import { type CommandContext, CONFIG_FILE, findRoot, openProject, type Output } from './commands/context.js';
import { COMMANDS } from './commands/declarations.js';
import type { CommandSpec, OptionSpec } from './commands/spec.js';
import { Options } from './commands/options.js';
import { stageOptionSpecs } from './commands/stage-options.js';
import { EXIT_BUG, EXIT_CODES, PipelineFailure, exitCodeOf, fail } from './engine/failure.js';
import { STAGES, loadStage } from './stages/registry.js';

/** Set by bin/bundle.mjs. */
declare const PIPELINE_BUILD: string | undefined;

const WIDTH = 80;
const HELP = 'help';
const RUN = 'run';
const HELP_END = `A pipeline's name is short for \`${RUN} NAME\`: npx pipeline matrix
Each command has examples: npx pipeline COMMAND --help
Exit codes: docs/exit-codes.md`;

export interface Surroundings {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdout: Output;
  readonly stderr: Output;
}

/** Runs one command line; gives the exit code and never throws. */
export async function main(argv: readonly string[], around: Surroundings = surroundings()): Promise<number> {
  const context = contextFor(around);
  let exitCode = 0;
  try {
    const program = makeProgram(context);
    const words = await withRun(program, context, argv);
    await addCommands(program, context, words, (code) => (exitCode = code));
    await program.parseAsync(words, { from: 'user' });
    return exitCode;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : EXIT_CODES.usage;
    return await report(error, context);
  }
}

function surroundings(): Surroundings {
  return { cwd: process.cwd(), env: process.env, stdout: process.stdout, stderr: process.stderr };
}

function contextFor(around: Surroundings): CommandContext {
  const wanted = around.env['FORCE_COLOR'] !== undefined && around.env['FORCE_COLOR'] !== '0';
  const refused = around.env['NO_COLOR'] !== undefined && around.env['NO_COLOR'] !== '';
  return {
    ...around,
    folder: around.cwd,
    home: fileURLToPath(new URL('.', import.meta.url)),
    colors: picocolors.createColors(!refused && (wanted || around.stdout.isTTY === true)),
    loadStage,
    stageNames: Object.keys(STAGES),
    build: typeof PIPELINE_BUILD === 'string' ? PIPELINE_BUILD : undefined,
  };
}

function makeProgram(context: CommandContext): Command {
  return new Command('pipeline')
    .description('Builds what pipeline.yaml describes.')
    .usage('[-C FOLDER] COMMAND')
    .version(versionOf(context.home), '-V, --version', 'print the version')
    .option('-C, --directory <folder>', 'work in this folder instead of here')
    .helpCommand(`${HELP} [command]`, 'help for a command')
    .exitOverride()
    .configureHelp({ showGlobalOptions: false })
    .configureOutput({
      writeOut: (text) => context.stdout.write(text),
      writeErr: (text) => context.stderr.write(text),
      outputError: (text, write) => {
        write(explainUsage(text));
      },
      getOutHelpWidth: () => Math.min(WIDTH, context.stdout.columns ?? WIDTH),
      getErrHelpWidth: () => Math.min(WIDTH, context.stderr.columns ?? WIDTH),
      getOutHasColors: () => context.colors.isColorSupported,
      getErrHasColors: () => context.colors.isColorSupported,
    })
    .addHelpText('after', `\n${HELP_END}`);
}

/** `matrix …` as `run matrix …`: the name of a pipeline where a command stands, unless a command has that name. */
async function withRun(program: Command, context: CommandContext, argv: readonly string[]): Promise<readonly string[]> {
  const { operands, unknown } = program.parseOptions([...argv]);
  const [name] = operands;
  if (name === undefined || name === HELP || COMMANDS.some((command) => command.name === name)) return argv;
  const folder = directoryOf(program);
  const there = inFolder(context, folder);
  if (!existsSync(join(findRoot(there.folder), CONFIG_FILE))) return argv;
  const { pipelines } = (await openProject(there)).config;
  if (!pipelines.some((pipeline) => pipeline.name === name)) return argv;
  return [...(folder === undefined ? [] : ['-C', folder]), RUN, ...operands, ...unknown];
}

async function addCommands(
  program: Command,
  context: CommandContext,
  words: readonly string[],
  done: (code: number) => void,
): Promise<void> {
  for (const spec of COMMANDS) {
    const command = makeCommand(spec, program, context, done);
    // Only the command that is run gets the options of stages: they need the definitions of all stages.
    if (spec.stageOptions === true && words.includes(spec.name)) {
      for (const option of await stageOptionSpecs(context)) command.addOption(makeOption(option));
    }
    program.addCommand(command);
  }
}

function versionOf(home: string): string {
  const { version } = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8')) as { version: string };
  return version;
}

function makeCommand(
  spec: CommandSpec,
  program: Command,
  context: CommandContext,
  done: (code: number) => void,
): Command {
  const command = program.createCommand(spec.name).copyInheritedSettings(program).summary(spec.summary);
  command.description(sentence(spec.summary) + (spec.details === undefined ? '' : `\n\n${spec.details}`));
  if (spec.args !== undefined) command.arguments(spec.args);
  for (const option of spec.options) command.addOption(makeOption(option));
  const examples = spec.examples.map(([line, what]) => (what === '' ? `  ${line}` : `  ${line.padEnd(38)} # ${what}`));
  command.addHelpText('after', `\nExamples:\n${examples.join('\n')}`);
  return command.action(async (...given: unknown[]) => {
    // commander passes the arguments, then the options, then the command itself.
    const args = given.slice(0, -2).flat() as (string | undefined)[];
    const module = await spec.load();
    done(await module.run(inFolder(context, directoryOf(program)), args, new Options(command.opts())));
  });
}

/** What `-C` names. */
function directoryOf(program: Command): string | undefined {
  return program.opts<{ directory?: string }>().directory;
}

function inFolder(context: CommandContext, folder: string | undefined): CommandContext {
  if (folder === undefined) return context;
  const path = resolve(context.cwd, folder);
  if (!statSync(path, { throwIfNoEntry: false })?.isDirectory()) {
    fail({ kind: 'usage', message: `there is no folder ${folder}`, help: 'give an existing folder to -C' });
  }
  return { ...context, folder: path };
}

function makeOption(spec: OptionSpec): Option {
  const option = new Option(spec.flags, spec.text);
  if (spec.many === true) {
    return option.argParser<string[] | undefined>((value, before) => [...(before ?? []), ...splitList(value)]);
  }
  return spec.count === true ? option.argParser(parseCount) : option;
}

/** `a,b` is two names; the value of a setting may hold commas. */
function splitList(value: string): string[] {
  return /^[^=]*,/.test(value) ? value.split(',').filter((part) => part !== '') : [value];
}

function parseCount(text: string): number {
  const count = Number(text);
  if (!Number.isInteger(count) || count < 1) throw new InvalidArgumentError('It must be a whole number from 1 on.');
  return count;
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

/** commander's error in the same form as all others. */
function explainUsage(text: string): string {
  const [message = '', ...rest] = text.trimEnd().split('\n');
  const help = rest.map((line) => line.replace(/^\((.*)\)$/, '$1'));
  return [message, ...help.map((line) => `  help: ${line}`), ''].join('\n');
}

async function report(error: unknown, context: CommandContext): Promise<number> {
  if (error instanceof PipelineFailure) {
    const { renderFailure } = await import('./engine/events/render-failure.js');
    const lines = renderFailure(error.failure, { paint: context.colors, cwd: context.cwd });
    context.stderr.write(`${lines.join('\n')}\n`);
    return exitCodeOf(error.failure);
  }
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  context.stderr.write(`This is a bug of the pipeline, please report it:\n${text}\n`);
  return EXIT_BUG;
}
