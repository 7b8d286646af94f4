// SPDX-License-Identifier: Apache-2.0
import { Enums, Models, Serialize, Spec } from '@cyclonedx/cyclonedx-library';
import type { SourceComponent } from '../artifacts.js';

export interface SbomRequest {
  readonly name: string;
  readonly version: string;
  /** What is linked into the library. */
  readonly components: readonly SourceComponent[];
}

/** A CycloneDX 1.6 document, the same bytes for the same request (no serial number, no time). */
export function sbomOf(request: SbomRequest): string {
  const bom = new Models.Bom();
  const wheel = new Models.Component(Enums.ComponentType.Library, request.name, {
    version: request.version,
    bomRef: `pkg:pypi/${request.name}@${request.version}`,
    purl: `pkg:pypi/${request.name}@${request.version}`,
  });
  wheel.licenses.add(new Models.SpdxLicense('Apache-2.0'));
  bom.metadata.component = wheel;
  for (const source of request.components) {
    const component = componentOf(source);
    bom.components.add(component);
    wheel.dependencies.add(component.bomRef);
  }
  const serializer = new Serialize.JsonSerializer(new Serialize.JSON.Normalize.Factory(Spec.Spec1dot6));
  return `${serializer.serialize(bom, { sortLists: true, space: 2 })}\n`;
}

function componentOf(source: SourceComponent): Models.Component {
  const component = new Models.Component(Enums.ComponentType.Library, source.name, {
    version: source.version,
    bomRef: source.purl,
    purl: source.purl,
  });
  component.licenses.add(new Models.LicenseExpression(source.license));
  if (source.sha256 !== undefined) component.hashes.set(Enums.HashAlgorithm['SHA-256'], source.sha256);
  if (source.override !== undefined)
    component.properties.add(new Models.Property('iree-pjrt:override', source.override));
  return component;
}
