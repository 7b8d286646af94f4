// SPDX-License-Identifier: Apache-2.0
import fs from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';
import type { Lock } from '../../stages/artifacts.js';
import { HERE } from './checkout.js';

const { iree } = parse(fs.readFileSync(path.join(HERE, 'pipeline.lock.yaml'), 'utf8')) as Lock;
const [first, second] = iree.map(({ compiler }) => compiler.version);

/** Compilers of the lock: of the IREE that `cpu-release` is made of, and of the other. */
export const IREE = first ?? '';
export const OTHER_IREE = second ?? '';
