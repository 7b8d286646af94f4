// SPDX-License-Identifier: Apache-2.0
import { fail } from '../engine/failure.js';
import type { Compat, HeaderRow } from '../stages/lib/compat/rows.js';
import { API_HEADER, apiOf, readHeaders, wheelOf } from '../stages/resolve-versions/headers.js';
import { pipOfTools, type MeasureContext } from './context.js';

const [RELEASED, NIGHTLY] = ['tensorflow-cpu', 'tf-nightly-cpu'];
/** The wheel of any Python will do, as only its headers are read. */
const PYTHONS = ['3.11', '3.12', '3.13', '3.10', '3.14'];

/** The API version that the header in a wheel states. */
export async function measureHeaders(version: string, context: MeasureContext, compat: Compat): Promise<HeaderRow> {
  const row = { package: version.includes('dev') ? NIGHTLY : RELEASED, version };
  const pip = pipOfTools(context);
  const { distribution, python } = await wheelOf(pip, row, PYTHONS);
  const api = apiOf(await readHeaders(pip, compat.headers, distribution, python));
  if (api === undefined) {
    return fail({
      kind: 'test',
      message: `${distribution.file} holds no PJRT header where the others do`,
      detail: `looked for ${compat.headers.members.find((member) => member.endsWith(API_HEADER)) ?? API_HEADER}`,
    });
  }
  return { ...row, pjrtApi: api };
}
