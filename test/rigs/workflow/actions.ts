// SPDX-License-Identifier: Apache-2.0
/**
 * The actions that a workflow is run with here, as their documentation and sources say: artifacts lose modes and links,
 * a pattern that fits one artifact only gives it no folder of its own, a cache is found by the beginning of its key.
 * setup-node and setup-python do nothing: Node and the Pythons are those of this machine.
 */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { minimatch } from 'minimatch';
import { asText } from './expression.js';

export interface ActionContext {
  /** The job's own clean folder. */
  readonly workspace: string;
  /** What GitHub would keep between jobs. */
  readonly storage: string;
  /** Repository that is checked out. */
  readonly origin: string;
}

type Inputs = Readonly<Record<string, unknown>>;
type Outputs = Readonly<Record<string, string>>;
type Action = (inputs: Inputs, context: ActionContext) => Outputs;

export const EMULATED: Readonly<Record<string, Action>> = {
  'actions/checkout': (_, { workspace, origin }) => {
    execFileSync('git', ['clone', '--quiet', '--no-hardlinks', origin, workspace]);
    return {};
  },
  'actions/setup-node': () => ({}),
  'actions/setup-python': () => ({}),
  'actions/cache/restore': restore,
  'actions/cache/save': save,
  'actions/upload-artifact': upload,
  'actions/download-artifact': download,
};

function restore(inputs: Inputs, context: ActionContext): Outputs {
  const folder = path.join(context.storage, 'caches');
  const kept = fs.existsSync(folder) ? fs.readdirSync(folder) : [];
  const age = (name: string): number => fs.statSync(path.join(folder, name)).mtimeMs;
  const [newest] = kept
    .filter((name) => name.startsWith(asText(inputs['restore-keys'])))
    .sort((a, b) => age(b) - age(a));
  const key = kept.find((name) => name === inputs['key']) ?? newest;
  if (key === undefined) return {};
  fs.cpSync(path.join(folder, key), path.join(context.workspace, asText(inputs['path'])), { recursive: true });
  return { 'cache-matched-key': key };
}

/** The first content of a key holds. */
function save(inputs: Inputs, context: ActionContext): Outputs {
  const into = path.join(context.storage, 'caches', asText(inputs['key']));
  const from = path.join(context.workspace, asText(inputs['path']));
  if (fs.existsSync(from) && !fs.existsSync(into)) fs.cpSync(from, into, { recursive: true });
  return {};
}

function upload(inputs: Inputs, context: ActionContext): Outputs {
  const paths = asText(inputs['path']).split('\n');
  const hidden = inputs['include-hidden-files'] === true;
  const files = paths.flatMap((each) => filesAt(path.join(context.workspace, each), hidden));
  if (files.length === 0) {
    if (inputs['if-no-files-found'] === 'error') throw new Error(`no files at ${paths.join(', ')}`);
    return {};
  }
  const into = path.join(context.storage, 'artifacts', asText(inputs['name']));
  if (fs.existsSync(into) && inputs['overwrite'] !== true) throw new Error(`${into} is there already`);
  fs.rmSync(into, { recursive: true, force: true });
  const root = rootOf(paths.map((each) => path.join(context.workspace, each)));
  for (const file of files) {
    const target = path.join(into, path.relative(root, file));
    fs.mkdirSync(path.dirname(target), { recursive: true });
    // Content only: an artifact is a zip without modes and links.
    fs.writeFileSync(target, fs.readFileSync(file), { mode: 0o644 });
  }
  return {};
}

function filesAt(place: string, hidden: boolean): string[] {
  const stat = fs.statSync(place, { throwIfNoEntry: false });
  if (stat === undefined) return [];
  if (stat.isFile()) return [place];
  return fs
    .readdirSync(place, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => path.join(entry.parentPath, entry.name))
    .filter((file) => hidden || !/(^|\/)\./.test(path.relative(place, file)));
}

/** The folder that paths in an artifact leave out: that of the one path, or the one that several share. */
function rootOf(places: readonly string[]): string {
  const [first = '', ...rest] = places;
  if (rest.length === 0) return fs.statSync(first).isFile() ? path.dirname(first) : first;
  const parts = places.map((place) => place.split('/'));
  const same = first.split('/').findIndex((part, index) => parts.some((other) => other[index] !== part));
  return first.split('/').slice(0, same).join('/');
}

function download(inputs: Inputs, context: ActionContext): Outputs {
  const folder = path.join(context.storage, 'artifacts');
  const kept = fs.existsSync(folder) ? fs.readdirSync(folder) : [];
  const name = asText(inputs['name']);
  const found = kept.filter((each) => (name === '' ? minimatch(each, asText(inputs['pattern'])) : each === name));
  if (name !== '' && found.length === 0) throw new Error(`there is no artifact ${name}`);
  const into = path.join(context.workspace, asText(inputs['path']));
  const flat = name !== '' || inputs['merge-multiple'] === true || found.length === 1;
  for (const each of found)
    fs.cpSync(path.join(folder, each), flat ? into : path.join(into, each), { recursive: true });
  return {};
}
