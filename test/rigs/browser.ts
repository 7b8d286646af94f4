// SPDX-License-Identifier: Apache-2.0
/** Headless Chromium: the one that an npm package carries, or the one that CHROMIUM names. */
import bundled from '@sparticuz/chromium';
import { chromium, type Page } from 'playwright-core';

export type Scheme = 'light' | 'dark';

export interface Screen {
  readonly width: number;
  readonly height: number;
  readonly scheme: Scheme;
}

/** A page of a file, in a browser of its own that can reach nothing else. */
export async function openFile(file: string, { width, height, scheme }: Screen): Promise<Page> {
  const executablePath = process.env['CHROMIUM'] ?? (await bundled.executablePath());
  const browser = await chromium.launch({ executablePath, chromiumSandbox: false, args: ['--disable-gpu'] });
  const page = await browser.newPage({ viewport: { width, height }, colorScheme: scheme, offline: true });
  await page.goto(`file://${file}`);
  return page;
}
