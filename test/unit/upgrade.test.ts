// SPDX-License-Identifier: Apache-2.0
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { groupErrors } from '../../commands/upgrade/compile-errors.js';
import { addLine, allow, widened } from '../../commands/upgrade/edit-config.js';
import { diffHeaders } from '../../commands/upgrade/header-diff.js';
import { renderReport, works, type Report } from '../../commands/upgrade/report.js';
import { refusals, rewritesIn } from '../../commands/upgrade/refusals.js';
import { lineBefore, speedOf } from '../../commands/upgrade/speed.js';
import type { StageEnd } from '../../commands/upgrade/children.js';
import type { Trial } from '../../commands/upgrade/trial.js';
import { PipelineFailure, type Failure } from '../../engine/failure.js';

describe('two headers', () => {
  const header = (fields: string, functions: string, values: string): string => `
    // struct PJRT_Gone { int it; };
    typedef enum { PJRT_Error_Code_OK = 0, /* PJRT_No */
${values} } PJRT_Error_Code;
    struct PJRT_Some_Args {
      size_t struct_size;
      ${fields}
    };
    PJRT_DEFINE_STRUCT_TRAITS(PJRT_Some_Args, some);
    typedef struct PJRT_Api {
      size_t struct_size;
      ${functions}
    } PJRT_Api;`;
  const before = header('PJRT_Error* error;', '_PJRT_API_STRUCT_FIELD(PJRT_Old);', '      PJRT_A = 1,\n');
  const after = header(
    'PJRT_Error* error; const char* names[3]; void (*callback)(int a, int b); struct { int inner; } pair;',
    '_PJRT_API_STRUCT_FIELD(PJRT_Old); _PJRT_API_STRUCT_FIELD(\n      PJRT_New);',
    '      PJRT_A = 1,\n      PJRT_B = 2,\n',
  );

  it('differ in functions, fields and values', () => {
    expect(diffHeaders(before, after)).toEqual({
      functions: { added: ['PJRT_New'], removed: [] },
      structs: {
        added: [],
        removed: [],
        grown: [{ name: 'PJRT_Some_Args', fields: ['names', 'callback', 'inner', 'pair'] }],
      },
      values: { added: ['PJRT_B'], removed: [] },
    });
  });

  it('the other way round, functions and values are gone', () => {
    const { functions, values } = diffHeaders(after, before);
    expect([functions.removed, values.removed]).toEqual([['PJRT_New'], ['PJRT_B']]);
  });

  it('are equal to themselves', () => {
    const nothing = { added: [], removed: [] };
    expect(diffHeaders(after, after)).toEqual({
      functions: nothing,
      structs: { ...nothing, grown: [] },
      values: nothing,
    });
  });
});

describe("a compiler's errors", () => {
  it('are grouped by the API that they name, with each place once', () => {
    const log = [
      "/checkout/src/a.cc:3:9: error: no matching function for call to 'iree_hal_device_create'",
      '/checkout/src/a.cc:3:9: note: candidate function not viable',
      '/checkout/src/b.cc:7:1: error: too few arguments to iree_hal_device_create',
      '/checkout/src/b.cc:7:1: error: too few arguments to iree_hal_device_create',
      "/else/c.cc:1:1: fatal error: 'flatcc/none.h' file not found",
      '/checkout/src/d.cc:9:9: error: expected ;',
      'ninja: build stopped: subcommand failed.',
    ].join('\n');
    expect(groupErrors(log, '/checkout')).toEqual([
      {
        api: 'iree_hal_device_create',
        places: ['src/a.cc:3', 'src/b.cc:7'],
        message: "no matching function for call to 'iree_hal_device_create'",
      },
      { api: 'flatcc', places: ['/else/c.cc:1'], message: "'flatcc/none.h' file not found" },
      { api: 'expected ;', places: ['src/d.cc:9'], message: 'expected ;' },
    ]);
  });
});

