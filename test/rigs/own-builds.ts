// SPDX-License-Identifier: Apache-2.0
/** What a developer builds of their own, made of what a release has fetched: nothing of it has to be compiled here. */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import type { Checkout } from './checkout.js';

/** A checkout of IREE under git, made of the locked sources, and the commit that it is at. */
export function makeIreeCheckout(checkout: Checkout, folder: string): string {
  const root = checkout.path(folder);
  fs.mkdirSync(path.dirname(root), { recursive: true });
  // With the times, as of files that a crate holds; not as hard links: a test edits them.
  execFileSync('cp', ['-a', path.join(checkout.resultFiles('fetch-sources'), 'iree'), root]);
  const identity = ['-c', 'user.name=test', '-c', 'user.email=test@localhost', '-c', 'gc.auto=0'];
  const git = (...args: readonly string[]): string =>
    execFileSync('git', ['-C', root, ...identity, ...args], { encoding: 'utf8' }).trim();
  git('init', '--quiet');
  git('add', '--all', '--force');
  git('commit', '--quiet', '--message', 'head');
  return git('rev-parse', 'HEAD');
}

/** Downloads one wheel from the registry; returns its path. */
export function downloadWheel(checkout: Checkout, requirement: string, folder: string): string {
  const python = checkout.tool('python');
  const version = pythonOf(checkout);
  const target = ['--no-deps', '--only-binary=:all:', '--python-version', version, '--dest', checkout.path(folder)];
  execFileSync(python, ['-m', 'pip', 'download', '--quiet', ...target, requirement], { stdio: 'pipe' });
  const [file] = checkout.files(folder).filter((name) => name.endsWith('.whl'));
  if (file === undefined) throw new Error(`pip left no wheel of ${requirement}`);
  return checkout.path(file);
}

/** `major.minor` of the Python that the tests run on. */
export function pythonOf(checkout: Checkout): string {
  const python = path.join(checkout.resultFiles('setup-jax'), 'bin', 'python');
  const say = 'import sys; print(*sys.version_info[:2], sep=".")';
  return execFileSync(python, ['-c', say], { encoding: 'utf8' }).trim();
}

const RELABEL = `
import sys, zipfile
source, target, old, new = sys.argv[1:]
with zipfile.ZipFile(source) as before, zipfile.ZipFile(target, "w", zipfile.ZIP_STORED) as after:
    for item in before.infolist():
        data = before.read(item)
        folder, _, name = item.filename.partition("/")
        if folder.endswith(".dist-info"):
            if name == "METADATA":
                data = data.replace(f"\\nVersion: {old}\\n".encode(), f"\\nVersion: {new}\\n".encode(), 1)
            if name == "RECORD":
                data = b""
            item.filename = f"{folder.replace(old, new)}/{name}"
        if item.filename.endswith("iree/compiler/version.py"):
            continue
        after.writestr(item, data, zipfile.ZIP_STORED)
`;

/** The same wheel as of another version: what a build between releases is called. The first is deleted. */
export function relabelWheel(checkout: Checkout, wheel: string, version: string): string {
  const [name = '', old = '', ...tags] = path.basename(wheel).split('-');
  const target = path.join(path.dirname(wheel), [name, version, ...tags].join('-'));
  const python = checkout.tool('python');
  execFileSync(python, ['-c', RELABEL, wheel, target, old, version]);
  fs.rmSync(wheel);
  return target;
}
