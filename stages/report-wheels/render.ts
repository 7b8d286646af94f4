// SPDX-License-Identifier: Apache-2.0
import type { Hardening, WheelRow, WheelsReport } from '../artifacts.js';

const PROTECTIONS: Readonly<Record<keyof Hardening, string>> = {
  relro: 'RELRO',
  nx: 'NX',
  stackProtector: 'canary',
  fortify: 'fortify',
};

/** For the terminal: a line of facts and a line of runs per wheel, at most 80 columns unless names are long. */
export function renderText({ wheels }: WheelsReport): string {
  const width = Math.max(...wheels.map(({ variant }) => variant.length));
  const lines = wheels.flatMap((wheel) => [
    `${wheel.variant.padEnd(width)}  ${megabytes(wheel.size)}, glibc ${wheel.library.glibc}, ${hardeningOf(wheel)}`,
    `${' '.repeat(width)}  ${runsOf(wheel).join('; ')}`,
  ]);
  return `${lines.join('\n')}\n`;
}

/** `dist/report/wheels.md`. */
export function renderMarkdown({ wheels }: WheelsReport): string {
  const rows = wheels.map((wheel) => [
    wheel.variant,
    `\`${wheel.file}\``,
    megabytes(wheel.size),
    megabytes(wheel.library.size),
    code(wheel.library.exports),
    code(wheel.library.needed),
    wheel.library.glibc,
    hardeningOf(wheel),
    `\`${wheel.sbom.file}\`: ${wheel.sbom.components} parts`,
    runsOf(wheel).join('<br>'),
  ]);
  return [
    '# The wheels',
    '',
    'What each library exports, needs and is protected by is read from its ELF file; `glibc` is the oldest that it loads',
    'with. The smoke test counts its own tests, by the Python and the jaxlib that it ran with.',
    '',
    '| variant | wheel | size | library | exports | needs | glibc | hardening | SBOM | smoke test |',
    '| --- | --- | --: | --: | --- | --- | --- | --- | --- | --- |',
    ...rows.map((cells) => `| ${cells.join(' | ')} |`),
    '',
  ].join('\n');
}

function runsOf({ runs }: WheelRow): string[] {
  if (runs.length === 0) return ['built, not run'];
  return runs.map(({ python, jaxlib, passed, skipped, notRun }) => {
    const rest = skipped === 0 ? '' : `, ${skipped} ${notRun === undefined ? 'skipped' : 'not run'}`;
    return `Python ${python}, jaxlib ${jaxlib}: ${passed} passed${rest}`;
  });
}

function hardeningOf({ library: { hardening } }: WheelRow): string {
  const keys = Object.keys(PROTECTIONS) as (keyof Hardening)[];
  return keys.map((key) => (hardening[key] ? PROTECTIONS[key] : `no ${PROTECTIONS[key]}`)).join(', ');
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}

function code(names: readonly string[]): string {
  return names.map((name) => `\`${name}\``).join(', ');
}
