// SPDX-License-Identifier: Apache-2.0
import type { JsonObject, StageContext } from '../../engine/api.js';
import type { Lock, LockedIree, NativeArtifact, SourceComponent } from '../artifacts.js';
import type { CompatMatrix } from '../lib/compat/matrix.js';
import { supportsOf } from '../lib/compat/supports.js';
import type { MadeOf } from '../lib/native-tree.js';
import { releaseOf } from '../lib/release-of.js';
import type { PackageConfig } from './packages.js';

export interface TemplateRequest {
  readonly context: StageContext;
  readonly entry: PackageConfig;
  /** PEP 440 version of the package, with the flavour's local label. */
  readonly version: string;
  readonly flavour: string;
  readonly lock: Lock;
  readonly iree: LockedIree;
  readonly made: MadeOf;
  readonly native: NativeArtifact;
  readonly components: readonly SourceComponent[];
  readonly matrix: CompatMatrix;
}

/** The priority that the PJRT integration guide gives plugins: above JAX's own platforms (400 and less). */
const PRIORITY = 500;
/** Where both are installed, a GPU comes before the CPU. */
const GPU_PRIORITY = 510;

/** The variables of the templates; wheel-templates/README.md documents them. */
export function templateContext(request: TemplateRequest): JsonObject {
  const { context, entry, version, flavour, lock, iree, made, native, matrix } = request;
  const { project } = context.config;
  return {
    project: { name: project['name'] ?? '', version, urls: project['urls'] ?? {} },
    package: { distribution: entry.name, description: entry.description },
    device: entry.device,
    flavour,
    publishable: flavour === 'release' && !made.local,
    sanitizer_runtime: native.needed.find((name) => /\basan\b|libasan/.test(name)) ?? '',
    library_file: native.library,
    helper_file: native.helper,
    platform_tag: native.platform,
    // 0 says that the library does not speak Tracy's protocol.
    tracy_protocol: flavour === 'tracing' ? lock.tracy.protocol : 0,
    priority: entry.device === 'cpu' ? PRIORITY : GPU_PRIORITY,
    supports: {
      ...supportsOf(context.config),
      iree_compiler: compilerRange(made),
    },
    python_versions: supportedPythons(lock),
    iree_runtime: made.iree,
    // Rows are of released runtimes: one of the same number from a checkout may be another.
    measured: (made.local ? [] : matrix.rows)
      .filter(({ device, runtime }) => device === entry.device && runtime === made.iree)
      .map(({ jax = '', ...row }) => ({ ...row, jax })),
    stablehlo_version: iree.compiler.stablehlo,
    license_expression: licenseExpression(request.components),
    sbom_files: [`sboms/${entry.name}.cdx.json`],
  };
}

/**
 * Compilers that a runtime accepts: those of its own release (a runtime refuses the modules of the next). Of a release
 * that is being made there are `3.14.0.dev0+…` and `3.14.0rc…` before 3.14.0.
 */
export function compilerRange({ iree, local }: MadeOf): string {
  const [major = 0, minor = 0] = releaseOf(iree).split('.').map(Number);
  return `>=${major}.${minor}.0${local ? '.dev0' : ''},<${major}.${minor + 1}`;
}

export function supportedPythons(lock: Lock): readonly string[] {
  return lock.frameworks.map(({ python }) => python);
}

/** One SPDX expression over the wheel's own licence and those of what is linked into it. */
export function licenseExpression(components: readonly SourceComponent[]): string {
  const terms = new Set(['Apache-2.0', ...components.map(({ license }) => license)]);
  return [...terms].map((term) => (/ (AND|OR) /.test(term) ? `(${term})` : term)).join(' AND ');
}
