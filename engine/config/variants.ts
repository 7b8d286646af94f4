// SPDX-License-Identifier: Apache-2.0
import type { Point, Variant } from '../api.js';
import type { RawVariants, VariantFilter } from './types.js';
import { fail } from '../failure.js';
import { suggest } from '../base/nearest.js';

type Axes = Readonly<Record<string, string>>;

/** Every combination of the axes, zipped axes advancing together, less those that are excluded. */
export function expandVariants(raw: RawVariants | undefined): Variant[] {
  const axes = raw?.axes ?? {};
  const zips = raw?.zip ?? [];
  const zipOf = new Map(zips.flatMap((group) => group.map((axis) => [axis, group] as const)));
  let points: Record<string, string>[] = [{}];
  const done = new Set<string>();
  for (const axis of Object.keys(axes)) {
    if (done.has(axis)) continue;
    const group = zipOf.get(axis) ?? [axis];
    for (const member of group) done.add(member);
    const steps = (axes[axis] ?? []).map((_, index) =>
      Object.fromEntries(group.map((member) => [member, axes[member]?.[index] ?? ''])),
    );
    points = points.flatMap((point) => steps.map((step) => ({ ...point, ...step })));
  }
  return points
    .filter((point) => !(raw?.exclude ?? []).some((pattern) => matches(point, pattern)))
    .map((point) => project({ id: '', axes: point }, Object.keys(axes), raw?.implied));
}

function matches(point: Axes, pattern: Axes): boolean {
  const entries = Object.entries(pattern);
  return entries.length > 0 && entries.every(([axis, value]) => point[axis] === value);
}

/**
 * `variant` as something sees it for which only the axes `names` make a difference, in the order of `names`. The values
 * of `implied` are not in its id.
 */
export function project(variant: Variant, names: readonly string[], implied: Axes = {}): Variant {
  const entries = names.flatMap((name) => {
    const value = variant.axes[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  const said = entries.filter(([axis, value]) => implied[axis] !== value);
  return { id: said.map(nameOf).join('-'), axes: Object.fromEntries(entries) };
}

/** A value that begins with a digit is named with its axis: `2.1` of the axis `lib` is `lib2.1`. */
function nameOf([axis, value]: readonly [string, string]): string {
  return /^\d/.test(value) ? `${axis}${value}` : value;
}

/** `variant` at a point of axes of a stage's own. */
export function atPoint(variant: Variant, point: Point): Variant {
  const parts = [variant.id, ...Object.values(point)].filter((part) => part !== '');
  return { id: parts.join('-'), axes: { ...variant.axes, ...point } };
}

/** The variants whose values a filter allows. */
export function filterVariants(variants: readonly Variant[], filter: VariantFilter): Variant[] {
  return variants.filter((variant) =>
    Object.entries(filter).every(([axis, values]) => values.includes(variant.axes[axis] ?? '')),
  );
}

/**
 * The variants that a person asked for. Each choice is an id (`cpu-release`), one value of any axis (`cpu`) or
 * `axis=value`. Several choices on one axis widen the selection, those on different axes narrow it. `usual` counts only
 * on axes that no choice names.
 */
export function selectVariants(
  variants: readonly Variant[],
  axes: Readonly<Record<string, readonly string[]>>,
  choices: readonly string[],
  usual: VariantFilter = {},
): Variant[] {
  const ids = new Set<string>();
  const filter: Record<string, string[]> = {};
  for (const choice of choices) {
    if (variants.some((variant) => variant.id === choice)) {
      ids.add(choice);
      continue;
    }
    const [axis, value] = parseChoice(choice, axes);
    if (axis === undefined || value === undefined) refuse(choice, variants, axes);
    (filter[axis] ??= []).push(value);
  }
  const chosen = variants.filter((variant) => ids.size === 0 || ids.has(variant.id));
  const selected = filterVariants(chosen, ids.size === 0 ? { ...usual, ...filter } : filter);
  if (selected.length === 0) {
    fail({
      kind: 'usage',
      message: `no variant matches ${choices.length > 0 ? choices.join(' and ') : 'what the pipeline usually runs'}`,
      help: `there are: ${variants.map((variant) => variant.id).join(', ')}`,
    });
  }
  return selected;
}

function parseChoice(
  choice: string,
  axes: Readonly<Record<string, readonly string[]>>,
): [axis?: string | undefined, value?: string] {
  const equals = choice.indexOf('=');
  if (equals >= 0) {
    const [axis, value] = [choice.slice(0, equals), choice.slice(equals + 1)];
    return axes[axis]?.includes(value) ? [axis, value] : [];
  }
  const hits = Object.keys(axes).flatMap((axis) =>
    (axes[axis] ?? [])
      .filter((value) => [value, nameOf([axis, value])].includes(choice))
      .map((value) => [axis, value] as const),
  );
  const [hit] = hits;
  return hits.length === 1 && hit ? [hit[0], hit[1]] : [];
}

function refuse(
  choice: string,
  variants: readonly Variant[],
  axes: Readonly<Record<string, readonly string[]>>,
): never {
  const values = Object.entries(axes).flatMap(([axis, list]) => list.map((value) => `${axis}=${value}`));
  const candidates = [...variants.map((variant) => variant.id), ...(choice.includes('=') ? values : [])];
  const help = suggest(choice, candidates, 'there are');
  fail({ kind: 'usage', message: `there is no variant '${choice}'`, ...(help === undefined ? {} : { help }) });
}
