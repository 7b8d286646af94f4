// SPDX-License-Identifier: Apache-2.0

/** Where in their crates the sources lie that are taken from them whole. */
export const CRATE_PARTS = { tracy: 'tracy', googletest: 'iree/third_party/googletest' } as const;
