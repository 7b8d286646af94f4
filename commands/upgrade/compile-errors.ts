// SPDX-License-Identifier: Apache-2.0
/** The errors of a compiler's log, grouped by the API that they are about. */

export interface ErrorGroup {
  /**
   * The name of the API, e.g. `iree_hal_device_create_params_t`; the message itself if it names nothing of IREE or
   * PJRT.
   */
  readonly api: string;
  /** The places of the errors, `file:line`, in the order of the log. */
  readonly places: readonly string[];
  /** The first message. */
  readonly message: string;
}

/** As GCC and clang write them: `file:line:column: error: message`. */
const ERROR = /^(\S+?):(\d+):\d+: (?:fatal )?error: (.+)$/;
const API = /['‘"]?\b((?:iree|IREE|PJRT|XLA|mlir|Mlir|flatcc)_?\w*)/;

/** `root`: paths below it are shown relative to it. */
export function groupErrors(log: string, root: string): ErrorGroup[] {
  const groups = new Map<string, { places: string[]; message: string }>();
  for (const line of log.split('\n')) {
    const [, file, number, message] = ERROR.exec(line.trim()) ?? [];
    if (file === undefined || number === undefined || message === undefined) continue;
    const api = API.exec(message)?.[1] ?? message;
    const group = groups.get(api) ?? { places: [], message };
    const place = `${file.startsWith(`${root}/`) ? file.slice(root.length + 1) : file}:${number}`;
    if (!group.places.includes(place)) group.places.push(place);
    groups.set(api, group);
  }
  return [...groups].map(([api, group]) => ({ api, ...group }));
}
