// SPDX-License-Identifier: Apache-2.0
import semver from 'semver';
import type { ToolSpec } from '../engine/api.js';
import { type ProbeRunner, probeTool } from '../engine/machine/tools.js';

/** What the checks look at; tests pass their own. */
export interface Machine {
  readonly node: string;
  /** Version of glibc; undefined on a system without it. */
  readonly glibc: string | undefined;
  /** Bytes. */
  readonly memory: number;
  /** Bytes free at the checkout. */
  readonly freeDisk: number;
  /** `ID` and `ID_LIKE` of os-release. */
  readonly distro: readonly string[];
  readonly exists: (path: string) => boolean;
  readonly run: ProbeRunner;
}

export interface Finding {
  readonly ok: boolean;
  /** What is there, in a few words. */
  readonly found: string;
}

export interface Check {
  readonly name: string;
  readonly needs: string;
  readonly required: boolean;
  /** One line by distribution family; `other` for the rest. */
  readonly how: Hint;
  look(machine: Machine): Promise<Finding> | Finding;
}

export type Hint = Readonly<Partial<Record<Family, string>>> & { readonly other: string };
const FAMILIES = ['debian', 'fedora', 'arch', 'suse', 'alpine'] as const;
type Family = (typeof FAMILIES)[number];

export function hintFor(how: Hint, distro: readonly string[]): string {
  const aliases: Readonly<Record<string, Family>> = {
    ubuntu: 'debian',
    rhel: 'fedora',
    centos: 'fedora',
    opensuse: 'suse',
  };
  for (const name of distro) {
    const family = aliases[name] ?? FAMILIES.find((known) => known === name);
    const hint = family && how[family];
    if (hint !== undefined) return hint;
  }
  return how.other;
}

const GIB = 1024 ** 3;
const FREE_DISK_GIB = 6;
const MEMORY_GIB = 4;
const NODE = '>=20.19';
const GLIBC = '>=2.28';
const PYTHONS = ['python3', 'python3.14', 'python3.13', 'python3.12', 'python3.11'];
/** Imports what makes virtual environments, too: distributions package it apart. */
const SAY_VERSION = 'import sys, venv, ensurepip; print("Python", sys.version.split()[0])';

/** The words are those of a stage's tool, so that doctor shows one row for both. */
const PYTHON: ToolSpec = {
  name: 'python',
  probes: PYTHONS.map((python) => [python, '-c', SAY_VERSION] as const),
  version: /Python (\S+)/,
  needs: '>=3.11',
  install: 'install Python 3.11 or newer with venv and ensurepip',
  required: true,
  inKey: false,
};

