// SPDX-License-Identifier: Apache-2.0
/** What the stage's key is made of; loaded at every start, so it imports nothing big. */
import type { InputContext, Json, JsonObject, StageInputs } from '../../engine/api.js';
import type { LockOrigin } from '../artifacts.js';
import { channelOf } from '../lib/channels.js';
import { COMPAT_FILES } from '../lib/compat/files.js';
import { supportsOf } from '../lib/compat/supports.js';
import { localInputs } from '../lib/local/inputs.js';

export const LOCK_FILE = 'pipeline.lock.yaml';

export interface ResolveOptions {
  readonly pythons: readonly string[];
  readonly channel?: string;
}

export async function resolveInputs(context: InputContext<ResolveOptions>): Promise<StageInputs> {
  const files = await context.glob('.', [LOCK_FILE, ...Object.values(COMPAT_FILES)]);
  const local = await localInputs(context);
  return {
    files: [...files, ...local.files],
    values: { origin: { ...originOf(context) }, ...local.values },
    ...(updateAsked(context) ? { uncacheable: 'an update was asked for' } : {}),
  };
}

/** `npx pipeline resolve --update`. */
export function updateAsked({ settings }: Pick<InputContext, 'settings'>): boolean {
  return ['1', 'true'].includes(settings['update'] ?? '');
}

/** What is wished for: a lock that answers the same wishes is kept. */
export function originOf(context: InputContext<ResolveOptions>): LockOrigin {
  const constraints = context.config.sections['constraints'] as JsonObject | undefined;
  const { jaxlib, python, iree } = supportsOf(context.config);
  const channel = channelOf(context);
  return {
    jaxlib,
    iree: context.settings['constraints.iree'] ?? (textOf(constraints?.['iree']) || iree),
    ireeLines: context.config.axes['iree'] ?? [],
    python,
    pythons: context.options.pythons,
    channel: channel.name,
    links: linksOf(context, channel.name),
  };
}

/** As pipeline.yaml writes them: a lock names no folder of one machine. */
function linksOf(context: InputContext<ResolveOptions>, channel: string): string[] {
  const channels = context.config.sections['channels'] as JsonObject | undefined;
  const entries = (channels?.[channel] ?? []) as readonly Json[];
  return entries.map((entry) => textOf((entry as JsonObject)['find-links']));
}

function textOf(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}
