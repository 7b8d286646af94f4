// SPDX-License-Identifier: Apache-2.0
import type { CommandSpec, OptionSpec } from './spec.js';

const SELECT: readonly OptionSpec[] = [
  { flags: '--only <stage>', text: 'these stages or nodes, and what they need', many: true },
  { flags: '--from <stage>', text: 'these and all that comes after; they run even if unchanged', many: true },
  { flags: '--until <stage>', text: 'stop after these: all but what comes after them', many: true },
  { flags: '--variant <variant>', text: 'only these variants: cpu-release, or axis=value', many: true },
];
const SET: OptionSpec = { flags: '--set <key=value>', text: 'a setting that a stage reads', many: true };
const LOCKED: OptionSpec = { flags: '--locked', text: 'fail rather than change pipeline.lock.yaml' };
const JSON_OUT: OptionSpec = { flags: '--json', text: 'print JSON' };
const PIPELINE = '[pipeline]';

const SELECTION_RULE = `What a selected stage needs is always part of the run: it is a quick hit when
nothing changed, and made again otherwise, so a selection gives the same result
as a whole run. Several of --only, --from, --until and --variant narrow each
other. A stage is named as in pipeline.yaml; one node of it as stage[variant].`;

export const COMMANDS: readonly CommandSpec[] = [
  {
    name: 'run',
    args: PIPELINE,
    summary: 'run a pipeline (default: the first in pipeline.yaml)',
    details: SELECTION_RULE,
    options: [
      { flags: '-j, --jobs <count>', text: 'stages side by side (default: number of cores)', count: true },
      ...SELECT,
      { flags: '-n, --dry-run', text: 'show what would run and why, run nothing' },
      { flags: '--force', text: 'run what is selected even if nothing changed' },
      LOCKED,
      SET,
      { flags: '--json', text: 'print events as JSON lines' },
      { flags: '--plain', text: 'plain lines instead of the live view' },
      { flags: '--no-wait', text: 'fail if another run is at work in this checkout' },
    ],
    stageOptions: true,
    examples: [
      ['npx pipeline run', 'everything, up to tested wheels'],
      ['npx pipeline run --only build-native', 'just the native library'],
      ['npx pipeline run --from pack-wheels', 'pack and test again'],
      ['npx pipeline run --dry-run', 'what would run'],
      ['npx pipeline run jax-tests --jax-tests ../jax', "JAX's own tests on the wheel"],
      ['npx pipeline matrix', 'short for `run matrix`'],
    ],
    load: () => import('./run.js'),
  },
  {
    name: 'plan',
    args: PIPELINE,
    summary: 'show the nodes of a pipeline in order',
    details: SELECTION_RULE,
    options: [...SELECT, SET, JSON_OUT],
    examples: [
      ['npx pipeline plan', 'a list'],
      ['npx pipeline plan ci --json > legs/plan.json', 'for machines that run its legs'],
    ],
    load: () => import('./plan.js'),
  },
  {
    name: 'run-leg',
    args: '<leg>',
    summary: 'run one leg of a plan, as one of several machines',
    details: `A leg is a part of a plan that runs on a machine of its own. The folder legs/
holds the plan, and a folder with the results of each leg that has run. A leg
takes those of the legs that it needs, and leaves its own. How they get from one
machine to the next is the caller's affair; every file is checked by its sha256.
A leg never changes pipeline.lock.yaml.`,
    options: [
      { flags: '--folder <folder>', text: 'the folder of plan and results (default: legs)' },
      { flags: '-j, --jobs <count>', text: 'stages side by side (default: number of cores)', count: true },
      { flags: '--json', text: 'print events as JSON lines' },
      { flags: '--plain', text: 'plain lines instead of the live view' },
      { flags: '--no-wait', text: 'fail if another run is at work in this checkout' },
    ],
    examples: [
      ['npx pipeline plan ci --json > legs/plan.json', 'the plan; its legs are in it'],
      ['npx pipeline run-leg build@cpu-release', 'one leg'],
    ],
    load: () => import('./run-leg.js'),
  },
  {
    name: 'simulate',
    args: PIPELINE,
    summary: 'say how long a pipeline takes on 1, 4, 16, 64 machines',
    details: `The pipeline's legs, from cold, are given to machines as a CI service does it: in
the order of the plan, each as soon as the legs that it needs are done. A node
takes the median of its last five runs in this checkout (.pipeline/journal); one
that never ran here is unknown, and the times are then lower bounds.`,
    options: [
      { flags: '--runners <count>', text: 'numbers of machines (default: 1,4,16,64)', many: true },
      { flags: '--startup <seconds>', text: 'what each leg takes before its first node (default: 60)' },
      { flags: '-j, --jobs <count>', text: 'stages side by side on a machine (default: as here)', count: true },
      { flags: '--assume <seconds>', text: 'what a node takes that never ran here' },
      ...SELECT,
      JSON_OUT,
    ],
    examples: [
      ['npx pipeline simulate release', 'a table'],
      ['npx pipeline simulate ci --runners 2,8', 'other numbers of machines'],
    ],
    load: () => import('./simulate.js'),
  },
  {
    name: 'ci',
    args: '<action> [name...]',
    summary: 'write the workflows of a CI service from the plan',
    details: `Names are a service, github, and for legs a workflow. Workflows are under \`ci.github\` in pipeline.yaml.
generate writes .github/workflows/*.yml. legs prints the legs of legs/plan.json
as the matrices that the jobs of a workflow read (docs/ci.md).`,
    options: [{ flags: '--check', text: 'write nothing; exit code 5 and a diff if a file is stale' }],
    examples: [
      ['npx pipeline ci generate github', 'write .github/workflows/'],
      ['npx pipeline ci generate github --check', 'are they what pipeline.yaml says?'],
      ['npx pipeline ci legs github wheels', 'in a job: >> "$GITHUB_OUTPUT"'],
    ],
    load: () => import('./ci.js'),
  },
  {
    name: 'list',
    summary: 'list pipelines, stages and variants',
    options: [JSON_OUT],
    examples: [['npx pipeline list', '']],
    load: () => import('./list.js'),
  },
  {
    name: 'doctor',
    summary: 'check this machine: what is found, needed, how to get it',
    options: [JSON_OUT],
    examples: [['npx pipeline doctor', 'exit code 8 if something is missing']],
    load: () => import('./doctor.js'),
  },
  {
    name: 'resolve',
    summary: 'resolve the version constraints into pipeline.lock.yaml',
    details: `--update first looks for releases of jaxlib and IREE that are newer than what
compat/ knows, measures each and writes its row there, for you to read; one that
cannot be measured on this machine is named. Then the lock is renewed.`,
    options: [
      { flags: '--update', text: 'take the newest that the constraints allow' },
      { flags: '--jax-repository <folder>', text: 'clone of jax, whose tags name XLA commits' },
      LOCKED,
      SET,
    ],
    examples: [
      ['npx pipeline resolve --update', 'new releases, and the lock'],
      ['npx pipeline resolve --locked', 'check that the lock fits'],
    ],
    load: () => import('./resolve.js'),
  },
  {
    name: 'compat',
    args: '<action> [what...]',
    summary: 'which versions work together: check, measure, record',
    details: `check                 does what is installed work together? Looks into the
                      virtual environment that is active, else at python3
measure KIND VERSION  a row of compat/ that no registry has; kinds: jaxlib,
                      iree, pjrt-headers. Only written with --write
record [FILE]         what npx pipeline run matrix found, to compat/matrix.yaml

check ends with 0 if it works, 4 if it is known not to, 14 if nothing is known.`,
    options: [
      { flags: '--python <path>', text: 'check: the Python to look into' },
      { flags: '--json', text: 'check: print JSON' },
      { flags: '--write', text: 'measure: write the row into compat/' },
      { flags: '--jax-repository <folder>', text: 'measure: clone of jax, whose tags name XLA commits' },
    ],
    examples: [
      ['npx pipeline compat check', 'does my environment match?'],
      ['npx pipeline compat check --python ../venv/bin/python', ''],
      ['npx pipeline compat measure jaxlib 0.10.2', 'measure, show the difference'],
      ['npx pipeline compat record', 'after npx pipeline run matrix'],
    ],
    load: () => import('./compat/index.js'),
  },
  {
    name: 'upgrade',
    args: '<what> [version]',
    summary: 'try another release of IREE, jaxlib or the PJRT header',
    details: `upgrade iree [VERSION]    default: the newest that the registry has
upgrade jaxlib [VERSION]
upgrade pjrt VERSION      of the package that holds the header

Works in a copy of the project (.pipeline/upgrade/): measures the release,
writes its row of compat/, widens pipeline.yaml, renews the lock, builds, runs
smoke test, GoogleTests, package tests and conformance and, where they pass on
an IREE, the benches of bench:releases beside the line before. The report says
what does not compile, which flags, passes and rewrites the compiler refuses,
what fails, what is slower and faster and, of a header, what is new in it.
Nothing of yours changes before --apply. Ends with 10 if anything failed.`,
    options: [{ flags: '--apply', text: 'take over the files of an upgrade that was tried' }],
    examples: [
      ['npx pipeline upgrade iree', 'the newest release'],
      ['npx pipeline upgrade iree 3.14.0 --apply', 'as tried: change the files'],
      ['npx pipeline upgrade pjrt 2.21.0', 'what is new in a header'],
    ],
    load: () => import('./upgrade/index.js'),
  },
  {
    name: 'env',
    args: '<variant>',
    summary: 'print shell lines that put the built library under JAX',
    options: [JSON_OUT],
    examples: [['eval "$(npx pipeline env cpu)"', 'use the library without a wheel']],
    load: () => import('./env.js'),
  },
  {
    name: 'bench',
    args: '<name> [arguments...]',
    summary: 'measure the built library beside XLA:CPU (bench/README.md)',
    details: `Runs the script bench:<name> of package.json. What it is to be told comes after
two dashes.`,
    options: [],
    examples: [
      ['npx pipeline bench compile', 'where the time of compilations goes'],
      ['npx pipeline bench growth -- --help', 'what a bench can be told'],
    ],
    load: () => import('./bench.js'),
  },
  {
    name: 'plugin-info',
    args: '[file...]',
    summary: 'show what a wheel or plugin library says of itself',
    details: `Versions, tags, size, extensions, and the functions of the PJRT C API that the
plugin does not implement, with its reasons. The library is loaded, in a process
of its own, and asked. Without a file, it shows the wheels in dist/.`,
    options: [
      {
        flags: '--passes',
        text: 'show its passes over programs instead, in their order, why they are there, and for which IREE',
      },
      JSON_OUT,
    ],
    examples: [
      ['npx pipeline plugin-info', 'the wheels of the last run'],
      ['npx pipeline plugin-info --passes', 'how they change programs'],
      ['npx pipeline plugin-info plugin.so --json', 'a library, as JSON'],
    ],
    load: () => import('./plugin-info.js'),
  },
  {
    name: 'explain',
    args: '<node>',
    summary: 'say why a stage would run, field by field',
    options: [SET, { flags: '--pipeline <name>', text: 'pipeline that holds the stage' }, JSON_OUT],
    examples: [['npx pipeline explain build-native', '']],
    load: () => import('./explain.js'),
  },
  {
    name: 'clean',
    summary: 'remove .pipeline/ and say how much that frees',
    options: [{ flags: '-n, --dry-run', text: 'only say what would be removed' }],
    examples: [['npx pipeline clean --dry-run', '']],
    load: () => import('./clean.js'),
  },
  {
    name: 'docs',
    args: '[key]',
    summary: 'explain the keys of pipeline.yaml',
    options: [],
    examples: [
      ['npx pipeline docs', 'all keys'],
      ['npx pipeline docs variants', 'one section, or a stage'],
    ],
    load: () => import('./docs.js'),
  },
];
