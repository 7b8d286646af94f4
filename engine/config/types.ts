// SPDX-License-Identifier: Apache-2.0
import type { Json, JsonObject, ProjectConfig, Variant } from '../api.js';

/** As written: what pipeline.yaml holds once the schema has accepted it and filled in its defaults. */
export interface RawConfig {
  readonly version: 1;
  readonly project: JsonObject;
  readonly variants?: RawVariants;
  readonly stages: readonly RawStage[];
  readonly pipelines: Readonly<Record<string, RawPipeline>>;
  /** Sections that the engine hands on unread. */
  readonly [section: string]: unknown;
}

export interface RawVariants {
  readonly axes: Readonly<Record<string, readonly string[]>>;
  /** Variants that match all the values of an entry are left out. */
  readonly exclude?: readonly Readonly<Record<string, string>>[];
  /** Groups of axes that advance together instead of being multiplied. */
  readonly zip?: readonly (readonly string[])[];
  /** Values by axis that a variant's id leaves out. */
  readonly implied?: Readonly<Record<string, string>>;
}

export interface RawStage {
  readonly name: string;
  readonly uses: string;
  readonly needs?: readonly string[];
  readonly with?: JsonObject;
}

export interface RawPipeline {
  readonly title?: string;
  readonly stages: readonly string[];
  readonly variants?: VariantFilter;
  readonly legs?: readonly LegGroup[];
}

/** Legs of one kind, which run side by side. Legs of a group take results from those of earlier groups. */
export interface LegGroup {
  readonly name: string;
  /** The stages that these legs run. What the stages need runs with them unless an earlier leg made it. */
  readonly stages: readonly string[];
  /** Axes whose every value is a leg of its own; by default all that the stages have. */
  readonly by?: readonly string[];
}

/** Values by axis; an axis that is not named lets all of its values through. */
export type VariantFilter = Readonly<Record<string, readonly string[]>>;

/** Resolved: every name refers to something, every default is there, variants are spelt out. */
export interface ResolvedConfig {
  /** Path shown to people. */
  readonly file: string;
  readonly project: ProjectConfig;
  readonly variants: readonly Variant[];
  /** Values by axis that a variant's id leaves out. */
  readonly implied: Readonly<Record<string, string>>;
  readonly stages: readonly ResolvedStage[];
  readonly pipelines: readonly ResolvedPipeline[];
}

export interface ResolvedStage {
  readonly name: string;
  readonly uses: string;
  readonly needs: readonly string[];
  readonly options: Json;
}

export interface ResolvedPipeline {
  readonly name: string;
  readonly title: string;
  readonly stages: readonly string[];
  readonly variants: VariantFilter;
  /** How its plan is cut for several machines; empty: one leg. */
  readonly legs: readonly LegGroup[];
}
