// SPDX-License-Identifier: Apache-2.0
import path from 'node:path';
import type { InputContext, Json, JsonObject, Setting } from '../../../engine/api.js';

/** What may be a build of the developer's own instead of the locked one. */
export const PARTS = ['compiler', 'jaxlib', 'jax'] as const;
export type Part = (typeof PARTS)[number];

const TEXTS: Readonly<Record<Part, string>> = {
  compiler: 'IREE compiler of your own: a wheel, a folder of wheels, a build folder or libIREECompiler.so',
  jaxlib: 'jaxlib of your own: a wheel, or a folder of wheels, where its jax may lie too',
  jax: 'jax of your own: a wheel, or a folder of wheels',
};

const settings = (parts: readonly Part[]): readonly Setting[] =>
  parts.map((part) => ({ name: settingOf(part), text: TEXTS[part] }));

/** Declared by each stage that runs JAX. */
export const FRAMEWORK_SETTINGS = settings(['jaxlib', 'jax']);

/** Declared by each stage that asks for the compiler too. */
export const LOCAL_SETTINGS = settings(PARTS);

/** `sources.jaxlib.path` */
export function settingOf(part: Part): string {
  return `sources.${part}.path`;
}

/** Absolute paths, of the command line or else of pipeline.yaml. */
export function pathsOf({
  root,
  config,
  settings,
}: Pick<InputContext, 'root' | 'config' | 'settings'>): Partial<Record<Part, string>> {
  const entries = PARTS.flatMap((part) => {
    const written = settings[settingOf(part)] ?? sourceOf(config, part)?.['path'];
    return typeof written === 'string' ? [[part, path.resolve(root, written)] as const] : [];
  });
  return Object.fromEntries(entries);
}

/** An entry of `sources` of pipeline.yaml. */
export function sourceOf({ sections }: Pick<InputContext['config'], 'sections'>, name: string): JsonObject | undefined {
  const sources = sections['sources'];
  const entry = isObject(sources) ? sources[name] : undefined;
  return isObject(entry) ? entry : undefined;
}

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
