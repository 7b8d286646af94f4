// SPDX-License-Identifier: Apache-2.0
/** What a node's inputs are now: its key, and the record that the key is made of. */
import type { FileHashes } from '../cache/file-hashes.js';
import { toolsFor } from '../machine/tools-for.js';
import { type FingerprintRecord, takeFingerprint } from '../results/fingerprint.js';
import { inputContext, type InputSources } from './context.js';
import type { ExecuteOptions } from './execute-options.js';

export interface Print {
  /** Undefined if the stage reads something that cannot be named. */
  readonly key: string | undefined;
  readonly record: FingerprintRecord;
  readonly uncacheable: string | undefined;
}

export interface PrintSources {
  readonly inputs: InputSources;
  readonly options: Pick<ExecuteOptions, 'root' | 'code' | 'findTool'>;
  readonly hashes: FileHashes;
  /** Digests of the artifacts of the nodes before this one. */
  readonly digests: ReadonlyMap<string, string>;
}

export async function takePrint({ inputs, options, hashes, digests }: PrintSources): Promise<Print> {
  const { node, env } = inputs;
  const { definition, variant } = node;
  const named = await definition.inputs(inputContext(inputs));
  const tools = new Map<string, string>();
  for (const tool of toolsFor(definition.tools, variant)) {
    if (tool.inKey) tools.set(tool.name, (await options.findTool(tool)).version ?? 'missing');
  }
  const { key, record } = await takeFingerprint({
    root: options.root,
    definition,
    options: node.options,
    variant,
    inputs: named,
    upstream: digests,
    tools,
    env,
    code: options.code,
    hashes,
  });
  return { key: named.uncacheable === undefined ? key : undefined, record, uncacheable: named.uncacheable };
}
