// SPDX-License-Identifier: Apache-2.0
import { expect, it } from 'vitest';
import { PipelineFailure } from '../../engine/failure.js';
import type { MeasureContext } from '../../measuring/context.js';
import { findXlaCommit } from '../../measuring/jaxlib.js';
import type { Compat } from '../../stages/lib/compat/rows.js';

const [AT_TAG, AT_COMMIT, OF_MODULE] = ['a', 'b', 'c'].map((digit) => digit.repeat(40)) as [string, string, string];
const FILES: Readonly<Record<string, string>> = {
  'jax-v1.0.0:third_party/xla/workspace.bzl': `XLA_COMMIT = "${AT_TAG}"\n`,
  'cafe:third_party/xla/revision.bzl': `# here\nXLA_COMMIT = "${AT_COMMIT}"\n`,
  'cafe:MODULE.bazel': `    strip_prefix = "xla-${OF_MODULE}",\n`,
  'jax-v1.2.0:MODULE.bazel': [
    'archive_override(',
    '    module_name = "rules_ml_toolchain",',
    `    strip_prefix = "rules_ml_toolchain-${AT_TAG}",`,
    ')',
    'archive_override(',
    '    module_name = "xla",',
    `    strip_prefix = "xla-${OF_MODULE}",`,
    ')',
  ].join('\n'),
};

const context = (jaxRepository?: string): MeasureContext =>
  ({
    jaxRepository,
    exec: (_: string, args: readonly string[]) => {
      const stdout = FILES[args.at(-1) ?? ''];
      return stdout === undefined
        ? Promise.reject(new PipelineFailure({ kind: 'command', message: 'no such object', command: 'git', tail: [] }))
        : Promise.resolve({ exitCode: 0, stdout, stderr: '' });
    },
  }) as unknown as MeasureContext;
const compat = { jaxlib: [{ version: '2.0.0', xlaCommit: 'unknown', note: 'as noted' }] } as unknown as Compat;
const find = (version: string, jaxCommit: string | null, repository?: string) =>
  findXlaCommit({ version, jaxCommit }, context(repository), compat);

it('is that of the tag, where there is one', async () => {
  expect(await find('1.0.0', 'cafe', 'jax')).toEqual({ xlaCommit: AT_TAG });
});

it('is that of the commit which the wheel names, where there is no tag', async () => {
  expect(await find('1.1.0.dev1', 'cafe', 'jax')).toEqual({ xlaCommit: AT_COMMIT });
});

it("is that of Bazel's modules where no other file says it", async () => {
  expect(await find('1.2.0', null, 'jax')).toEqual({ xlaCommit: OF_MODULE });
});

it('is never guessed: what the row says stays, else it is unknown, with the reason', async () => {
  expect(await find('2.0.0', 'beef', 'jax')).toEqual({ xlaCommit: 'unknown', note: 'as noted' });
  const missing = await find('3.0.0', 'beef', 'jax');
  expect(missing.xlaCommit).toBe('unknown');
  expect(missing.note).toContain('neither the tag nor the commit of this release (beef)');
  expect((await find('3.0.0', 'beef')).note).toContain('no jax repository was named');
});
