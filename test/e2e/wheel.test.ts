// SPDX-License-Identifier: Apache-2.0
/** The wheel in dist: what is in it, and that a user's own pip and Python can do with it what the guide says. */
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { releaseOf } from '../../stages/lib/release-of.js';
import { makeCheckout, removeCheckouts, type Checkout } from '../rigs/checkout.js';
import { IREE } from '../rigs/locked.js';
import { cleanEnv } from '../rigs/pipeline-run.js';
import { userShell } from '../rigs/user-shell.js';
import { fieldsOf, readWheel, textOf, type WheelFile } from '../rigs/wheel-file.js';

let checkout: Checkout;
let file: string;
let wheel: WheelFile;
let scratch: string;
let shell: (line: string) => string;
beforeAll(async () => {
  checkout = await makeCheckout();
  const [found = ''] = checkout.files('dist').filter((name) => name.endsWith('.whl'));
  file = checkout.path(found);
  wheel = await readWheel(file);
  scratch = checkout.path('scratch');
  fs.mkdirSync(scratch);
  shell = userShell(scratch);
});
afterAll(removeCheckouts);

describe('the wheel', () => {
  test('is under 5 MB and for every Python 3 on manylinux_2_28', () => {
    expect(wheel.size).toBeLessThan(5_000_000);
    expect(path.basename(file)).toMatch(/^iree_pjrt_plugin_cpu-[\d.]+-py3-none-manylinux_2_28_x86_64\.whl$/);
    const fields = fieldsOf(textOf(wheel, `${wheel.distInfo}/WHEEL`));
    expect(fields.get('Tag')).toEqual(['py3-none-manylinux_2_28_x86_64']);
    expect(fields.get('Root-Is-Purelib')).toEqual(['false']);
  });

  test('says what it is, and so do files that are none', () => {
    const info = (...files: string[]) =>
      spawnSync(process.execPath, [checkout.path('bin/pipeline.mjs'), 'plugin-info', '--json', ...files], {
        cwd: checkout.path('.'),
        env: cleanEnv(),
        encoding: 'utf8',
      });
    const asked = info(file);
    expect(asked.stderr).toBe('');
    const [found] = JSON.parse(asked.stdout) as [Readonly<Record<string, unknown>>];
    expect(found).toMatchObject({
      name: 'iree-pjrt-plugin-cpu',
      tags: ['py3-none-manylinux_2_28_x86_64'],
      exports: ['GetPjrtApi', 'IreePjrtServeCompiler', 'XLA_FFI_GetApi'],
      extensions: ['profiler', 'layouts', 'memory descriptions'],
    });
    expect(found['unimplemented']).toHaveLength(5);
    const refused = info('package.json', 'no-such-file.whl');
    expect(refused.status).toBe(2);
    expect(refused.stderr).toContain('package.json: it is neither a wheel nor an ELF library');
    expect(refused.stderr).toContain('no-such-file.whl: No such file or directory');
  });

  test('has metadata by the current specs, from pipeline.yaml', () => {
    const fields = fieldsOf(textOf(wheel, `${wheel.distInfo}/METADATA`));
    const [major, minor] = (fields.get('Metadata-Version')?.[0] ?? '').split('.').map(Number);
    expect(major).toBe(2);
    expect(minor).toBeGreaterThanOrEqual(4);
    const { supports, project } = parse(checkout.read('pipeline.yaml')) as {
      readonly supports: Readonly<Record<string, string>>;
      readonly project: { readonly version: string };
    };
    const line = releaseOf(IREE);
    expect(fields.get('Name')).toEqual(['iree-pjrt-plugin-cpu']);
    expect(fields.get('Version')).toEqual([`${project.version}.${line}`]);
    expect(fields.get('Requires-Python')).toEqual([supports['python']]);
    expect(fields.get('License-Expression')?.[0]).toMatch(/^Apache-2\.0 AND /);
    const required = new Map((fields.get('Requires-Dist') ?? []).map(splitRequirement));
    expect(required.get('jaxlib')).toEqual(specifiers(supports['jaxlib']));
    expect(required.get('jax')).toEqual(specifiers(supports['jaxlib']));
    expect(required.get('iree-base-compiler')?.some((specifier) => specifier.startsWith(`>=${line}`))).toBe(true);
  });

  test('has every licence file that its metadata names, and names every one it has', () => {
    const named = fieldsOf(textOf(wheel, `${wheel.distInfo}/METADATA`)).get('License-File') ?? [];
    const folder = `${wheel.distInfo}/licenses/`;
    const there = [...wheel.members.keys()].filter((name) => name.startsWith(folder));
    expect(there.sort()).toEqual(named.map((name) => folder + name).sort());
    for (const part of ['iree', 'flatcc', 'iree-pjrt'])
      expect(textOf(wheel, `${folder}LICENSES/${part}.txt`)).toMatch(/Apache License/);
  });

  test('has a RECORD with the right hash and size of each member', () => {
    const record = `${wheel.distInfo}/RECORD`;
    const rows = textOf(wheel, record)
      .trimEnd()
      .split('\n')
      .map((line) => line.split(','));
    const wanted = [...wheel.members].map(([name, content]) =>
      name === record
        ? [name, '', '']
        : [name, `sha256=${createHash('sha256').update(content).digest('base64url')}`, String(content.length)],
    );
    expect(rows.sort(byName)).toEqual(wanted.sort(byName));
  });

  test('has a CycloneDX list of what is linked into the library', () => {
    const members = [...wheel.members.keys()].filter((name) => name.startsWith(`${wheel.distInfo}/sboms/`));
    expect(members).toEqual([expect.stringMatching(/\.cdx\.json$/)]);
    const bom = JSON.parse(textOf(wheel, members[0] ?? '')) as {
      readonly bomFormat: string;
      readonly specVersion: string;
      readonly metadata: { readonly component: { readonly name: string } };
      readonly components: readonly { readonly name: string; readonly version?: string; readonly licenses?: unknown }[];
    };
    expect(bom.bomFormat).toBe('CycloneDX');
    expect(Number(bom.specVersion)).toBeGreaterThanOrEqual(1.4);
    expect(bom.metadata.component.name).toBe('iree-pjrt-plugin-cpu');
    const names = bom.components.map(({ name }) => name.toLowerCase());
    for (const part of ['iree', 'flatcc', 'dlmalloc', 'ducc']) expect(names.join(' ')).toContain(part);
    for (const component of bom.components) expect(component, component.name).toHaveProperty('licenses');
    // The wheel holds nothing of the machine or the moment, which would make two builds differ.
    expect(bom).not.toHaveProperty('serialNumber');
    expect(bom.metadata).not.toHaveProperty('timestamp');
  });

  test('names no folder of the machine that built it', () => {
    for (const [name, content] of wheel.members) {
      expect(content.includes('/.pipeline/'), `${name} holds a path of the build`).toBe(false);
    }
  });

  test('has a library that exports its entry points and nothing else, and takes memory functions from libc', () => {
    const [name = ''] = [...wheel.members.keys()].filter((member) => member.endsWith('.so'));
    expect(name).toBe('iree/_pjrt_libs/cpu/pjrt_plugin_iree_cpu.so');
    expect(wheel.modes.get(name)).toBe(0o755);
    expect(wheel.modes.get('iree/_pjrt_libs/cpu/iree-pjrt-compiled')).toBe(0o755);
    const library = path.join(scratch, 'library.so');
    fs.writeFileSync(library, wheel.members.get(name) ?? '');
    const python = checkout.tool('python');
    const script = [
      'import sys',
      'from elftools.elf.elffile import ELFFile',
      'elf = ELFFile(open(sys.argv[1], "rb"))',
      'symbols = [s for s in elf.get_section_by_name(".dynsym").iter_symbols() if s.name]',
      'here = [s for s in symbols if s["st_shndx"] != "SHN_UNDEF"]',
      'print(*sorted(s.name for s in here if s["st_info"]["bind"] != "STB_LOCAL"))',
      'print(*sorted({s.name for s in symbols if s not in here} & {"memcpy", "memmove", "memset", "memcmp", "strlen"}))',
      'print(elf.get_section_by_name(".symtab") is None)',
    ].join('\n');
    const said = execFileSync(python, ['-c', script, library], { encoding: 'utf8' });
    expect(said).toBe('GetPjrtApi IreePjrtServeCompiler XLA_FFI_GetApi\nmemcmp memcpy memmove memset strlen\nTrue\n');
  });
});

