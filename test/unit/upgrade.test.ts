// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import { groupErrors } from '../../commands/upgrade/compile-errors.js';
import { addLine, allow, widened } from '../../commands/upgrade/edit-config.js';
import { diffHeaders } from '../../commands/upgrade/header-diff.js';
import { renderReport, works, type Report } from '../../commands/upgrade/report.js';
import { refusals } from '../../commands/upgrade/trial.js';

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

  it('of flags and passes are named once', () => {
    const log = [
      "iree-compile: Unknown command line argument '--iree-gone'.  Try: 'x --help'",
      "error: 'iree-stream-gone' does not refer to a registered pass or pass pipeline",
      "error: 'iree-stream-gone' does not refer to a registered pass or pass pipeline",
    ].join('\n');
    expect(refusals(log)).toEqual(['--iree-gone', 'iree-stream-gone']);
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
  });
});