describe('what a compiler refuses', () => {
  it('flags, passes and rewritten programs are named once, by the messages of the plugin', () => {
    const log = [
      "iree: Unknown command line argument '--iree-gone'.  Try: 'iree --help'",
      'E   jax.errors.JaxRuntimeError: INVALID_ARGUMENT: flags of the IREE compiler: Error parsing flags:',
      'E     option not found: iree-opt-gone',
      "JaxRuntimeError('FAILED: tuning the IREE compiler: Error parsing flags:\\n  option not found: iree-llvmcpu-gone')",
      "error: 'iree-stream-gone' does not refer to a registered pass or pass pipeline",
      "error: 'iree-stream-gone' does not refer to a registered pass or pass pipeline",
    ].join('\n');
    const junit = [
      'E   jax.errors.JaxRuntimeError: INVALID_ARGUMENT: the IREE compiler failed to verify the program',
      "E   stablehlo.gather: 'stablehlo.gather' op has no attribute 'x'",
    ].join('\n');
    expect(refusals([log, junit], [], new Set())).toEqual([
      'flag --iree-gone',
      'flag --iree-opt-gone',
      'flag --iree-llvmcpu-gone',
      'pass iree-stream-gone',
      "a rewritten program: stablehlo.gather: 'stablehlo.gather' op has no attribute 'x'",
    ]);
  });

  it('rewrites are those whose GoogleTests fail', () => {
    const failure: Failure = {
      kind: 'test',
      message: "4 of the plugin's GoogleTests failed",
      detail: 'WidenSumsTest.Adds\nWidenSumsTest.Multiplies\nAll/RoundFloats8Test.Rounds/0\nClientTest.Starts',
    };
    const stages: StageEnd[] = [{ node: 'test-native[cpu-iree3.14]', result: 'failed', seconds: 1, failure, log: '' }];
    expect(refusals([], stages, rewritesIn(path.join(import.meta.dirname, '../..')))).toEqual([
      'rewrite WidenSums: WidenSumsTest.Adds, WidenSumsTest.Multiplies',
      'rewrite RoundFloats8: All/RoundFloats8Test.Rounds/0',
    ]);
  });
});

describe('the times', () => {
  const variant = (device: string, iree: string) => ({ id: `${device}-iree${iree}`, axes: { device, iree } });
  const variants = [...['3.9', '3.13', '3.14', '3.11'].map((iree) => variant('cpu', iree)), variant('cuda', '3.13')];

  it('are beside the newest older line that is otherwise the same', () => {
    expect(lineBefore(variants, variant('cpu', '3.14'))?.id).toBe('cpu-iree3.13');
    expect(lineBefore(variants, variant('cpu', '3.11'))?.id).toBe('cpu-iree3.9');
    expect(lineBefore(variants, variant('cuda', '3.13'))).toBeUndefined();
    expect(lineBefore([{ id: 'cpu', axes: {} }], { id: 'cpu', axes: {} })).toBeUndefined();
  });

  /** A trial whose programs end as `exec` says. */
  const trial = (exec: Trial['exec']): Trial =>
    ({
      context: { home: '/home', stderr: { write: () => true }, colors: { dim: String } },
      exec,
      workspace: { root: '/nowhere' },
    }) as unknown as Trial;
  const ends = (failure: Failure): Trial['exec'] => {
    return (_, args) =>
      args.includes('bench/releases.ts')
        ? Promise.reject(new PipelineFailure(failure))
        : Promise.resolve({ exitCode: 0, stdout: '', stderr: '' });
  };

  const failure: Failure = {
    kind: 'command',
    message: 'node ended with exit code 1',
    command: 'node bench/releases.ts',
    tail: ['Error: taskset was not found', ''],
  };

  it('that cannot be measured are no end of the report', async () => {
    expect(await speedOf(trial(ends(failure)), variants, variant('cpu', '3.14'))).toEqual({
      problem: 'node ended with exit code 1: Error: taskset was not found',
    });
    expect(await speedOf(trial(ends(failure)), variants, variant('cuda', '3.13'))).toEqual({
      problem: 'pipeline.yaml has no older release line to compare with',
    });
  });

  it('are not measured where the line before does not build', async () => {
    const event = { type: 'node-failed', node: 'build-native[cpu-iree3.13]', durationMs: 1, log: 'log', failure };
    const exec = () => Promise.resolve({ exitCode: 9, stdout: `${JSON.stringify(event)}\n`, stderr: '' });
    expect(await speedOf(trial(exec), variants, variant('cpu', '3.14'))).toEqual({
      problem: 'build-native[cpu-iree3.13]: node ended with exit code 1',
    });
  });

  it('are not measured after Ctrl-C', async () => {
    const cancelled: Failure = { kind: 'cancelled', message: 'Cancelled', signal: 'SIGINT' };
    await expect(speedOf(trial(ends(cancelled)), variants, variant('cpu', '3.14'))).rejects.toThrow('Cancelled');
  });
});