export const MACHINE_CHECKS: readonly Check[] = [
  {
    name: 'Node',
    needs: NODE,
    required: true,
    how: { other: 'install Node 20.19 or newer' },
    look: ({ node }) => ({ ok: semver.satisfies(node, NODE), found: node }),
  },
  tool(
    PYTHON,
    {
      debian: 'sudo apt install python3 python3-venv',
      fedora: 'sudo dnf install python3',
      arch: 'sudo pacman -S python',
      suse: 'sudo zypper install python311',
      alpine: 'sudo apk add python3 py3-virtualenv',
      other: PYTHON.install,
    },
    'python, venv',
  ),
  tool(plain('cargo', ['cargo', '--version'], /cargo (\S+)/, true), {
    debian: 'sudo apt install cargo',
    fedora: 'sudo dnf install cargo',
    arch: 'sudo pacman -S rust',
    suse: 'sudo zypper install cargo',
    alpine: 'sudo apk add cargo',
    other: 'install Rust with rustup',
  }),
  {
    name: 'disk',
    needs: `${FREE_DISK_GIB} GiB`,
    required: true,
    how: { other: 'free some space; `npx pipeline clean` removes caches' },
    look: ({ freeDisk }) => ({ ok: freeDisk >= FREE_DISK_GIB * GIB, found: `${(freeDisk / GIB).toFixed(1)} GiB free` }),
  },
  {
    name: 'memory',
    needs: `${MEMORY_GIB} GiB`,
    required: true,
    how: { other: 'use a machine or container with more memory' },
    // A machine sold with 4 GiB says a little less.
    look: ({ memory }) => ({ ok: memory >= MEMORY_GIB * 0.9 * GIB, found: `${(memory / GIB).toFixed(1)} GiB` }),
  },
  {
    name: 'glibc',
    needs: GLIBC,
    required: true,
    how: { alpine: 'the wheels need glibc: use a glibc distribution', other: 'use a newer distribution' },
    look: ({ glibc }) => {
      const version = semver.coerce(glibc ?? '');
      return { ok: version !== null && semver.satisfies(version, GLIBC), found: glibc ?? 'none' };
    },
  },
  tool(plain('git', ['git', '--version'], /version (\S+)/, false), {
    debian: 'sudo apt install git',
    fedora: 'sudo dnf install git',
    other: 'install git; only sources given as a git URL need it',
  }),
  tool(plain('uv', ['uv', '--version'], /uv (\S+)/, false), {
    other: 'the pipeline brings its own; only for use by hand',
  }),
  tool(plain('clang', ['clang', '--version'], /version (\S+)/, false), {
    debian: 'sudo apt install clang',
    fedora: 'sudo dnf install clang',
    other: 'install clang; only sanitizer variants need it',
  }),
  {
    name: 'clang ASAN',
    needs: 'runtime',
    required: false,
    how: {
      debian: 'sudo apt install libclang-rt-dev',
      fedora: 'sudo dnf install compiler-rt',
      other: "install clang's compiler-rt; only asan variants need it",
    },
    look: (machine) => library(machine, 'clang', 'libclang_rt.asan-x86_64.so'),
  },
  {
    name: 'gcc ASAN',
    needs: 'runtime',
    required: false,
    how: {
      debian: 'sudo apt install gcc libasan8',
      fedora: 'sudo dnf install libasan',
      other: "install gcc's libasan; only asan variants need it",
    },
    look: (machine) => library(machine, 'gcc', 'libasan.so'),
  },
  {
    name: 'more Pythons',
    needs: 'any',
    required: false,
    how: { other: '`uv python install 3.13`: the wheels are then tested on it too' },
    look: async ({ run }) => {
      const found: string[] = [];
      for (const python of PYTHONS.slice(1, -1)) {
        if ((await run(python, ['-c', SAY_VERSION]))?.exitCode === 0) found.unshift(python.replace('python', ''));
      }
      return { ok: found.length > 0, found: found.join(', ') || 'none' };
    },
  },
];

function plain(name: string, probe: readonly [string, ...string[]], version: RegExp, required: boolean): ToolSpec {
  return { name, probes: [probe], version, install: '', required, inKey: false };
}

/** A stage's tool as a check of the same form. */
export function tool(spec: ToolSpec, how: Hint = { other: spec.install }, shown = spec.name): Check {
  return {
    name: shown,
    needs: spec.needs ?? 'any',
    required: spec.required,
    how,
    look: async ({ run }) => {
      const { state, version, command } = await probeTool(spec, run);
      if (state === 'missing') return { ok: false, found: 'not found' };
      const which = command !== undefined && command !== spec.name && spec.probes.length > 1 ? ` (${command})` : '';
      return { ok: state === 'ok', found: `${version ?? 'found'}${which}` };
    },
  };
}

/** Compilers answer with a path if they have the file, and with the bare name if not. */
async function library({ run, exists }: Machine, compiler: string, file: string): Promise<Finding> {
  const answer = await run(compiler, [`-print-file-name=${file}`]);
  const path = answer?.exitCode === 0 ? answer.stdout.trim() : '';
  const ok = path.includes('/') && exists(path);
  return { ok, found: ok ? 'found' : 'not found' };
}
