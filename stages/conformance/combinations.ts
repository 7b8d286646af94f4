// SPDX-License-Identifier: Apache-2.0
import type { InputContext, Setting } from '../../engine/api.js';
import { fail } from '../../engine/failure.js';

export const COMBINATIONS_SETTING: Setting = {
  name: 'combinations',
  text: "of the values of a test's parameters: pairs (the default: every two meet; of two parameters half), or all",
};

/** What `--combinations` of the tests is given (python/combinations.py). */
export function combinationsOf({ settings }: Pick<InputContext, 'settings'>): 'pairs' | 'all' {
  const asked = settings[COMBINATIONS_SETTING.name] ?? 'pairs';
  if (asked === 'pairs' || asked === 'all') return asked;
  fail({ kind: 'usage', message: `combinations is pairs or all, not ${asked}` });
}
