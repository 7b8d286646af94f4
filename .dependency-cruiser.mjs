// SPDX-License-Identifier: Apache-2.0
/** The laws of docs/architecture.md about imports; test/unit/laws.test.ts holds the same ones, quickly. */
const ENGINE_ROOMS = ['base', 'machine', 'events', 'cache', 'config', 'plan', 'results', 'legs', 'estimate', 'run'];

export default {
  forbidden: [
    ...[undefined, ...ENGINE_ROOMS.slice(0, -1)].map((room, index) => ({
      name: `engine-rooms-look-down-from-${room ?? 'none'}`,
      comment: 'A room of the engine imports from those before it, and from the files that lie in none.',
      severity: 'error',
      from: { path: room === undefined ? '^engine/[^/]+\\.ts$' : `^engine/${room}/` },
      to: { path: `^engine/(${ENGINE_ROOMS.slice(index).join('|')})/` },
    })),
    {
      name: 'engine-is-generic',
      comment: 'The engine knows no stage and no command.',
      severity: 'error',
      from: { path: '^engine/' },
      to: { path: '^(stages|commands|measuring|ci)/|^cli\\.ts$' },
    },
    {
      name: 'stages-are-rooms',
      comment: 'A stage imports engine/api.ts, engine/failure.ts, stages/artifacts.ts, stages/lib/ and itself.',
      severity: 'error',
      from: { path: '^stages/([^/]+)/' },
      to: {
        path: '^(engine|stages|commands|measuring|ci)/|^cli\\.ts$',
        pathNot: '^engine/(api|failure)\\.ts$|^stages/artifacts\\.ts$|^stages/lib/|^stages/$1/',
      },
    },
    {
      name: 'ci-services-know-legs',
      comment: 'A CI service knows the engine and its legs: no stage, no command, no other service.',
      severity: 'error',
      from: { path: '^ci/([^/]+)/' },
      to: { path: '^(stages|commands|measuring|ci)/|^cli\\.ts$', pathNot: '^ci/$1/' },
    },
    {
      name: 'one-door-to-processes',
      comment:
        'Child processes are started by engine/machine/process.ts only: it gives them a group, a timeout and an end.',
      severity: 'error',
      from: { pathNot: '^engine/machine/process\\.ts$' },
      to: { path: '(^|node_modules/)(execa|child_process|cross-spawn|zx)($|/)' },
    },
    {
      name: 'no-circular',
      comment: 'Two modules that import each other at run time are one module.',
      severity: 'error',
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    {
      name: 'resolvable',
      comment: 'Every import finds something.',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: 'specify',
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      extensions: ['.ts', '.mjs', '.js', '.json'],
      conditionNames: ['import', 'node', 'default'],
    },
  },
};
