// SPDX-License-Identifier: Apache-2.0
// The growth table: what is over its bound, which cells a command line names, what is written.
import { expect, test } from 'vitest';
import { briefCount, durationText, ratioText, timeText } from '../../bench/growth/figures.js';
import { chartOf, timeRange } from '../../bench/growth/chart.js';
import { curveOf, nameOf, togetherOf, type Cell, type Table, type Whole } from '../../bench/growth/cell.js';
import { meanOf, suspectsOf, violationsOf, withoutLoops } from '../../bench/growth/judge.js';
import { maskingLibrary } from '../../bench/growth/masked.js';
import { renderMarkdown } from '../../bench/growth/markdown.js';
import { barsOf, entriesOf, renderPage } from '../../bench/growth/page.js';
import { selected } from '../../bench/growth/select.js';
import { checkText, summaryText } from '../../bench/growth/summary.js';
import { formatTable, parseTable } from '../../bench/growth/table.js';

const MIB = 2 ** 20;

/** A cell whose XLA:CPU took a millisecond and 200 MiB. */
function cell(id: string, ratio = 1, more: Partial<Cell> = {}): Whole {
  const xla = { seconds: 1e-3, median: 2e-3, calls: 10, compile: 0.1, rss: 200 * MIB };
  const ours = { ...xla, seconds: ratio * 1e-3, rss: 250 * MIB };
  const size = nameOf({ id }).size;
  return { id, unit: 'elements', elements: size, loop: false, bound: 2, took: 2, xla, ours, ...more } as Whole;
}

function failing(id: string, message: string): Cell {
  return { ...cell(id), ours: { failed: 'crash', message } };
}

function tableOf(cells: readonly Cell[]): Table {
  return {
    ...{ date: '2026-11-24', cpu: 'A CPU', avx512: true, cores: '0,1', jaxlib: '0.10.2', iree: '3.13.0' },
    ...{ variant: 'cpu-release', library: 'abc', targetCpu: '', cells },
  };
}

const said = (cells: readonly Cell[]): string[] =>
  violationsOf(cells).map(({ kind, id }) => (id === '' ? kind : `${kind} ${id}`));

test('a name has parts', () => {
  const parts = { family: 'neural', operation: 'softmax', gradient: true, dtype: 'bf16', size: 1024 };
  expect(nameOf({ id: 'neural/softmax.grad/bf16/1024' })).toEqual(parts);
  expect(curveOf({ id: 'neural/softmax.grad/bf16/1024' })).toBe('neural/softmax.grad/bf16');
});

test('a cell is over its bound of time from 1,000 elements on', () => {
  expect(said([cell('a/x/f32/1000', 2), cell('a/y/f32/1000', 0.1)])).toEqual([]);
  expect(said([cell('a/x/f32/1000', 2.01), cell('a/y/f32/1000', 0.1)])).toEqual(['time a/x/f32/1000']);
  expect(said([cell('a/x/f32/999', 9), cell('a/y/f32/1000', 0.1)])).toEqual([]);
  expect(said([cell('a/x/f32/1000', 5, { bound: 6 }), cell('a/y/f32/1000', 0.1)])).toEqual([]);
});

test('our time grows at most 1.3 times as fast, in the order of the sizes, within a curve', () => {
  const fast = cell('a/other/f32/1000', 0.1);
  const [small, middle, large] = [cell('a/x/f32/1000', 1.1), cell('a/x/f32/10000', 1.4), cell('a/x/f32/100000', 1.9)];
  expect(said([large, small, middle, fast])).toEqual(['growth a/x/f32/100000']);
  expect(said([small, fast, cell('a/x/bf16/10000', 1.5), cell('a/x.grad/f32/10000', 1.5)])).toEqual([]);
});

test('growth up to XLA:CPU’s is none', () => {
  const small = cell('a/x/f32/1000', 0.1);
  expect(said([small, cell('a/x/f32/10000', 1.29)])).toEqual([]);
  expect(said([small, cell('a/x/f32/10000', 1.31)])).toEqual(['growth a/x/f32/10000']);
});

test('cells over a bound are measured again, and those that they grew too fast from', () => {
  const [small, middle, large] = [cell('a/x/f32/1000', 0.5), cell('a/x/f32/10000', 1.2), cell('a/x/f32/100000', 1.9)];
  const others = [cell('a/y/f32/1000', 2.5), cell('a/z/f32/1000'), failing('a/w/f32/1000', 'no memory')];
  expect(suspectsOf([small, middle, large, ...others])).toEqual(['a/x/f32/10000', 'a/x/f32/100000', 'a/y/f32/1000']);
});

