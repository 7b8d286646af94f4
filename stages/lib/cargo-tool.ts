// SPDX-License-Identifier: Apache-2.0
import type { ToolSpec } from '../../engine/api.js';

/** Fetches the crate that holds IREE's runtime sources; nothing is compiled with it, so its version is in no key. */
export const CARGO_TOOL: ToolSpec = {
  name: 'cargo',
  probes: [['cargo', '--version']],
  version: /cargo (\S+)/,
  needs: '>=1.70',
  install: 'install Rust with rustup (or Debian: apt install cargo); only cargo is used, to fetch sources',
  required: true,
  inKey: false,
};
