// SPDX-License-Identifier: Apache-2.0
/** The table as a file: JSON with one line a cell, whose parts all lines share stand once. */
import type { Cell, Listed, Measured, Table } from './cell.js';
import { curveOf } from './cell.js';

type Shared = Pick<Listed, 'unit' | 'loop' | 'bound'>;
type Line = Measured & Pick<Listed, 'elements'>;

interface Stored extends Omit<Table, 'cells'> {
  /** By curve, `neural/softmax.grad/f32`. */
  readonly curves: Readonly<Record<string, Shared>>;
  readonly cells: readonly Line[];
}

export function formatTable({ cells, ...about }: Table): string {
  const curves = Object.fromEntries(cells.map((cell) => [curveOf(cell), sharedOf(cell)]));
  const lines = Object.entries(curves).map((entry) => entry.map((part) => JSON.stringify(part)).join(': '));
  const head = Object.entries(about).map(([key, value]) => `  ${JSON.stringify(key)}: ${JSON.stringify(value)},`);
  return [
    '{',
    ...head,
    `  "curves": {\n${lines.map((line) => `    ${line}`).join(',\n')}\n  },`,
    `  "cells": [\n${cells.map((cell) => `    ${JSON.stringify(lineOf(cell))}`).join(',\n')}\n  ]`,
    '}',
    '',
  ].join('\n');
}

/** Throws a SyntaxError for what is no JSON. */
export function parseTable(text: string): Table {
  const { curves, cells, ...about } = JSON.parse(text) as Stored;
  const whole = (line: Line): Cell => {
    const shared = curves[curveOf(line)];
    if (!shared) throw new SyntaxError(`${line.id} has no curve`);
    return { ...line, ...shared };
  };
  return { ...about, cells: cells.map(whole) };
}

function sharedOf({ unit, loop, bound }: Cell): Shared {
  return { unit, loop, bound };
}

function lineOf(cell: Cell): Line {
  const { id, elements, xla, ours, apart, wrong, took } = cell;
  return {
    ...{ id, elements, xla, ours, took },
    ...(apart === undefined ? {} : { apart }),
    ...(wrong === undefined || wrong === '' ? {} : { wrong }),
  };
}