test('of two measurements the least times count, and what failed or was wrong in either', () => {
  const id = 'a/x/f32/1000';
  const [slow, fast] = [cell(id, 3), cell(id, 1)];
  expect(togetherOf(slow, fast)).toEqual({ ...fast, took: 4 });
  expect(togetherOf(fast, slow)).toEqual({ ...fast, took: 4 });
  const failed = failing(id, 'no memory');
  expect(togetherOf(fast, failed).ours).toBe(failed.ours);
  expect(togetherOf(failed, fast).ours).toBe(failed.ours);
  expect(togetherOf(fast, { ...fast, wrong: '1 for 2' }).wrong).toBe('1 for 2');
  expect(togetherOf({ ...fast, wrong: '1 for 2' }, { ...fast, wrong: '' }).wrong).toBe('1 for 2');
});

test('growth passes over a size that failed', () => {
  const cells = [cell('a/x/f32/1000', 0.2), failing('a/x/f32/10000', ''), cell('a/x/f32/100000', 1.5)];
  expect(said(cells)).toEqual(['fails a/x/f32/10000', 'growth a/x/f32/100000']);
});

test('memory is at most 1.5 times theirs', () => {
  const heavy = (mib: number): Whole => {
    const light = cell('a/x/f32/1000', 0.5);
    return { ...light, ours: { ...light.ours, rss: mib * MIB } };
  };
  expect(said([heavy(300)])).toEqual([]);
  expect(said([heavy(301)])).toEqual(['memory a/x/f32/1000']);
});

test('the mean is geometric, of what both platforms did, and leaves loops out', () => {
  const loop = cell('loops/z/f32/1000', 1000, { loop: true });
  const cells = [cell('a/x/f32/1000', 4, { bound: 9 }), cell('a/y/f32/1000', 0.25), failing('a/z/f32/1000', ''), loop];
  expect(meanOf(withoutLoops(cells))).toBeCloseTo(1);
  expect(meanOf([])).toBeNaN();
  expect(said([cell('a/x/f32/1000', 1.1)])).toEqual(['mean']);
  expect(said([cell('a/x/f32/1000', 0.9), loop])).toEqual(['time loops/z/f32/1000']);
});

test('what fails comes first, then what is wrong, then the farthest over its bound', () => {
  const cells = [
    cell('a/slow/f32/1000', 3),
    cell('a/slower/f32/1000', 9),
    cell('a/wrong/f32/1000', 0.01, { wrong: '3 of 7 numbers differ' }),
    failing('a/failing/f32/1000', 'SIGSEGV'),
    cell('a/fast/f32/1000', 0.001),
  ];
  expect(checkText(tableOf(cells)).split('\n')).toEqual([
    '✗ a/failing/f32/1000: crash: SIGSEGV',
    '✗ a/wrong/f32/1000: wrong: 3 of 7 numbers differ',
    "✗ a/slower/f32/1000: its time is 9.00× of XLA:CPU's, 2.00× allowed",
    "✗ a/slow/f32/1000: its time is 3.00× of XLA:CPU's, 2.00× allowed",
  ]);
  expect(summaryText(tableOf(cells))).toContain('5 cells, 2 fail or are wrong, 2 bounds violated');
});

const CELLS = ['neural/softmax/f32/1024', 'neural/softmax.grad/bf16/1024', 'sorting/sort/i32/1000'].map((id) =>
  cell(id),
);
const ids = (wanted: Parameters<typeof selected>[1]): string[] => selected(CELLS, wanted).map(({ id }) => id);

test('cells are chosen by name, size and dtype', () => {
  expect(ids({})).toHaveLength(3);
  expect(ids({ only: '^neural/.*grad' })).toEqual(['neural/softmax.grad/bf16/1024']);
  expect(ids({ sizes: ['1000'] })).toEqual(['sorting/sort/i32/1000']);
  expect(ids({ dtypes: ['f32', 'i32'], only: 'soft' })).toEqual(['neural/softmax/f32/1024']);
});

test('what names no cell is a mistake, and the nearest name is told', () => {
  const mistake = (wanted: Parameters<typeof selected>[1]): unknown => {
    try {
      return selected(CELLS, wanted);
    } catch (error) {
      return (error as { failure: unknown }).failure;
    }
  };
  expect(mistake({ only: 'sofmax' })).toMatchObject({ kind: 'usage', help: "did you mean 'softmax'?" });
  expect(mistake({ only: '(' })).toMatchObject({ kind: 'usage', message: expect.stringContaining('--only') as string });
  expect(mistake({ dtypes: ['b16'] })).toMatchObject({ help: "did you mean 'bf16'? there are: f32, bf16, i32" });
  expect(mistake({ sizes: ['7'] })).toMatchObject({ kind: 'usage', help: expect.stringContaining('1000') as string });
  expect(mistake({ sizes: ['1000'], dtypes: ['f32'] })).toMatchObject({ kind: 'usage' });
});

