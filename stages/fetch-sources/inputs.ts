// SPDX-License-Identifier: Apache-2.0
import path from 'node:path';
import type { InputContext, StageInputs } from '../../engine/api.js';
import { fail } from '../../engine/failure.js';
import { channelOf } from '../lib/channels.js';
import { IREE_PATTERNS } from '../lib/iree-patterns.js';
import { sourceOf } from '../lib/local/settings.js';

export interface FetchOptions {
  readonly channel?: string;
}

interface SourceOption {
  readonly path?: string;
  readonly git?: string;
  readonly rev?: string;
}

/** A developer's own source in place of the locked one. */
export type Override =
  | { readonly kind: 'path'; readonly folder: string }
  | { readonly kind: 'git'; readonly url: string; readonly rev: string };

const SETTINGS = ['sources.iree.path', 'sources.iree.git', 'sources.iree.rev'] as const;

export async function fetchInputs(context: InputContext<FetchOptions>): Promise<StageInputs> {
  const override = ireeOverride(context);
  return {
    // Edits in a developer's own tree rebuild what is made of it.
    files: override?.kind === 'path' ? await context.glob(override.folder, IREE_PATTERNS) : [],
    values: { override: override ? { ...override } : null, channel: channelOf(context).name },
  };
}

/** The command line wins over pipeline.yaml as a whole: a path there puts aside a git URL here. */
export function ireeOverride(context: Pick<InputContext, 'root' | 'config' | 'settings'>): Override | undefined {
  const { settings } = context;
  const set = SETTINGS.some((key) => settings[key] !== undefined);
  const option: SourceOption | undefined = set
    ? definedOnly({ path: settings[SETTINGS[0]], git: settings[SETTINGS[1]], rev: settings[SETTINGS[2]] })
    : sourceOf(context.config, 'iree');
  if (!option) return undefined;
  const { path: folder, git, rev } = option;
  if (folder !== undefined && git === undefined && rev === undefined) {
    return { kind: 'path', folder: path.resolve(context.root, folder) };
  }
  if (folder === undefined && git !== undefined && rev !== undefined && /^[0-9a-f]{40}$/.test(rev)) {
    return { kind: 'git', url: isRelative(git) ? path.resolve(context.root, git) : git, rev };
  }
  return fail({
    kind: 'usage',
    message: 'an override of IREE is a path, or a git URL with a commit',
    help: 'give --set sources.iree.path=FOLDER, or --set sources.iree.git=URL --set sources.iree.rev=COMMIT (all 40 digits)',
  });
}

function isRelative(url: string): boolean {
  return /^\.{1,2}\//.test(url);
}

function definedOnly(option: Record<keyof SourceOption, string | undefined>): SourceOption {
  return Object.fromEntries(Object.entries(option).filter(([, value]) => value !== undefined));
}
