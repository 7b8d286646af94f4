// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import type { Event } from '../../engine/events/event.js';
import { renderFailure, shortPath } from '../../engine/events/render-failure.js';
import { cleanLine, duration } from '../../engine/events/text.js';
import { createSink, type ViewMode } from '../../engine/events/view.js';
import type { Failure } from '../../engine/failure.js';
import { childEnv, commandLine, LineSplitter } from '../../engine/machine/process.js';
import { newRunId } from '../../engine/run/run-files.js';

const NODES = ['fetch', 'build', 'pack'].map((id) => ({ id, title: `Do ${id}`, needs: [] }));
const STARTED: Event = { type: 'run-started', time: 0, run: 'r', pipeline: 'p', nodes: NODES, jobs: 2 };
const FAILURE: Failure = {
  kind: 'command',
  message: 'ninja ended with exit code 1',
  command: 'ninja -C build',
  exitCode: 1,
  tail: ['x.cc:1: error: no'],
  log: '/repo/.pipeline/logs/r/build.log',
  help: 'mend x.cc',
};

function ended(more: Partial<Extract<Event, { type: 'run-finished' }>>): Event {
  return {
    type: 'run-finished',
    time: 9,
    ok: true,
    ran: 0,
    hits: 0,
    failed: 0,
    skipped: 0,
    durationMs: 210,
    ...more,
  };
}

async function show(mode: ViewMode, events: readonly Event[], env: Record<string, string> = {}): Promise<string> {
  let text = '';
  const stdout = { isTTY: false, write: (piece: string) => ((text += piece), true) } as unknown as NodeJS.WriteStream;
  const view = createSink(mode, stdout, { env, cwd: '/repo' });
  for (const event of events) view.emit(event);
  await view.close();
  return text;
}

const hit = (node: string): Event => ({ type: 'node-hit', time: 1, node, key: 'k', source: 'unchanged' });

describe('the plain view', () => {
  it('says plainly when there was nothing to do', async () => {
    const text = await show('plain', [STARTED, hit('fetch'), hit('build'), hit('pack'), ended({ hits: 3 })]);
    expect(text).toContain('ok       build  (unchanged)\n');
    expect(text.trimEnd().split('\n').at(-1)).toBe('Nothing to do: 3 stages unchanged (0.2 s)');
  });

  const failing: Event[] = [
    STARTED,
    hit('fetch'),
    { type: 'node-started', time: 1, node: 'build', key: 'k', log: '/l', because: ['file x.cc changed', 'b'] },
    { type: 'node-line', time: 1, node: 'build', stream: 'stdout', line: '\u001b[31mCompiling\u001b[0m x.cc' },
    { type: 'node-warning', time: 1, node: 'build', text: 'mind the gap' },
    { type: 'node-failed', time: 2, node: 'build', failure: FAILURE, durationMs: 3210, log: '/l' },
    { type: 'node-skipped', time: 2, node: 'pack', because: 'build failed' },
    ended({ ok: false, hits: 1, failed: 1, skipped: 1 }),
  ];

  it('shows a failure with its last lines, log and advice, and repeats warnings', async () => {
    expect(await show('plain', failing)).toBe(
      [
        'ok       fetch  (unchanged)',
        'start    build  (file x.cc changed and 1 more)',
        'failed   build  3.2 s',
        'error: build: ninja ended with exit code 1',
        '  | x.cc:1: error: no',
        '  command: ninja -C build',
        '  log: .pipeline/logs/r/build.log',
        '  try: mend x.cc',
        'skipped  pack  (build failed)',
        'warning: build: mind the gap',
        '',
        'Failed: 1 failed, 1 skipped, 1 unchanged (0.2 s)',
        '',
      ].join('\n'),
    );
  });

  it('folds output and annotates failures on GitHub Actions', async () => {
    const text = await show('plain', failing, { GITHUB_ACTIONS: 'true' });
    expect(text).toContain('::group::failed   build  3.2 s\nCompiling x.cc\n::endgroup::\n');
    expect(text).toContain('::error title=build::ninja ended with exit code 1\n');
  });

  it('tells a cancelled run in one line', async () => {
    const failure: Failure = { kind: 'cancelled', message: 'Cancelled by SIGINT', signal: 'SIGINT' };
    const text = await show('plain', [
      STARTED,
      { type: 'node-failed', time: 2, node: 'build', failure, durationMs: 10, log: '/l' },
      ended({ ok: false, failed: 1, skipped: 2 }),
    ]);
    expect(text).toContain('Cancelled by SIGINT: nothing was made (0.2 s)');
    expect(text).not.toContain('error:');
  });
});

