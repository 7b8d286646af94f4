// SPDX-License-Identifier: Apache-2.0
import { cp, mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { StageContext } from '../../engine/api.js';
import { fail } from '../../engine/failure.js';
import type { NativeArtifact, PackagesArtifact, RenderedPackage, SourcesArtifact } from '../artifacts.js';
import { readMatrix } from '../lib/compat/matrix.js';
import { lockAndIree } from '../lib/locked-iree.js';
import { wheelVersion } from '../lib/native-tree.js';
import { supportedPythons, templateContext } from './context.js';
import { packagesOf, type PackageConfig } from './packages.js';
import { renderTree } from './render.js';
import { sbomOf } from './sbom.js';

/** Renders one Python source tree per package: templates, library, licences and SBOM. */
export async function renderPackages(context: StageContext): Promise<PackagesArtifact> {
  const packages = packagesOf(context);
  if (packages.length === 0) {
    fail({
      kind: 'usage',
      message: `no package in pipeline.yaml is for device ${context.variant.axes['device'] ?? '(none)'}`,
      help: 'add an entry with this device under `packages:`',
    });
  }
  const { dir, value } = context.artifact<NativeArtifact>('build-native');
  const { planted } = value;
  if (planted) await cp(path.join(dir, planted.library), path.join(context.outDir, planted.library));
  return {
    packages: await Promise.all(packages.map((entry) => renderPackage(context, entry))),
    ...(planted ? { planted } : {}),
  };
}

async function renderPackage(context: StageContext, entry: PackageConfig): Promise<RenderedPackage> {
  const native = context.artifact<NativeArtifact>('build-native');
  const sources = context.artifact<SourcesArtifact>('fetch-sources');
  const { lock, iree, own } = lockAndIree(context);
  const flavour = context.variant.axes['flavour'] ?? 'release';
  const overridden = sources.value.components.some(({ override }) => override !== undefined);
  const made = { iree: sources.value.ireeVersion, local: overridden || own !== undefined };
  const version = wheelVersion(context, made);
  const folder = path.join(context.outDir, entry.name);

  const licenses = path.resolve(sources.dir, sources.value.licenses);
  const components = [...sources.value.components, ...native.value.toolchain];
  const variables = templateContext({
    context,
    entry,
    version,
    flavour,
    lock,
    iree,
    made,
    native: native.value,
    components,
    matrix: await readMatrix(context.root),
  });
  await renderTree({
    from: path.join(context.root, 'wheel-templates', entry.template),
    to: folder,
    variables,
    placeholders: { device: entry.device },
    root: context.root,
  });
  await cp(licenses, path.join(folder, 'LICENSES'), { recursive: true });
  await cp(path.join(native.dir, native.value.licenses), path.join(folder, 'LICENSES'), { recursive: true });
  await cp(path.join(context.root, 'LICENSE'), path.join(folder, 'LICENSES', 'iree-pjrt.txt'));
  const libraries = path.join(folder, 'src', 'iree', '_pjrt_libs', entry.device);
  await mkdir(libraries, { recursive: true });
  for (const file of [native.value.library, native.value.helper]) {
    await cp(path.join(native.dir, file), path.join(libraries, file));
  }
  const sbom = sbomOf({ name: entry.name, version, components });
  await mkdir(path.join(folder, 'sboms'), { recursive: true });
  await writeFile(path.join(folder, 'sboms', `${entry.name}.cdx.json`), sbom);
  context.log(`${entry.name} ${version} for Python ${supportedPythons(lock).join(', ')}`);
  return { name: entry.name, version, platform: `iree_${entry.device}`, folder: entry.name, template: entry.template };
}
