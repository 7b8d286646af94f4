// SPDX-License-Identifier: Apache-2.0
import { expect, test } from 'vitest';
import type { StageDefinition } from '../../engine/api.js';
import { PipelineFailure } from '../../engine/failure.js';
import { checkSettings, settingsFor } from '../../engine/plan/settings.js';
import { STAGES, loadStage } from '../../stages/registry.js';

const node = (...settings: string[]): { definition: StageDefinition } => ({
  definition: { name: 'toy', settings: settings.map((name) => ({ name, text: '' })) } as unknown as StageDefinition,
});

test('a key that a stage reads is taken', () => {
  expect(() => {
    checkSettings([node('fix'), node()], { fix: '1' });
  }).not.toThrow();
});

test('of another key the nearest is named', () => {
  const check = (): void => {
    checkSettings([node('constraints.iree'), node('channel')], { 'constraint.iree': '1' });
  };
  expect(check).toThrow(PipelineFailure);
  expect(check).toThrow('no stage of this run reads --set constraint.iree');
});

test('a stage sees what it declares', () => {
  expect(settingsFor(node('fix'), { fix: '1', channel: 'nightly' })).toEqual({ fix: '1' });
  expect(settingsFor(node(), { fix: '1' })).toEqual({});
});

test('every setting that the source of a stage names is declared', async () => {
  const { readFile } = await import('node:fs/promises');
  const { globSync } = await import('tinyglobby');
  for (const uses of Object.keys(STAGES)) {
    const settings = (await loadStage(uses)).settings?.map(({ name }) => name) ?? [];
    for (const file of globSync(`stages/${uses}/*.ts`)) {
      const text = await readFile(file, 'utf8');
      const read = [...text.matchAll(/settings\['([^']+)'\]/g)].map(([, key]) => key);
      expect(settings, file).toEqual(expect.arrayContaining(read));
      if (text.includes('channelOf(')) expect(settings, file).toContain('channel');
      if (/\b(localBuildsOf|pathsOf|cellOf)\(/.test(text)) expect(settings, file).toContain('sources.jaxlib.path');
    }
  }
});
