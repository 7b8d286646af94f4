// SPDX-License-Identifier: Apache-2.0
import type { Diagnostic } from '../diagnostic.js';
import { findCycle } from '../base/graph.js';
import { suggest } from '../base/nearest.js';
import { expandVariants } from './variants.js';
import type { Path, YamlDocument } from './document.js';
import type { RawVariants } from './types.js';

/**
 * What no schema can say: names that refer to each other. Runs on anything that
 * parsed, beside the schema's own check, so that all mistakes are shown at once;
 * what has the wrong shape is passed over here.
 */
export function checkReferences(value: unknown, document: YamlDocument): Diagnostic[] {
  const top = record(value);
  const stages = list(top['stages']).map((stage) => record(stage));
  const names = stages.map((stage) => text(stage['name']));
  return [
    ...checkDuplicates(names, document),
    ...checkNeeds(stages, names, document),
    ...checkVariants(record(top['variants']), document),
    ...checkPipelines(record(top['pipelines']), names, axesOf(top), document),
  ];
}

function checkDuplicates(names: readonly (string | undefined)[], document: YamlDocument): Diagnostic[] {
  return names.flatMap((name, index) => {
    const first = names.indexOf(name);
    if (name === undefined || first === index) return [];
    const line = document.value(['stages', first, 'name']).line;
    const help = `the first is on line ${line}; two entries may use the same stage under different names`;
    return [document.at(document.value(['stages', index, 'name']), `two stages are named '${name}'`, help)];
  });
}

function checkNeeds(
  stages: readonly Readonly<Record<string, unknown>>[],
  names: readonly (string | undefined)[],
  document: YamlDocument,
): Diagnostic[] {
  const known = names.filter((name) => name !== undefined);
  const found: Diagnostic[] = [];
  const graph = new Map<string, string[]>();
  stages.forEach((stage, index) => {
    const needs = list(stage['needs']).map(text);
    const name = names[index];
    if (name !== undefined && !graph.has(name))
      graph.set(
        name,
        needs.filter((need) => need !== undefined),
      );
    needs.forEach((need, position) => {
      if (need === undefined || known.includes(need)) return;
      const range = document.value(['stages', index, 'needs', position]);
      found.push(document.at(range, `there is no stage '${need}'`, suggest(need, known, 'stages')));
    });
  });
  const cycle = findCycle(graph);
  if (cycle) {
    const index = names.indexOf(cycle[0]);
    const position = list(stages[index]?.['needs']).indexOf(cycle[1]);
    const message =
      cycle.length === 2 ? `'${cycle[0]}' needs itself` : `the stages need each other: ${cycle.join(' → ')}`;
    const help = 'take one of these needs away: a stage can only need what is made before it';
    found.push(document.at(document.value(['stages', index, 'needs', position]), message, help));
  }
  return found;
}

function checkVariants(variants: Readonly<Record<string, unknown>>, document: YamlDocument): Diagnostic[] {
  const axes = axesOf({ variants });
  const found: Diagnostic[] = [];
  list(variants['exclude']).forEach((entry, index) => {
    for (const [axis, value] of Object.entries(record(entry))) {
      found.push(...checkAxis(axis, [value], 'value', ['variants', 'exclude', index], axes, document));
    }
  });
  for (const [axis, value] of Object.entries(record(variants['implied']))) {
    found.push(...checkAxis(axis, [value], 'value', ['variants', 'implied'], axes, document));
  }
  const zipped = new Set<string>();
  list(variants['zip']).forEach((group, index) => {
    found.push(...checkZip(list(group).map(text), ['variants', 'zip', index], axes, zipped, document));
  });
  if (found.length === 0) found.push(...checkNames({ ...(variants as unknown as RawVariants), axes }, document));
  if (found.length === 0 && list(variants['exclude']).length > 0) {
    const empty = expandVariants({ ...(variants as unknown as RawVariants), axes }).length === 0;
    const help = "the entries of 'exclude' match every combination of the axes";
    if (empty) found.push(document.at(document.key(['variants', 'exclude']), 'no variant is left', help));
  }
  return found;
}

function checkNames(variants: RawVariants, document: YamlDocument): Diagnostic[] {
  const ids = expandVariants(variants).map(({ id }) => id);
  const twice = ids.find((id, index) => ids.indexOf(id) !== index);
  if (twice === undefined) return [];
  const message = `two variants would be called '${twice}'`;
  return [document.at(document.key(['variants', 'implied']), message, 'say one axis less here')];
}

