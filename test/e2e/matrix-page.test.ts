// SPDX-License-Identifier: Apache-2.0
/** The page of the matrix in a real browser: on a desktop and a phone, light and dark. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { renderPage } from '../../stages/matrix-report/page.js';
import { openFile, type Screen } from '../rigs/browser.js';
import { HERE } from '../rigs/checkout.js';
import { matrixReport } from '../rigs/matrix.js';

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'matrix-page-'));
const file = path.join(folder, 'matrix.html');
const CELL = 'cpu-release-0.7.1-3.11-3.11.0';
const COMMAND = `npx pipeline run matrix --force --only 'matrix-cell[${CELL}]'`;

beforeAll(async () => {
  const long = 'RuntimeError: ' + 'a-word-that-no-line-can-hold/'.repeat(20);
  const report = matrixReport({ '0.7.1 3.11 3.11.0': { result: 'fails', kind: 'tests', reason: long } });
  fs.writeFileSync(file, await renderPage(HERE, report));
});
afterAll(() => {
  fs.rmSync(folder, { recursive: true });
});

const SCREENS: readonly (readonly [string, Screen])[] = (['light', 'dark'] as const).flatMap((scheme) => [
  [`desktop, ${scheme}`, { width: 1280, height: 800, scheme }] as const,
  [`phone, ${scheme}`, { width: 390, height: 844, scheme }] as const,
]);

/** Relative luminance of a CSS colour, as WCAG has it. */
function luminance(color: string): number {
  const [r = 0, g = 0, b = 0] = (color.match(/[\d.]+/g) ?? []).map(Number).map((value) => {
    const part = value / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

const styleOf = (page: Page, selector: string, name: string): Promise<string> =>
  page.evaluate(`getComputedStyle(document.querySelector(${JSON.stringify(selector)}))[${JSON.stringify(name)}]`);

async function contrastOf(page: Page, selector: string): Promise<number> {
  const colors = [await styleOf(page, selector, 'color'), await styleOf(page, selector, 'backgroundColor')];
  const [one = 0, other = 0] = colors.map(luminance).sort((a, b) => b - a);
  return (one + 0.05) / (other + 0.05);
}

describe.each(SCREENS)('%s', (name, screen) => {
  let page: Page;
  const errors: string[] = [];
  beforeAll(async () => {
    page = await openFile(file, screen);
    page.on('pageerror', (error) => errors.push(String(error)));
    page.on('console', (message) => errors.push(message.text()));
  });
  afterAll(async () => {
    const shots = process.env['SCREENSHOTS'];
    if (shots !== undefined) await page.screenshot({ path: path.join(shots, `${name.replace(', ', '-')}.png`) });
    await page.context().browser()?.close();
  });

  const fitsWidth = (element = 'document.documentElement') =>
    page.evaluate<boolean>(`${element}.scrollWidth <= ${element}.clientWidth`);

  test('shows the whole grid within its width', async () => {
    expect(await fitsWidth()).toBe(true);
    expect(await page.getByRole('button', { name: /: works$/ }).count()).toBe(5);
    const table = page.getByRole('table').first();
    const box = await table.boundingBox();
    expect((box?.x ?? 0) + (box?.width ?? Infinity)).toBeLessThanOrEqual(screen.width);
    const cell = await page.locator(`[popovertarget="${CELL}"]`).first().boundingBox();
    expect(cell?.height).toBeGreaterThanOrEqual(44);
    expect(cell?.width).toBeGreaterThanOrEqual(44);
  });

  test('says first that claim and results disagree', async () => {
    expect(await page.getByRole('alert').textContent()).toContain('jaxlib 0.7.1 on Python 3.11');
  });

  test('can be read: colours differ by result, and enough from their ground', async () => {
    const fills = new Set<string>();
    for (const result of ['works', 'fails', 'refused', 'impossible']) {
      expect(await contrastOf(page, `.cell.${result}`), result).toBeGreaterThanOrEqual(4.5);
      fills.add(await styleOf(page, `.cell.${result}`, 'backgroundColor'));
    }
    expect(fills.size).toBe(4);
    const ground = await styleOf(page, 'body', 'backgroundColor');
    if (screen.scheme === 'dark') expect(luminance(ground)).toBeLessThan(0.1);
    else expect(luminance(ground)).toBeGreaterThan(0.8);
  });

  test('a cell opens: versions, the end of its log and the command; and closes', async () => {
    const details = page.locator(`[id="${CELL}"]`);
    expect(await details.isVisible()).toBe(false);
    await page.getByRole('button', { name: 'jaxlib 0.7.1, Python 3.11, compiler 3.11.0: fails' }).click();
    expect(await details.isVisible()).toBe(true);
    expect(await details.locator('.command').textContent()).toBe(COMMAND);
    expect(await details.locator('.log').textContent()).toBe('the end');
    expect(await details.locator('dl').textContent()).toContain('0.7.1');
    const box = await details.boundingBox();
    expect(box?.x).toBeGreaterThanOrEqual(0);
    expect((box?.x ?? 0) + (box?.width ?? Infinity)).toBeLessThanOrEqual(screen.width);
    expect(await fitsWidth(`document.getElementById(${JSON.stringify(CELL)})`)).toBe(true);
    expect(await fitsWidth()).toBe(true);
    const shots = process.env['SCREENSHOTS'];
    if (shots !== undefined) await page.screenshot({ path: path.join(shots, `${name.replace(', ', '-')}-cell.png`) });
    await details.getByRole('button', { name: 'Close' }).click();
    expect(await details.isVisible()).toBe(false);
  });

  test('a cell opens by the keyboard', async () => {
    await page.locator(`[popovertarget="${CELL}"]`).first().focus();
    await page.keyboard.press('Enter');
    expect(await page.locator(`[id="${CELL}"]`).isVisible()).toBe(true);
    await page.keyboard.press('Escape');
    expect(await page.locator(`[id="${CELL}"]`).isVisible()).toBe(false);
  });

  test('nothing is fetched, and no error is said', () => {
    expect(errors).toEqual([]);
  });
});
