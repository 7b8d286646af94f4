// SPDX-License-Identifier: Apache-2.0
import path from 'node:path';
import type { InputContext, Json, JsonObject, Setting } from '../../engine/api.js';
import { fail } from '../../engine/failure.js';

/** Where else pip and uv may look for packages, chosen by name: `channel: nightly` or `--set channel=nightly`. */
export interface Channel {
  readonly name: string;
  /** Folders (absolute) or pages that list wheels. */
  readonly findLinks: readonly string[];
  /** Whether pre-releases may be taken: always in a channel that adds links. */
  readonly pre: boolean;
}

export const CHANNEL_SETTING: Setting = {
  name: 'channel',
  text: 'where else packages come from: a name below channels',
};

export const STABLE: Channel = { name: 'stable', findLinks: [], pre: false };

/** The channel that the command line, else the stage's options name, else `stable`. */
export function channelOf(context: InputContext<{ readonly channel?: string }>): Channel {
  const name = context.settings['channel'] ?? context.options.channel ?? STABLE.name;
  const channels = isObject(context.config.sections['channels']) ? context.config.sections['channels'] : {};
  const entries = channels[name];
  if (entries === undefined && name === STABLE.name) return STABLE;
  if (!Array.isArray(entries)) {
    const known = [...new Set([STABLE.name, ...Object.keys(channels)])].join(', ');
    fail({ kind: 'usage', message: `there is no channel ${name}`, help: `pipeline.yaml knows the channels: ${known}` });
  }
  const findLinks = (entries as readonly Json[]).flatMap((entry) => linkOf(context.root, entry));
  return { name, findLinks, pre: findLinks.length > 0 };
}

/** Arguments for `pip install|download` and `uv pip install`, which both name them alike but for pre-releases. */
export function channelArgs(channel: Channel, client: 'pip' | 'uv'): string[] {
  const links = channel.findLinks.flatMap((link) => ['--find-links', link]);
  if (!channel.pre) return links;
  return [...links, ...(client === 'pip' ? ['--pre'] : ['--prerelease', 'allow'])];
}

function linkOf(root: string, entry: Json): string[] {
  const link = isObject(entry) ? entry['find-links'] : undefined;
  if (typeof link !== 'string') return [];
  return [/^[a-z][a-z0-9+.-]*:\/\//i.test(link) ? link : path.resolve(root, link)];
}

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