function checkZip(
  group: readonly (string | undefined)[],
  path: Path,
  axes: Readonly<Record<string, readonly string[]>>,
  zipped: Set<string>,
  document: YamlDocument,
): Diagnostic[] {
  const found: Diagnostic[] = [];
  const first = group.find((axis) => axis !== undefined && axes[axis]);
  group.forEach((axis, index) => {
    if (axis === undefined) return;
    const range = document.value([...path, index]);
    const values = axes[axis];
    const wanted = first === undefined ? undefined : axes[first];
    if (!values) {
      found.push(document.at(range, `there is no axis '${axis}'`, suggest(axis, Object.keys(axes), 'axes')));
    } else if (zipped.has(axis)) {
      found.push(document.at(range, `axis '${axis}' is zipped twice`, 'an axis can be in one group only'));
    } else if (wanted && wanted.length !== values.length) {
      const message = `zipped axes differ in length: ${first} has ${wanted.length} values, ${axis} has ${values.length}`;
      found.push(document.at(range, message, 'zipped axes advance together, value by value'));
    }
    zipped.add(axis);
  });
  return found;
}

function checkPipelines(
  pipelines: Readonly<Record<string, unknown>>,
  names: readonly (string | undefined)[],
  axes: Readonly<Record<string, readonly string[]>>,
  document: YamlDocument,
): Diagnostic[] {
  const known = names.filter((name) => name !== undefined);
  const found: Diagnostic[] = [];
  // Without a single stage, that is the mistake to report, and not each name that refers to one.
  const lost = (stage: string): boolean => known.length > 0 && !known.includes(stage);
  for (const [pipeline, entry] of Object.entries(pipelines)) {
    const path = ['pipelines', pipeline];
    list(record(entry)['stages']).forEach((stage, index) => {
      if (typeof stage !== 'string' || !lost(stage)) return;
      const range = document.value([...path, 'stages', index]);
      found.push(document.at(range, `there is no stage '${stage}'`, suggest(stage, known, 'stages')));
    });
    for (const [axis, values] of Object.entries(record(record(entry)['variants']))) {
      found.push(...checkAxis(axis, list(values), 'list', [...path, 'variants'], axes, document));
    }
    found.push(...checkLegs(list(record(entry)['legs']).map(record), [...path, 'legs'], known, document));
  }
  return found;
}

/** Axes of `by` may be a stage's own, which only its code knows. */
function checkLegs(
  groups: readonly Readonly<Record<string, unknown>>[],
  path: Path,
  known: readonly string[],
  document: YamlDocument,
): Diagnostic[] {
  const found: Diagnostic[] = [];
  const names = groups.map(({ name }) => text(name));
  const placed = new Map<string, string | undefined>();
  groups.forEach((group, index) => {
    const name = names[index];
    if (name !== undefined && names.indexOf(name) !== index) {
      found.push(document.at(document.value([...path, index, 'name']), `two groups of legs are named '${name}'`));
    }
    list(group['stages']).forEach((stage, position) => {
      if (typeof stage !== 'string') return;
      const range = document.value([...path, index, 'stages', position]);
      if (known.length > 0 && !known.includes(stage)) {
        found.push(document.at(range, `there is no stage '${stage}'`, suggest(stage, known, 'stages')));
      } else if (placed.has(stage)) {
        const message = `the legs '${placed.get(stage) ?? ''}' and '${name ?? ''}' both run '${stage}'`;
        found.push(document.at(range, message, 'a stage is run by one group; later ones take its results'));
      }
      placed.set(stage, name);
    });
  });
  return found;
}

function checkAxis(
  axis: string,
  values: readonly unknown[],
  written: 'list' | 'value',
  path: Path,
  axes: Readonly<Record<string, readonly string[]>>,
  document: YamlDocument,
): Diagnostic[] {
  const allowed = axes[axis];
  if (!allowed) {
    const range = document.key([...path, axis]);
    return [document.at(range, `there is no axis '${axis}'`, suggest(axis, Object.keys(axes), 'axes'))];
  }
  return values.flatMap((value, index) => {
    if (typeof value !== 'string' || allowed.includes(value)) return [];
    const range = document.value([...path, axis, ...(written === 'list' ? [index] : [])]);
    return [document.at(range, `axis '${axis}' has no value '${value}'`, suggest(value, allowed, 'values'))];
  });
}

function axesOf(top: Readonly<Record<string, unknown>>): Readonly<Record<string, readonly string[]>> {
  const axes = Object.entries(record(record(top['variants'])['axes']));
  const texts = (values: unknown): string[] => list(values).filter((value) => typeof value === 'string');
  return Object.fromEntries(axes.map(([axis, values]) => [axis, texts(values)]));
}

function record(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? (value as unknown[]) : [];
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
