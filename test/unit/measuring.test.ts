// SPDX-License-Identifier: Apache-2.0
import { expect, test, vi } from 'vitest';
import { measuring } from '../../commands/compat/measuring.js';
import type { CommandContext, Project } from '../../commands/context.js';
import { runCommand } from '../../engine/machine/process.js';
import { ArtifactFolders } from '../../engine/results/artifact-dir.js';

vi.mock('../../engine/machine/process.js', () => ({ runCommand: vi.fn() }));

test('a program that measures is ended by its silence, not by the clock', async () => {
  const tools = { dir: '/tools', value: { python: 'python', bin: 'bin', zig: 'zig' } };
  vi.spyOn(ArtifactFolders.prototype, 'latest').mockReturnValue({ artifact: tools } as never);
  const context = { env: {} } as CommandContext;
  const project = { root: '/nowhere', stateDir: '/nowhere/.pipeline' } as Project;
  await measuring(context, project, {}, ({ exec }) => exec('uv', ['pip', 'install'], { echo: false }));
  expect(vi.mocked(runCommand).mock.calls.map(([{ options }]) => options)).toEqual([
    { silenceMs: 600_000, echo: false },
  ]);
});
