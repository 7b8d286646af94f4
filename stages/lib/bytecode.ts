// SPDX-License-Identifier: Apache-2.0

/**
 * Python compiles a module once for all processes that have this folder, into it and not beside the sources, however the
 * user's shell is set: an import of JAX takes 0.8 s then instead of 2.7 s.
 */
export function bytecodeIn(folder: string): Record<string, string | undefined> {
  return { PYTHONPYCACHEPREFIX: folder, PYTHONDONTWRITEBYTECODE: undefined };
}
