// SPDX-License-Identifier: Apache-2.0
/** The laws of docs/architecture.md about imports; test/unit/laws.test.ts holds the same ones, quickly. */
export default {
  forbidden: [
    {
      name: 'engine-is-generic',
      comment: 'The engine knows no stage and no command.',
      severity: 'error',
      from: { path: '^engine/' },
      to: { path: '^(stages|commands|ci)/|^cli\\.ts$' },
    },
    {
      name: 'stages-are-rooms',
      comment: 'A stage imports engine/api.ts, engine/failure.ts, stages/artifacts.ts, stages/lib/ and itself.',
      severity: 'error',
      from: { path: '^stages/([^/]+)/' },
      to: {
        path: '^(engine|stages|commands|ci)/|^cli\\.ts$',
        pathNot: '^engine/(api|failure)\\.ts$|^stages/artifacts\\.ts$|^stages/lib/|^stages/$1/',
      },
    },
    {
      name: 'ci-services-know-legs',
      comment: 'A CI service knows the engine and its legs: no stage, no command, no other service.',
      severity: 'error',
      from: { path: '^ci/([^/]+)/' },
      to: { path: '^(stages|commands|ci)/|^cli\\.ts$', pathNot: '^ci/$1/' },
    },
    {
      name: 'one-door-to-processes',
      comment: 'Child processes are started by engine/process.ts only: it gives them a group, a timeout and an end.',
      severity: 'error',
      from: { pathNot: '^engine/process\\.ts$' },
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
