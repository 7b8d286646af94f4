// SPDX-License-Identifier: Apache-2.0
/**
 * Every action that a workflow uses, pinned by the commit that the version's tag names: a tag can be moved, a commit
 * cannot. ci/github/README.md says how a pin is renewed.
 */
export const ACTIONS = {
  'actions/checkout': { commit: '3d3c42e5aac5ba805825da76410c181273ba90b1', version: 'v7.0.1' },
  'actions/setup-node': { commit: '820762786026740c76f36085b0efc47a31fe5020', version: 'v7.0.0' },
  'actions/setup-python': { commit: '5fda3b95a4ea91299a34e894583c3862153e4b97', version: 'v7.0.0' },
  'actions/cache/restore': { commit: '27d5ce7f107fe9357f9df03efb73ab90386fccae', version: 'v5.0.5' },
  'actions/cache/save': { commit: '27d5ce7f107fe9357f9df03efb73ab90386fccae', version: 'v5.0.5' },
  'actions/upload-artifact': { commit: 'bbbca2ddaa5d8feaa63e36b76fdaad77386f024f', version: 'v7.0.0' },
  'actions/download-artifact': { commit: '3e5f45b2cfb9172054b4087a40e8e0b5a5461e7c', version: 'v8.0.1' },
  'actions/attest-build-provenance': { commit: 'a2bbfa25375fe432b6a289bc6b6cd05ecd0c4c32', version: 'v4.1.0' },
  'pypa/gh-action-pypi-publish': { commit: 'ed0c53931b1dc9bd32cbe73a98c7f6766f8a527e', version: 'v1.13.0' },
} as const;

export type ActionName = keyof typeof ACTIONS;

/** What `uses:` says. */
export function pinned(action: ActionName): string {
  return `${action}@${ACTIONS[action].commit}`;
}

/** The version that a pinned `uses:` stands for, for the comment behind it. */
export function versionOf(uses: string): string | undefined {
  const [name = ''] = uses.split('@');
  return name in ACTIONS ? ACTIONS[name as ActionName].version : undefined;
}