describe('the other views', () => {
  it('json is one event per line', async () => {
    const text = await show('json', [STARTED, hit('fetch')]);
    expect(
      text
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as Event),
    ).toEqual([STARTED, hit('fetch')]);
  });

  it('auto is plain where there is no terminal', async () => {
    expect(await show('auto', [STARTED, hit('fetch')])).toBe('ok       fetch  (unchanged)\n');
  });

  it('terminal draws nothing for a run of hits but its summary', async () => {
    const text = await show('terminal', [STARTED, hit('fetch'), hit('build'), hit('pack'), ended({ hits: 3 })]);
    expect(text).toBe('Nothing to do: 3 stages unchanged (0.2 s)\n');
  });
});

describe('renderFailure', () => {
  it('shows what an integrity check wanted and found', () => {
    const failure: Failure = { kind: 'integrity', message: 'm', file: 'a.tar', wanted: '1', found: '2', help: 'h' };
    expect(renderFailure(failure)).toEqual([
      'error: m',
      '  | file    a.tar',
      '  | wanted  1',
      '  | found   2',
      '  try: h',
    ]);
  });

  it('shows details line by line', () => {
    expect(renderFailure({ kind: 'resolution', message: 'm', detail: 'row 1\nrow 2\n' })).toEqual([
      'error: m',
      '  | row 1',
      '  | row 2',
    ]);
  });

  it('shortens paths inside the working directory only', () => {
    expect(shortPath('/repo/a/b', '/repo')).toBe('a/b');
    expect(shortPath('/elsewhere/b', '/repo')).toBe('/elsewhere/b');
  });
});

describe('small things', () => {
  it('durations', () => {
    expect([40, 9_949, 61_000, 125_400].map(duration)).toEqual(['0.0 s', '9.9 s', '61 s', '2 min 05 s']);
  });

  it('output lines lose what would disturb the view', () => {
    expect(cleanLine('\u001b[1mbold\u001b[0m\tx\u0007')).toBe('bold  x');
  });

  it('lines are cut across chunks, with the last state of redrawn ones', () => {
    const lines: string[] = [];
    const splitter = new LineSplitter((line) => lines.push(line));
    for (const piece of ['a', 'b\nc\r', '\n10%\r', '20%\rdone\n', '\n', 'rest']) splitter.push(piece);
    splitter.end();
    expect(lines).toEqual(['ab', 'c', 'done', '', 'rest']);
  });

  it('command lines can be typed again', () => {
    expect(commandLine({ command: 'sh', args: ['-c', "echo 'a b'", '--x=1', ''] })).toBe(
      `sh -c 'echo '\\''a b'\\''' --x=1 ''`,
    );
  });

  it('children see nothing of npm', () => {
    expect(childEnv({ npm_config_x: '1', INIT_CWD: '/', PATH: 'p', GONE: undefined })).toEqual({ PATH: 'p' });
  });

  it('run ids sort by time', () => {
    const ids = ['2026-01-02T03:04:05.678Z', '2026-01-02T03:04:06.001Z'].map((time) => newRunId(new Date(time)));
    expect(ids[0]).toMatch(/^20260102T030405Z-[0-9a-f]{6}$/);
    expect([...ids].sort()).toEqual(ids);
  });
});
