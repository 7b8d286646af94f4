// SPDX-License-Identifier: Apache-2.0
/** Builds of the developer's own, checked before anything is made of them. */
import { openAsBlob } from 'node:fs';
import path from 'node:path';
import { BlobReader } from '@zip.js/zip.js';
import { satisfies } from '@renovatebot/pep440';
import type { StageContext } from '../../engine/api.js';
import { fail } from '../../engine/failure.js';
import type { Framework, Lock } from '../artifacts.js';
import type { Compat } from '../lib/compat/rows.js';
import { supportsOf } from '../lib/compat/supports.js';
import { hashesOf, localBuildsOf } from '../lib/local/builds.js';
import { filesOf } from '../lib/local/files.js';
import { commitIn, commitInLabel, libraryOf } from '../lib/local/compiler.js';
import { servesMinor } from '../lib/local/install.js';
import { tagsOf } from '../lib/local/wheels.js';
import { membersOf } from '../lib/wheel.js';
import { tooOld } from './iree.js';
import type { ResolveOptions } from './inputs.js';
import type { CheckedCompiler, LocalBuilds } from '../lib/local/types.js';

/**
 * Checks what `sources` names, and returns the compiler. A jaxlib is not handed on: what is compiled does not depend on
 * it, and the stages that run JAX ask for it themselves.
 */
export async function checkBuilds(
  context: StageContext<ResolveOptions>,
  lock: Lock,
  compat: Compat,
): Promise<CheckedCompiler | undefined> {
  const local = await localBuildsOf(context);
  if (local === undefined) return undefined;
  const commits = await Promise.all(filesOf(local).filter(isWheel).map(checkWheel));
  checkClaim(context, local);
  checkJax(local);
  checkPythons(context, local, lock);
  checkStablehlo(local, lock, compat);
  for (const part of [local.compiler, local.jaxlib, local.jax])
    if (part) context.log(`${part.package} ${part.version} of your own: ${part.files.join(', ')}`);
  const { compiler } = local;
  if (compiler === undefined) return undefined;
  const commit = compiler.commit ?? commits.find((found) => found !== undefined) ?? commitInLabel(compiler.version);
  const { local: sha256 = {} } = await hashesOf({ compiler });
  return { ...compiler, ...(commit === undefined ? {} : { commit }), sha256 };
}

function isWheel(file: string): boolean {
  return file.endsWith('.whl');
}

/** A wheel whose name and METADATA disagree is refused by who installs it, after all is built. Returns IREE's commit. */
async function checkWheel(file: string): Promise<string | undefined> {
  const name = path.basename(file);
  const wanted = name.split('-').slice(0, 2).join('-');
  const metadata = `${wanted}.dist-info/METADATA`;
  let members: ReadonlyMap<string, Uint8Array>;
  try {
    members = await membersOf(
      new BlobReader(await openAsBlob(file)),
      (member) => member.endsWith('.dist-info/METADATA') || member === 'iree/compiler/version.py',
    );
  } catch (error) {
    return fail({
      kind: 'integrity',
      message: `${name} is not a readable wheel`,
      file,
      wanted: 'a zip archive',
      found: error instanceof Error ? error.message : String(error),
      help: 'build it again',
    });
  }
  const found = [...members.keys()].find((member) => member.endsWith('/METADATA'));
  if (found !== metadata) {
    fail({
      kind: 'integrity',
      message: `${name} holds another package than its name says`,
      file,
      wanted: metadata,
      found: found ?? 'no METADATA',
      help: 'a wheel must keep the name that it was built with',
    });
  }
  const version = members.get('iree/compiler/version.py');
  return version && commitIn(new TextDecoder().decode(version));
}

function checkClaim(context: StageContext, { jaxlib }: LocalBuilds): void {
  const claim = supportsOf(context.config).jaxlib;
  if (jaxlib === undefined || satisfies(jaxlib.version, claim, { prereleases: true })) return;
  fail({
    kind: 'resolution',
    message: `your jaxlib is ${jaxlib.version}, and the wheels claim jaxlib ${claim}`,
    detail: jaxlib.files.join('\n'),
    help: 'let supports.jaxlib of pipeline.yaml hold it: the wheel that is then built installs beside it',
  });
}

/** The registry has a jax for each release of jaxlib, and for nothing between them. */
function checkJax({ jaxlib, jax }: LocalBuilds): void {
  if (jaxlib === undefined || jax !== undefined || /^[\d.]+$/.test(jaxlib.version)) return;
  fail({
    kind: 'resolution',
    message: `your jaxlib ${jaxlib.version} is no release, and no registry has the jax that belongs to it`,
    detail: jaxlib.files.join('\n'),
    help: 'give the jax of the same checkout: a wheel beside that of jaxlib, or --set sources.jax.path=… (docs/at-head.md)',
  });
}

function checkPythons(context: StageContext, local: LocalBuilds, { frameworks }: Lock): void {
  if (frameworks.some(({ python }) => servesMinor(context, local, python))) return;
  const parts = [local.compiler, local.jaxlib, local.jax].filter((part) => part && libraryOf(part) === undefined);
  fail({
    kind: 'resolution',
    message: `your wheels are not for one of the Pythons ${frameworks.map(({ python }) => python).join(', ')} on this machine`,
    detail: parts.flatMap((part) => (part ? [`${part.package} ${part.version}: ${tagsOf(part)}`] : [])).join('\n'),
    help: 'build them for one and the same of these Pythons',
  });
}

function checkStablehlo({ compiler, jaxlib: own }: LocalBuilds, { frameworks }: Lock, { jaxlib }: Compat): void {
  if (compiler === undefined) return;
  const used: readonly Framework[] = frameworks.map((framework) => ({
    ...framework,
    jaxlib: own?.version ?? framework.jaxlib,
  }));
  const why = tooOld(compiler, used, jaxlib);
  if (why === undefined) return;
  fail({
    kind: 'resolution',
    message: `your compiler ${compiler.version} cannot read what JAX writes`,
    detail: why,
    help: 'build a newer IREE, or give an older jaxlib',
  });
}