describe('pipeline.yaml', () => {
  it.each([
    ['>=3.11,<3.14', '3.14.1', '>=3.11,<3.15'],
    ['>=3.11,<3.14', '3.10.0', '>=3.10,<3.14'],
    ['==3.11.0', '3.13.0', '>=3.13,<3.14'],
    ['>=0.6.1,<0.13', '0.13.2', '>=0.6.1,<0.14'],
  ])('%s for %s: %s', (range, version, wanted) => {
    expect(widened(range, version)).toBe(wanted);
  });

  const text = [
    'supports:',
    '  # One line of it.',
    "  iree: '>=3.11,<3.14' # kept",
    'variants:',
    '  axes:',
    "    iree: ['3.13', '3.11']",
    '',
  ].join('\n');

  it('keeps its comments and order, and its bytes where nothing changes', () => {
    expect(addLine(allow(text, 'iree', '3.14.0'), '3.14')).toBe(
      text.replace('<3.14', '<3.15').replace("'3.11']", "'3.11', '3.14']"),
    );
    expect(addLine(allow(text, 'iree', '3.13.0'), '3.13')).toBe(text);
    const lines = "variants:\n  axes:\n    iree:\n      - '3.13' # newest\n";
    expect(addLine(lines, '3.14')).toBe(lines.replace("'3.13'", "'3.13'\n      - '3.14'"));
    expect(addLine('supports: {}\n', '3.13')).toBe('supports: {}\n');
  });
});

describe('the report', () => {
  const report: Report = {
    what: 'IREE 3.14.0',
    variant: 'cpu-release-iree3.14',
    row: ['+ 3.14.0 stablehlo: "1.23.0"'],
    lock: [],
    stages: [
      { node: 'fetch-sources', result: 'ok', seconds: 0 },
      {
        node: 'conformance',
        result: 'failed',
        seconds: 61.2,
        failure: { kind: 'test', message: '2 tests failed', detail: 'test_a\ntest_b' },
        log: '',
      },
    ],
    compile: [],
    refused: [],
    notes: [],
    files: ['pipeline.yaml'],
  };

  it('names what failed, and says that nothing is changed yet', () => {
    const lines = renderReport(report, 'npx pipeline upgrade iree 3.14.0 --apply');
    expect(lines).toEqual(
      expect.arrayContaining(['  failed   conformance  61 s', '  conformance: 2 tests failed', '    test_b']),
    );
    expect(lines.at(-2)).toBe('pipeline.yaml would change; nothing has been changed yet:');
    expect(works(report)).toBe(false);
    expect(lines).not.toContain('Flags, passes and rewrites that its compiler refuses:');
  });

  const APPLY = 'npx pipeline upgrade iree 3.14.0 --apply';
  const good: Report = { ...report, stages: report.stages.slice(0, 1) };
  const text = (more: Partial<Report>): string => renderReport({ ...good, ...more }, APPLY).join('\n');

  it('says what is slower and what is faster than on the line before', () => {
    const rows = [
      { what: 'matmul 64', unit: 'µs', before: 10, after: 5, ratio: 0.5 },
      { what: 'compile', unit: 'ms', before: 10, after: 12, ratio: 1.2 },
      { what: 'add', unit: 'µs', before: 10, after: 10.9, ratio: 1.09 },
    ];
    const both = text({ speed: { before: 'IREE 3.13.0', rows } });
    expect(both).toContain('Slower than on IREE 3.13.0:\n    1.20 × compile\n');
    expect(both).toContain('Faster than on IREE 3.13.0:\n    0.50 × matmul 64\n');
    expect(both).not.toContain('add');
    expect(text({ speed: { before: 'IREE 3.13.0', rows: [] } })).toContain('Slower than on IREE 3.13.0:\n  nothing\n');
  });

  it('is whole where there are no times', () => {
    const lines = text({ speed: { problem: 'node ended with 1' }, notes: ['a note'] });
    expect(lines).toContain('Times:\n  not measured: node ended with 1\n');
    for (const part of ['a note', APPLY]) expect(lines).toContain(part);
  });

  it('says what is refused, and that nothing is where all tests passed', () => {
    const title = 'Flags, passes and rewrites that its compiler refuses:';
    expect(text({})).toContain(`${title}\n  none\n`);
    expect(text({ refused: ['flag --iree-gone'] })).toContain(`${title}\n  flag --iree-gone\n`);
  });
});
