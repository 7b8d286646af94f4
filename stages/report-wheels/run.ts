// SPDX-License-Identifier: Apache-2.0
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Artifact, StageContext } from '../../engine/api.js';
import type {
  NativeArtifact,
  PackagesArtifact,
  RenderedPackage,
  SmokeArtifact,
  Wheel,
  WheelRow,
  WheelsArtifact,
  WheelsReport,
} from '../artifacts.js';
import { renderMarkdown, renderText } from './render.js';

/** One row for each wheel of the variants that this run selected. */
export async function reportWheels(context: StageContext): Promise<WheelsReport> {
  const rows: WheelRow[] = [];
  for (const wheels of context.artifacts<WheelsArtifact>('pack-wheels')) {
    for (const wheel of wheels.value.wheels) rows.push(await rowOf(context, wheels, wheel));
  }
  const report = { wheels: rows };
  await mkdir(path.join(context.outDir, 'report'));
  const write = (ending: string, text: string) =>
    writeFile(path.join(context.outDir, 'report', `wheels.${ending}`), text);
  await write('json', `${JSON.stringify(report, null, 2)}\n`);
  await write('md', renderMarkdown(report));
  await write('txt', renderText(report));
  return report;
}

async function rowOf(context: StageContext, { variant }: Artifact<WheelsArtifact>, wheel: Wheel): Promise<WheelRow> {
  const ofVariant = <T>(stage: string): Artifact<T> => {
    const found = context.artifacts<T>(stage).find((artifact) => artifact.variant.id === variant.id);
    if (!found) throw new Error(`there is a wheel of ${variant.id}, and no result of ${stage}`);
    return found;
  };
  const native = ofVariant<NativeArtifact>('build-native').value;
  const { runs } = ofVariant<SmokeArtifact>('smoke-test').value;
  return {
    variant: variant.id,
    file: wheel.file,
    sha256: wheel.sha256,
    size: wheel.size,
    library: {
      file: native.library,
      size: native.size,
      exports: native.exports,
      needed: native.needed,
      glibc: native.glibc,
      hardening: native.hardening,
    },
    sbom: await sbomOf(ofVariant<PackagesArtifact>('render-packages'), wheel),
    runs: runs
      .filter((run) => run.wheel === wheel.file)
      .map(({ python, jaxlib, passed, failed, skipped, notRun }) => ({
        python,
        jaxlib,
        passed,
        failed,
        skipped,
        ...(notRun === undefined ? {} : { notRun }),
      })),
  };
}

async function sbomOf(packages: Artifact<PackagesArtifact>, wheel: Wheel): Promise<WheelRow['sbom']> {
  const entry = packages.value.packages.find(({ name }) => name === wheel.name) as RenderedPackage;
  const file = `sboms/${wheel.name}.cdx.json`;
  const text = await readFile(path.join(packages.dir, entry.folder, file), 'utf8');
  const { components } = JSON.parse(text) as { readonly components: readonly unknown[] };
  return { file, components: components.length };
}
