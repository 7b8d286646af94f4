// SPDX-License-Identifier: Apache-2.0
import { Document, isScalar, visit } from 'yaml';
import type { PlanFile } from '../../engine/legs/plan-file.js';
import { versionOf } from './actions.js';
import type { Workflow } from './config.js';
import { workflowOf } from './workflow.js';

const HEADER = ` Generated from pipeline.yaml by \`npx pipeline ci generate github\`; do not edit.
 docs/ci.md says what it does.`;

/** Text of the workflow's file. */
export function renderWorkflow(workflow: Workflow, plan: PlanFile): string {
  const document = new Document(workflowOf(workflow, plan), { aliasDuplicateObjects: false });
  document.commentBefore = HEADER;
  visit(document, {
    Pair: (_, { key, value }) => {
      if (!isScalar(value)) return;
      // A trigger without conditions is a key without a value.
      if (value.value === null) value.source = '';
      const comment = isScalar(key) ? commentFor(String(key.value), String(value.value)) : undefined;
      if (comment !== undefined) value.comment = ` ${comment}`;
    },
  });
  return document.toString({ lineWidth: 0, nullStr: '', singleQuote: true });
}

const PERMISSIONS: Readonly<Record<string, string>> = {
  'id-token': 'signs with the identity of this workflow',
  attestations: 'keeps what was signed',
};

function commentFor(key: string, value: string): string | undefined {
  if (key === 'uses') return versionOf(value);
  return value === 'write' ? PERMISSIONS[key] : undefined;
}