describe('installed with pip into an environment made by hand', () => {
  let python: string;
  beforeAll(() => {
    const env = path.join(scratch, 'venv');
    shell(`python3 -m venv ${env} && ${env}/bin/pip install --quiet ${file}`);
    python = path.join(env, 'bin', 'python');
  });

  const onIree = (code: string): string => shell(`JAX_PLATFORMS=iree_cpu ${python} -c "${code}"`).trim();

  test('what the integration guide types in gives what it says', () => {
    expect(onIree('import jax; print(jax.jit(lambda x: x*2+1)(jax.numpy.arange(4.)))')).toBe('[1. 3. 5. 7.]');
    expect(onIree('import jax; print(jax.numpy.add(1,1))')).toBe('2');
    const pmap = "jax.pmap(lambda x: jax.lax.psum(x,'i'), axis_name='i')(jax.numpy.arange(jax.device_count()))";
    expect(onIree(`import jax; print(${pmap})`)).toBe('[0]');
    expect(onIree('import jax; print(jax.devices())')).toMatch(/^\[\w*Device\(id=0\)\]$/);
  });

  test('it is what JAX chooses by itself, and pip finds nothing amiss', () => {
    expect(shell(`${python} -c "import jax; print(jax.default_backend())"`).trim()).toBe('iree_cpu');
    expect(shell(`JAX_PLATFORMS=cpu ${python} -c "import jax; print(jax.default_backend())"`).trim()).toBe('cpu');
    expect(shell(`${python} -m pip check`)).toContain('No broken requirements found');
  });

  test.each([
    { version: '0.6.1', why: 'the oldest', files: ['test_math.py', 'test_loops.py'] },
    { version: '0.9.0', why: 'the last that calls XLA for functions which StableHLO lacks', files: ['test_math.py'] },
  ])('the same wheel works under JAX $version, $why', ({ version, files }) => {
    // pip itself installs the wheel, above.
    const uv = checkout.tool('uv');
    const tools = 'pytest==8.4.2 allpairspy==2.5.1';
    shell(`${uv} pip install --quiet --python ${python} jax==${version} jaxlib==${version} ${tools}`);
    const tests = path.join(checkout.root, 'stages', 'conformance', 'python');
    const paths = files.map((name) => path.join(tests, name)).join(' ');
    const plugins = path.join(checkout.root, 'stages', 'lib', 'testing');
    const pytest = `PYTHONPATH=${plugins} ${python} -m pytest -q -p no:cacheprovider --platform iree_cpu ${paths}`;
    expect(shell(`JAX_PLATFORMS=iree_cpu ${pytest}`)).toMatch(/^\d+ passed(, \d+ warnings?)? in /m);
  });

  test('uninstalled, it leaves nothing behind', () => {
    shell(`${python} -m pip uninstall --quiet --yes iree-pjrt-plugin-cpu`);
    const site = shell(`${python} -c "import sysconfig; print(sysconfig.get_path('purelib'))"`).trim();
    const left = fs.readdirSync(site, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    const names = left.map((entry) => path.join(entry.parentPath, entry.name));
    expect(names.filter((name) => /pjrt_libs|jax_plugins|iree_pjrt/.test(name))).toEqual([]);
  });
});

function splitRequirement(text: string): [string, string[]] {
  const [, name = '', range = ''] = /^([A-Za-z0-9._-]+)(.*)$/.exec(text) ?? [];
  return [name, specifiers(range)];
}

function specifiers(range: string | undefined): string[] {
  return (range ?? '')
    .split(',')
    .map((part) => part.trim())
    .sort();
}

function byName([a = '']: readonly string[], [b = '']: readonly string[]): number {
  return a < b ? -1 : 1;
}
