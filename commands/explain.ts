// SPDX-License-Identifier: Apache-2.0
import { hitWord } from '../engine/events/plain.js';
import { type FingerprintRecord, diffRecords } from '../engine/results/fingerprint.js';
import { findNodes, makePlan, selectNodes } from '../engine/plan/plan.js';
import { type NodePreview, preview } from '../engine/run/preview.js';
import { type CommandContext, openProject, print, printJson } from './context.js';
import type { Options } from './options.js';
import { STATES } from './dry-run.js';
import { executeOptions, warningsOnly } from './execution.js';
import { givenSettings, settingsOf } from './planning.js';

/** Prints a node's fingerprint field by field, and what differs from its last result. */
export async function run(
  context: CommandContext,
  [name = '']: readonly (string | undefined)[],
  options: Options,
): Promise<number> {
  const project = await openProject(context);
  const { config } = project;
  const wanted = options.text('pipeline');
  // Without `--pipeline`, it is the first pipeline that holds the stage.
  const stage = name.replace(/\[.*/, '');
  const holder = config.pipelines.find((pipeline) => pipeline.stages.includes(stage))?.name;
  const whole = await makePlan(
    config,
    { root: project.root, pipeline: wanted ?? holder, settings: givenSettings(options) },
    context.loadStage,
  );
  const { plan, targets } = selectNodes(whole, { only: findNodes(whole, [name]) });
  const found = await preview(
    plan,
    executeOptions(context, project, {
      settings: settingsOf(options, whole),
      locked: false,
      force: new Set(),
      noWait: true,
      signal: new AbortController().signal,
      emit: warningsOnly(context),
    }),
  );
  const asked = found.filter(({ node }) => targets.has(node.id));
  if (options.flag('json')) {
    printJson(
      context,
      asked.map(({ node, state, source, because, now, before }) => ({
        id: node.id,
        state,
        source,
        because,
        key: now?.key,
        fingerprint: now?.record,
        changes: before && now ? diffRecords(before, now.record) : undefined,
      })),
    );
    return 0;
  }
  for (const entry of asked) explainNode(context, entry);
  return 0;
}

function explainNode(context: CommandContext, { node, state, source, because, now, before }: NodePreview): void {
  const { bold, dim } = context.colors;
  print(
    context,
    `${bold(node.id)}: ${source === undefined ? STATES[state] : hitWord(source)}${now?.key === undefined ? '' : dim(`  key ${now.key.slice(0, 16)}`)}`,
  );
  for (const reason of because) print(context, `  because: ${reason}`);
  const record = now?.record ?? before;
  if (!record) return;
  print(context, now ? '' : dim('  its inputs are known once what it needs has run; those of the last result were:'));
  for (const [field, value] of Object.entries(record) as [keyof FingerprintRecord, unknown][]) {
    printField(context, field, value);
  }
}

function printField(context: CommandContext, field: string, value: unknown): void {
  const { cyan, dim } = context.colors;
  if (typeof value !== 'object' || value === null) {
    print(context, `  ${cyan(field)}: ${JSON.stringify(value)}`);
    return;
  }
  const entries = Object.entries(value);
  print(context, `  ${cyan(field)}:${entries.length === 0 ? dim(' none') : ''}`);
  for (const [name, part] of entries) {
    const text = typeof part === 'string' ? part : JSON.stringify(part);
    print(context, `    ${name}  ${dim(/^[0-9a-f]{64}$/.test(text) ? text.slice(0, 16) : text)}`);
  }
}