test('a table is the same after it was a file, a line a cell', () => {
  const table = tableOf([
    ...CELLS,
    failing('a/x/f32/1', 'no "way"'),
    cell('a/y/f32/1', 1, { wrong: 'x', apart: null }),
  ]);
  expect(parseTable(formatTable(table))).toEqual(table);
  expect(formatTable(table).match(/^ {4}\{"id"/gm)).toHaveLength(5);
});

test('the page escapes what it is told, asks for nothing, and has the worst first', async () => {
  const message = '<script>alert(1)</script> & "more"';
  const page = await renderPage(tableOf([cell('a/fine/f32/1000', 0.5), failing('a/bad/f32/1000', message)]));
  expect(page).not.toContain('<script>alert');
  expect(page).toContain('&lt;script&gt;alert(1)&lt;/script&gt; &amp; &quot;more&quot;');
  expect(page).not.toMatch(/(src|href)=|url\(|@import|fetch\(/);
  expect(page.indexOf('data-name="a/bad"')).toBeLessThan(page.indexOf('data-name="a/fine"'));
  expect(page).toContain('prefers-color-scheme: dark');
});

test('Markdown escapes what it is told, and has failures before figures', () => {
  const text = renderMarkdown(tableOf([cell('a/fine/f32/1000', 3), failing('a/bad/f32/1000', '<b>|`x`')]));
  expect(text).toContain('- `a/bad/f32/1000`: crash: \\<b\\>\\|\\`x\\`');
  expect(text).toContain('| fine, f32, 1,000 | 1.00 ms | 3.00 ms | **3.00×** | 250 MiB, 1.25× | 0.1 s / 0.1 s |');
  expect(text.indexOf('fail or are wrong')).toBeLessThan(text.indexOf('slowest'));
});

test('pages of nothing but failures, and of nothing', async () => {
  for (const cells of [[failing('a/bad/f32/1000', 'x')], []]) {
    expect(await renderPage(tableOf(cells))).toContain('The growth table');
    expect(renderMarkdown(tableOf(cells))).not.toContain('NaN');
    expect(summaryText(tableOf(cells))).toContain('of no cell');
  }
});

test('operations are in the order of their worst ratio, whatever dtype and size it is of', () => {
  const cells = [cell('a/x/f32/1000', 1), cell('a/y/f32/1000', 0.1), cell('a/y.grad/bf16/10000', 7)];
  expect(entriesOf(cells).map(({ operation, worst }) => [operation, worst])).toEqual([
    ['y', 7],
    ['x', 1],
  ]);
});

test('a chart is in its box, slower is higher, larger is farther right', () => {
  const cells = [cell('a/x/f32/1000', 0.5), cell('a/x/f32/100000', 3), cell('a/x/f32/10000', 0.5)];
  const { xla, ours, xTicks, yTicks } = chartOf(cells, timeRange(cells));
  expect(xTicks.map(({ text }) => text)).toEqual(['1k', '10k', '100k']);
  expect(yTicks.map(({ text }) => text)).toEqual(['100 µs', '1 ms', '10 ms']);
  expect(ours.marks.map(({ x }) => x)).toEqual(xla.marks.map(({ x }) => x));
  expect(ours.marks[0]?.y).toBeGreaterThan(xla.marks[0]?.y ?? Infinity);
  expect(ours.marks[2]?.y).toBeLessThan(xla.marks[2]?.y ?? 0);
});

test('bars count ratios by powers of two', () => {
  const bars = barsOf([0.001, 0.6, 0.99, 1, 2, 1e6].map((ratio) => cell('a/x/f32/1000', ratio)));
  expect(bars.filter(({ count }) => count > 0).map(({ text, count }) => [text, count])).toEqual([
    ['< 1/16', 1],
    ['1/2–1', 2],
    ['1–2', 1],
    ['2–4', 1],
    ['≥ 32', 1],
  ]);
});

test('figures', () => {
  expect([1.5e-5, 0.0123, 0.5, 0.99999, 2, 130, 1e-8].map(timeText)).toEqual([
    ...['15.0 µs', '12.3 ms', '500 ms', '1.00 s', '2.00 s', '130 s', '0.0100 µs'],
  ]);
  expect([0.654, 10.04, 2752].map(ratioText)).toEqual(['0.65×', '10.0×', '2752×']);
  expect([1, 1024, 16384, 1_048_576].map(briefCount)).toEqual(['1', '1k', '16k', '1M']);
  expect([59, 3661].map(durationText)).toEqual(['59 s', '61 min 01 s']);
});

test('a processor that cannot hide what it has is refused', async () => {
  const told = await maskingLibrary('zig', 'unused', '/dev/null').catch((error: unknown) => error);
  expect(told).toMatchObject({ failure: { kind: 'usage', help: expect.stringContaining('cpuid_fault') as unknown } });
});
